// Owns choosing the type of a field: a search over names and explanations, in groups, driven by keys or pointer.
import { TextInput } from '@mantine/core'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { fieldTypeOf } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import { groupLabel, searchTypes, typeHint, typeLabel } from './field-types.ts'
import classes from './type-picker.module.css'

/** A combobox whose list is open; Enter takes the marked type. */
export function TypePicker(props: { type: string; autoFocus?: boolean; onPick: (type: string) => void }) {
  const id = useId()
  const [query, setQuery] = useState('')
  const [marked, setMarked] = useState(props.type)
  const list = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const groups = searchTypes(query)
  const types = groups.flatMap((group) => group.types)
  const current = types.includes(marked) ? marked : types[0]

  useLayoutEffect(() => {
    list.current?.querySelector('[data-marked]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  useLayoutEffect(() => {
    if (props.autoFocus) input.current?.focus()
  }, [props.autoFocus])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const at = current === undefined ? -1 : types.indexOf(current)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && !event.altKey) {
      event.preventDefault()
      setMarked(types[Math.min(types.length - 1, Math.max(0, at + step))] ?? props.type)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (current !== undefined) props.onPick(current)
    }
  }

  return (
    <div className={classes.picker}>
      <TextInput
        ref={input}
        label={t('word.type')}
        placeholder={t('field.dialog.type.search')}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : `${id}-${current}`}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t('word.type')} className={classes.list}>
        {groups.map(({ group, types: inGroup }) => (
          <div key={group} role="group" aria-label={groupLabel(group)}>
            <p className={classes.group} aria-hidden>
              {groupLabel(group)}
            </p>
            {inGroup.map((type) => (
              <TypeLine
                key={type}
                id={`${id}-${type}`}
                type={type}
                chosen={type === props.type}
                marked={type === current}
                onPick={() => props.onPick(type)}
              />
            ))}
          </div>
        ))}
      </div>
      {types.length === 0 && (
        <p className={classes.none} role="status">
          {t('field.dialog.type.none')}
        </p>
      )}
    </div>
  )
}

function TypeLine(props: { id: string; type: string; chosen: boolean; marked: boolean; onPick: () => void }) {
  const { icon: Icon } = fieldTypeOf({ name: 'field', type: props.type })
  return (
    <div
      id={props.id}
      role="option"
      aria-selected={props.chosen}
      data-marked={props.marked || undefined}
      className={classes.type}
      onPointerDown={(event) => event.preventDefault()}
      onClick={props.onPick}
    >
      <Icon size={16} aria-hidden />
      <span className={classes.name}>{typeLabel(props.type)}</span>
      <span className={classes.hint}>{typeHint(props.type)}</span>
    </div>
  )
}
