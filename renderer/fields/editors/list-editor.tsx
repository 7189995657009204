// Owns choosing from a list: one option, several options, free words, linked records. A combobox with its list open.
// The draft stays text: option values, words or record ids, comma-separated where there are several.

import { useId, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import type { FieldEditorProps, FieldType } from '../field-type.ts'
import { linkedRecords } from '../linked-records.ts'
import { listToText, parseList } from '../list-text.ts'
import { optionByText, optionLabel } from '../options.ts'
import { canList, holdsMany, useChoices } from './choices.ts'
import type { Choice, ListKind } from './choices.ts'
import { TextEditor } from './text-editor.tsx'
import { useInitialFocus } from './use-initial-focus.ts'

/** A list to choose from; lookups fall back to typing an id when records cannot be searched. */
export function createListEditor(kind: ListKind): FieldType['Editor'] {
  return function ListEditor(props) {
    return canList(props.field, kind, props.context) ? (
      <ComboboxEditor {...props} kind={kind} />
    ) : (
      <TextEditor {...props} />
    )
  }
}

function ComboboxEditor(props: FieldEditorProps & { kind: ListKind }) {
  const { kind, field, context, label, draft, value, onDraft, onDone, invalid, describedBy, autoFocus } = props
  const id = useId()
  const control = useInitialFocus<HTMLInputElement>(autoFocus)
  const list = useRef<HTMLUListElement>(null)
  const [query, setQuery] = useState('')
  const [position, setPosition] = useState(-1)
  const many = holdsMany(field, kind)
  const chosen = many
    ? parseList(draft).map((word) => optionByText(field, word)?.value ?? word)
    : draft === '' || query !== ''
      ? []
      : [optionByText(field, draft)?.value ?? draft]
  const { choices, state } = useChoices(field, kind, context, query, chosen)
  const highlighted = choices[Math.min(position, choices.length - 1)]

  // Labels of linked records are known from the stored value or from lists seen while this editor is open.
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(
    () => new Map(linkedRecords(field.reference ? value : null, field).map((record) => [record.id, record.label])),
  )
  const labelOf = (text: string): string => {
    const option = optionByText(field, text)
    return option
      ? optionLabel(option)
      : (seen.get(text) ?? choices.find((choice) => choice.text === text)?.label ?? text)
  }

  useLayoutEffect(() => {
    list.current?.querySelector('[data-highlighted]')?.scrollIntoView({ block: 'nearest' })
  })

  const [refused, setRefused] = useState(false)
  const isAdding = useRef(false)
  /** A record that is not there yet is added first; until it has its id, nothing is chosen. */
  const addRecord = async (choice: Choice): Promise<void> => {
    if (isAdding.current || !context.addRecord || !field.reference) return
    isAdding.current = true
    setRefused(false)
    try {
      const { id: text, label: name } = await context.addRecord.add(field.reference, choice.label)
      toggle({ text, label: name })
    } catch {
      setRefused(true)
    } finally {
      isAdding.current = false
    }
  }

  const toggle = (choice: Choice): void => {
    if (choice.added && kind.records) return void addRecord(choice)
    setSeen((last) => new Map(last).set(choice.text, choice.label))
    setQuery('')
    if (!many) {
      onDraft(choice.text)
      onDone(choice.text)
      return
    }
    const rest = chosen.filter((item) => item !== choice.text)
    onDraft(listToText(rest.length < chosen.length ? rest : [...chosen, choice.text]))
    setPosition(-1)
  }

  const search = (text: string): void => {
    setQuery(text)
    setPosition(text.trim() === '' ? -1 : 0)
    // In a single choice the typed text is the draft, so that leaving the editor takes the best match or says why not.
    if (!many) onDraft(bestMatch(text))
  }
  const bestMatch = (text: string): string => {
    const wanted = text.trim().toLowerCase()
    if (wanted === '') return ''
    const match = choices.find((choice) => choice.label.toLowerCase().startsWith(wanted) && !choice.added)
    return match?.text ?? text
  }

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const count = choices.length
      if (count > 0)
        setPosition((last) => (last < 0 && step < 0 ? count - 1 : (Math.min(last, count - 1) + step + count) % count))
    } else if (event.key === 'Enter' && highlighted && !event.shiftKey) {
      event.preventDefault()
      toggle(highlighted)
    } else if (event.key === ' ' && many && query === '' && highlighted) {
      event.preventDefault()
      toggle(highlighted)
    } else if (event.key === 'Tab' && query.trim() !== '' && highlighted && !(highlighted.added && kind.records)) {
      // Not prevented: the grid commits the draft, which has to hold what was typed last.
      if (many) onDraft(listToText(chosen.includes(highlighted.text) ? chosen : [...chosen, highlighted.text]))
      else onDraft(highlighted.text)
    } else if (event.key === 'Backspace' && many && query === '' && chosen.length > 0) {
      event.preventDefault()
      onDraft(listToText(chosen.slice(0, -1)))
    }
  }

  const note = state === 'searching' ? 'field.searching' : state === 'failed' ? 'field.searchFailed' : 'field.noMatch'
  return (
    <span className="field-list">
      {many && chosen.length > 0 && (
        <span className="field-list-chosen" aria-hidden="true">
          {chosen.map((item) => (
            <span key={item} className="field-chip field-hue-none">
              {labelOf(item)}
            </span>
          ))}
        </span>
      )}
      <input
        ref={control}
        className="field-input"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={highlighted ? `${id}-${choices.indexOf(highlighted)}` : undefined}
        aria-label={label}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        autoComplete="off"
        spellCheck={false}
        placeholder={chosen.length > 0 && !many ? labelOf(chosen[0] ?? '') : context.translate('field.search')}
        value={query}
        onChange={(event) => search(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span className="field-list-popup">
        <ul ref={list} id={`${id}-list`} role="listbox" aria-label={label} aria-multiselectable={many || undefined}>
          {choices.map((choice, index) => (
            <li
              key={choice.text}
              id={`${id}-${index}`}
              role="option"
              aria-selected={chosen.includes(choice.text)}
              data-highlighted={choice === highlighted || undefined}
              className="field-list-option"
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => toggle(choice)}
            >
              {choice.added ? context.translate('field.addTag', { text: choice.label }) : choice.label}
            </li>
          ))}
        </ul>
        {refused && (
          <span className="field-list-note" role="alert">
            {context.translate('field.addFailed')}
          </span>
        )}
        {choices.length === 0 && (
          <span className="field-list-note" role="status">
            {context.translate(note)}
          </span>
        )}
      </span>
    </span>
  )
}
