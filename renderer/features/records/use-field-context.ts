// Owns the context the field registry formats with: locale, time zone of the workspace, finding linked records and adding
// one that is not there yet.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { translateField } from '../../fields/index.ts'
import type { FieldContext, RecordChoice } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { refreshRecords } from '../../lib/record-changes.ts'
import { locale } from '../../lib/language.ts'
import { t } from '../../lib/strings.ts'
import { displayFieldOf, fieldList, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { versionOf } from './record-batches.ts'
import { rememberAdded } from './record-steps.ts'

const offered = 20

async function searchRecords(
  objects: readonly ObjectItem[],
  object: string,
  text: string,
  signal: AbortSignal,
  filter: unknown,
): Promise<readonly RecordChoice[]> {
  const definition = objects.find((candidate) => candidate.name === object)
  const display = definition && displayFieldOf(definition)
  const { records } = await call('listRecords', {
    params: { object },
    query: {
      top: offered,
      ...(text.trim() === '' ? {} : { search: text }),
      ...(display ? { sort: display } : {}),
      ...(filter === undefined || filter === null ? {} : { filter: JSON.stringify(filter) }),
    },
    signal,
  })
  return records.map((record) => ({ id: String(record.id), label: String((display && record[display]) ?? record.id) }))
}

/** Whether a record of an object needs no more than what it is called. */
function isNamedByText(objects: readonly ObjectItem[], name: string): boolean {
  const object = objects.find((candidate) => candidate.name === name)
  const display = object && displayFieldOf(object)
  if (!object || display === undefined || object.fields[display]?.type !== 'text') return false
  return fieldList(object).every(
    (field) => field.name === display || !field.required || field.defaultValue !== undefined,
  )
}

async function addRecord(objects: readonly ObjectItem[], object: string, text: string): Promise<RecordChoice> {
  const definition = objects.find((candidate) => candidate.name === object)
  const display = (definition && displayFieldOf(definition)) ?? ''
  const { id, record } = await call('createRecord', { params: { object }, body: { [display]: text } })
  rememberAdded(t('records.new.step'), { object, ids: [id], versions: { [id]: versionOf(record) } })
  refreshRecords(object)
  return { id, label: text }
}

/** The context of a screen; the same object until zone or objects change. */
export function useFieldContext(): FieldContext {
  const { data: manifest } = useQuery(discoveryQuery)
  const { data: objects } = useObjects()
  const timeZone = manifest?.locale.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  return useMemo(
    () => ({
      locale,
      timeZone,
      translate: translateField,
      revealSecret: async (object, id, field) =>
        (await call('revealSecret', { params: { object, id }, body: { field } })).value,
      addRecord: {
        may: (object) => isNamedByText(objects ?? [], object),
        add: async (object, text) => addRecord(objects ?? [], object, text),
      },
      searchRecords: async (object, text, signal, filter) => searchRecords(objects ?? [], object, text, signal, filter),
    }),
    [timeZone, objects],
  )
}
