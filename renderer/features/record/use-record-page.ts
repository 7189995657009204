// Owns everything a record on screen needs, beside its table or on a page of its own: the record, its fields, its edits,
// who else is there, and its commands.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { fieldTypeOf } from '../../fields/index.ts'
import { hasCode } from '../../lib/api-error.ts'
import { useCommands } from '../../lib/commands.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { displayFieldOf } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { deleteRecords, linkFields, useFieldContext, useShownFields } from '../records/index.ts'
import { useIsHeld } from '../workflow/index.ts'
import { peopleColumns, recordQuery } from './record-queries.ts'
import { useLiveRecord } from './use-live-record.ts'
import { useRecordEdits } from './use-record-edits.ts'

/** Most paths one request expands, less those of people. */
const maxLinks = 7

/** The parts of a record on screen. */
export function useRecordPage(input: {
  object: ObjectItem
  id: string
  onStep: ((step: 1 | -1) => void) | undefined
  /** Told when the record was deleted here. */
  onDeleted: () => void
}) {
  const { object, id, onStep } = input
  const fields = useShownFields(object)
  const context = useFieldContext()
  const links = useMemo(() => linkFields(fields).slice(0, maxLinks), [fields])
  const expand = useMemo(() => [...links, ...peopleColumns], [links])
  const { data: record, error, refetch } = useQuery(recordQuery(object.name, id, expand))
  const edits = useRecordEdits(object.name, fields, expand)
  const members = useLiveRecord(object.name, id)
  const { data: manifest } = useQuery(discoveryQuery)
  const hasFeed = manifest?.features.feed === true

  const display = displayFieldOf(object)
  const field = fields.find(({ name }) => name === display)
  const text = record && field ? fieldTypeOf(field).format(record[field.name], field, context) : ''
  const title = text === '' ? (record ? t('record.untitled') : t('record.loading')) : text

  const isHeld = useIsHeld(object.name, id)
  const remove = async (): Promise<void> => {
    try {
      if (await deleteRecords(object.name, [id])) input.onDeleted()
    } catch (problem) {
      showProblem(problem)
    }
  }
  useCommands([
    {
      id: 'record.next',
      label: t('record.next'),
      group: 'records',
      shortcut: 'J',
      enabled: onStep !== undefined,
      run: () => onStep?.(1),
    },
    {
      id: 'record.previous',
      label: t('record.previous'),
      group: 'records',
      shortcut: 'K',
      enabled: onStep !== undefined,
      run: () => onStep?.(-1),
    },
    {
      id: 'record.delete',
      label: t('record.delete'),
      group: 'records',
      enabled: !isHeld,
      run: () => void remove(),
    },
  ])
  return {
    fields,
    context,
    record,
    error,
    /** It was there a moment ago: what is on screen of it is all that is left. */
    isGone: record !== undefined && hasCode(error, 'resource_not_found'),
    refetch,
    edits,
    members,
    hasFeed,
    title,
    remove: isHeld ? undefined : remove,
  }
}
