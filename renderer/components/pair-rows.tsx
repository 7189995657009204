// Owns typing pairs of a name and a text: headers, what goes into which field. Knows neither.
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useRef } from 'react'
import { t } from '../lib/strings.ts'
import type { ExpressionName } from './complete-expression.ts'
import { ExpressionField } from './expression-field.tsx'
import classes from './pair-rows.module.css'
import parts from './parts.module.css'

/** A name and what belongs to it. */
export type Pair = readonly [name: string, value: string]

/** Rows of pairs; `names` makes the first a choice. */
export function PairRows(props: {
  legend: string
  help?: string
  nameLabel: string
  valueLabel: string
  add: string
  pairs: readonly Pair[]
  names?: readonly { value: string; label: string }[]
  /** What expressions in values may name. */
  completes?: readonly ExpressionName[] | undefined
  /** What is wrong with all of them. */
  problem?: string | undefined
  problemOf: (name: string) => string | undefined
  onChange: (pairs: readonly Pair[]) => void
}) {
  const { pairs, names } = props
  const add = useRef<HTMLButtonElement>(null)
  const set = (at: number, pair: Pair): void => props.onChange(pairs.map((each, place) => (place === at ? pair : each)))
  return (
    <fieldset className={parts.options}>
      <legend>{props.legend}</legend>
      {props.help !== undefined && <p className={classes.help}>{props.help}</p>}
      {pairs.map(([name, value], at) => {
        const number = at + 1
        const label = t('pairs.of', { what: props.nameLabel, number })
        return (
          <div key={at} className={classes.row}>
            {names ? (
              <NativeSelect
                aria-label={label}
                value={name}
                data={[{ value: '', label: t('pairs.choose') }, ...names]}
                onChange={(event) => set(at, [event.currentTarget.value, value])}
              />
            ) : (
              <TextInput
                aria-label={label}
                placeholder={props.nameLabel}
                value={name}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => set(at, [event.currentTarget.value, value])}
              />
            )}
            <ExpressionField
              aria-label={t('pairs.of', { what: props.valueLabel, number })}
              placeholder={props.valueLabel}
              value={value}
              error={name === '' ? undefined : props.problemOf(name)}
              names={props.completes ?? []}
              isText
              onChange={(text) => set(at, [name, text])}
            />
            <ActionIcon
              variant="subtle"
              size={32}
              aria-label={t('pairs.remove', { number })}
              onClick={() => {
                props.onChange(pairs.filter((_, place) => place !== at))
                add.current?.focus()
              }}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </div>
        )
      })}
      <Button
        ref={add}
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => props.onChange([...pairs, ['', '']])}
      >
        {props.add}
      </Button>
      {props.problem !== undefined && <p className={parts.problem}>{props.problem}</p>}
    </fieldset>
  )
}

/** Pairs as the host takes them; rows without a name say nothing, of two of one name the last holds. */
export function recordOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.map(([name, value]) => [name.trim(), value] as const).filter(([name]) => name !== ''))
}
