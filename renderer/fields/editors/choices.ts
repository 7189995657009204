// Owns what a list editor offers: options of the field, free words, or records found by text.
// Knows no markup.

import { useEffect, useState } from 'react'
import type { FieldDefinition } from '../field-definition.ts'
import type { FieldContext } from '../field-type.ts'
import { offeredOptions, optionLabel } from '../options.ts'

/** One line of the list: `text` is what the draft gets, `label` what is read. */
export interface Choice {
  text: string
  label: string
  /** A word that is not there yet. */
  added?: boolean
}

/** Lines to offer and whether they are complete. */
export interface Choices {
  choices: readonly Choice[]
  state: 'ready' | 'searching' | 'failed'
}

const SEARCH_DELAY_MS = 150
const MAX_CHOICES = 50

/** What a type's values are chosen among. */
export interface ListKind {
  /** A value holds several of them, whatever the field says. */
  several?: true
  /** Words that are not there yet may be added. */
  words?: true
  /** Records of the object the field leads to. */
  records?: true
}

/** Tells whether the editor holds several values. */
export function holdsMany(field: FieldDefinition, kind: ListKind): boolean {
  return kind.several === true || (kind.records === true && field.multiple === true)
}

/** Tells whether the field's choices can be listed at all; a lookup without a search is edited by id. */
export function canList(field: FieldDefinition, kind: ListKind, context: FieldContext): boolean {
  return !kind.records || (context.searchRecords !== undefined && field.reference !== undefined)
}

function matching(field: FieldDefinition, kind: ListKind, query: string, taken: readonly string[]): Choice[] {
  const wanted = query.trim().toLowerCase()
  const offered = offeredOptions(field).map((option) => ({ text: option.value, label: optionLabel(option) }))
  const starts = offered.filter(({ label }) => label.toLowerCase().startsWith(wanted))
  const rest = offered.filter(
    ({ label }) => !label.toLowerCase().startsWith(wanted) && label.toLowerCase().includes(wanted),
  )
  const found: Choice[] = [...starts, ...rest].slice(0, MAX_CHOICES)
  if (!kind.words) return found
  const own = taken.filter((tag) => !offered.some(({ text }) => text === tag) && tag.toLowerCase().includes(wanted))
  found.unshift(...own.map((tag) => ({ text: tag, label: tag })))
  const word = query.trim()
  if (word !== '' && !field.options?.length && !found.some(({ label, text }) => label === word || text === word)) {
    found.push({ text: word, label: word, added: true })
  }
  return found
}

/** Choices for what has been typed; records are searched after a short rest and older searches are dropped. */
export function useChoices(
  field: FieldDefinition,
  kind: ListKind,
  context: FieldContext,
  query: string,
  taken: readonly string[],
): Choices {
  const [found, setFound] = useState<Choices>({ choices: [], state: 'searching' })
  const remote = kind.records === true
  const { searchRecords, addRecord } = context
  const { reference, referenceFilters } = field
  useEffect(() => {
    if (!remote || !searchRecords || !reference) return
    const controller = new AbortController()
    const timer = setTimeout(
      () => {
        setFound((last) => ({ ...last, state: 'searching' }))
        searchRecords(reference, query.trim(), controller.signal, referenceFilters).then(
          (records) => {
            if (controller.signal.aborted) return
            const choices: Choice[] = records.slice(0, MAX_CHOICES).map(({ id, label }) => ({ text: id, label }))
            const word = query.trim()
            const isThere = choices.some(({ label }) => label.toLowerCase() === word.toLowerCase())
            if (word !== '' && !isThere && addRecord?.may(reference)) {
              choices.push({ text: word, label: word, added: true })
            }
            setFound({ choices, state: 'ready' })
          },
          () => {
            if (!controller.signal.aborted) setFound({ choices: [], state: 'failed' })
          },
        )
      },
      query === '' ? 0 : SEARCH_DELAY_MS,
    )
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [remote, searchRecords, addRecord, reference, referenceFilters, query])
  return remote ? found : { choices: matching(field, kind, query, taken), state: 'ready' }
}
