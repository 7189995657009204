// Owns what every kind of view that is no grid does alike: which fields stand for a record, writing values with a way back,
// adding and deleting records, and the dialogs of these.
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { ApiError } from '../../lib/api-error.ts'
import { fieldProblemText, problemText } from '../../lib/problem-text.ts'
import { readRecordAddress } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { displayFieldOf, refreshRecordCount } from '../objects/index.ts'
import {
  ConflictDialog,
  NewRecordDialog,
  addRecord,
  createRecordWrites,
  deleteRecords,
  linkFields,
  useConflictQuestion,
} from '../records/index.ts'
import type { RecordWritesPort, ViewKindProps, ViewOptions } from '../records/index.ts'

/** Fields of a card beside its title. */
const maxCardFields = 6

/** What is on screen, as writing needs it. */
export interface KindRows {
  /** Asks for the records again. */
  reload(): unknown
}

/** What a kind of view works with. */
export interface KindPart extends ViewKindProps {
  /** Fields whose linked records are asked for instead of their ids. */
  expand: readonly string[]
  options: ViewOptions
  setOptions: (next: ViewOptions) => void
  /** The field that stands for a record. */
  titleField: FieldDefinition | undefined
  titleOf: (record: GridRecord) => string
  /** Shown fields without those, and no more than a card holds. */
  cardFields: (without: readonly (string | undefined)[]) => FieldDefinition[]
  field: (name: string | undefined) => FieldDefinition | undefined
  /** To be told what is on screen, at every render. */
  bind: (rows: KindRows) => void
  /** Writes values of a record as one step; answers whether they are stored. */
  change: (record: GridRecord, values: Readonly<Record<string, unknown>>) => Promise<boolean>
  /** Adds a record; answers why it was not, or undefined. */
  add: (values: Readonly<Record<string, unknown>>) => Promise<string | undefined>
  /** Opens the form of a new record. */
  openNew: (initial?: Readonly<Record<string, unknown>>) => void
  remove: (id: string) => Promise<void>
  dialogs: ReactNode
}

/** Whether a record is open beside the view at this moment: then the focus is its own. */
export function isPeekOpen(): boolean {
  return readRecordAddress(window.location.hash.split('?')[1] ?? '').rec !== undefined
}

/** The part of a kind of view that all of them share. */
export function useKindPart(props: ViewKindProps): KindPart {
  const { object, fields, context, views, onQuery } = props
  const client = useQueryClient()
  const { conflict, ask } = useConflictQuestion()
  const [adding, setAdding] = useState<{ initial: Readonly<Record<string, unknown>> | undefined }>()
  const rows = useRef<KindRows>(undefined)
  const expand = useMemo(() => linkFields(fields), [fields])
  const field = useCallback((name: string | undefined) => fields.find((other) => other.name === name), [fields])
  const titleField = field(displayFieldOf(object))

  const port = useRef<RecordWritesPort>(undefined)
  port.current = {
    object: object.name,
    written: () => {
      void rows.current?.reload()
      void client.invalidateQueries({ queryKey: ['record', object.name] })
    },
    reload: () => void rows.current?.reload(),
    expand,
    labelOf: (name) => fieldLabel(field(name) ?? { name, type: '' }),
    ask,
  }
  const writes = useMemo(
    () =>
      createRecordWrites(() => {
        if (!port.current) throw new Error('The view is not mounted.')
        return port.current
      }),
    [],
  )

  const change = async (record: GridRecord, values: Readonly<Record<string, unknown>>): Promise<boolean> => {
    const entries = Object.entries(values)
    const [first] = entries
    if (!first) return true
    try {
      if (entries.length === 1) await writes.save(...first, record)
      else {
        const told = await writes.saveMany(
          entries.map(([name, value]) => ({ rowIndex: 0, row: record, field: name, value })),
        )
        const problem = told.find((message) => message !== null)
        if (problem) throw new Error(problem)
      }
      return true
    } catch (error) {
      showToast({ message: error instanceof Error ? error.message : String(error), tone: 'bad' })
      void rows.current?.reload()
      return false
    }
  }

  return {
    ...props,
    expand,
    options: views.options,
    setOptions: (next) => onQuery({ options: { ...views.options, ...next } }),
    titleField,
    titleOf: (record) => {
      const text = titleField ? fieldTypeOf(titleField).format(record[titleField.name], titleField, context) : ''
      return text === '' ? t('kinds.untitled') : text
    },
    cardFields: (without) =>
      views.columns.filter(({ name }) => name !== titleField?.name && !without.includes(name)).slice(0, maxCardFields),
    field,
    bind: (shown) => {
      rows.current = shown
    },
    change,
    add: async (values) => {
      try {
        await addRecord(object.name, values)
        await refreshRecordCount(client, object.name)
        return undefined
      } catch (error) {
        const [own] = error instanceof ApiError ? error.fieldErrors : []
        if (!own) return problemText(error)
        return `${fieldLabel(field(own.field) ?? { name: own.field, type: '' })}: ${fieldProblemText(own, true)}`
      }
    },
    openNew: (initial) => setAdding({ initial }),
    remove: async (id) => {
      try {
        await deleteRecords(object.name, [id])
        await refreshRecordCount(client, object.name)
      } catch (error) {
        showProblem(error)
      }
    },
    dialogs: (
      <>
        <NewRecordDialog
          object={object}
          context={context}
          opened={adding !== undefined}
          initial={adding?.initial}
          onClose={() => setAdding(undefined)}
        />
        <ConflictDialog conflict={conflict} fields={fields} context={context} />
      </>
    ),
  }
}
