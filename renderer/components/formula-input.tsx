// Owns typing a CEL expression: its text with names that complete it, a list of fields to insert, the host's word on it.
import { NativeSelect } from '@mantine/core'
import { useRef } from 'react'
import { placeCaret } from '../lib/place-caret.ts'
import { t } from '../lib/strings.ts'
import type { ExpressionName } from './complete-expression.ts'
import { ExpressionField } from './expression-field.tsx'
import classes from './formula-input.module.css'

/** The expression; `fields` are offered for insertion at the caret, `names` while typing. */
export function FormulaInput(props: {
  label: string
  help: string
  value: string
  fields: readonly { name: string; label: string }[]
  /** What it may name; the fields of the record where it is left out. */
  names?: readonly ExpressionName[]
  problem: string | undefined
  /** What the host said when there is no problem. */
  note?: string
  onChange: (source: string) => void
}) {
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = (name: string): void => {
    const element = area.current
    const from = element?.selectionStart ?? props.value.length
    const to = element?.selectionEnd ?? from
    const text = `record.${name}`
    placeCaret(element, from + text.length, () =>
      props.onChange(props.value.slice(0, from) + text + props.value.slice(to)),
    )
  }
  return (
    <div className={classes.formula}>
      <ExpressionField
        elementRef={area}
        label={props.label}
        description={props.help}
        lines={{ min: 2 }}
        isMonospace
        names={props.names ?? props.fields.map(({ name, label }) => ({ text: `record.${name}`, label }))}
        value={props.value}
        error={props.problem}
        onChange={props.onChange}
      />
      <div className={classes.formulaEnd}>
        <NativeSelect
          size="xs"
          aria-label={t('setting.expression.fields')}
          value=""
          data={[
            { value: '', label: t('setting.expression.fields') },
            ...props.fields.map(({ name, label }) => ({ value: name, label })),
          ]}
          onChange={(event) => event.currentTarget.value !== '' && insert(event.currentTarget.value)}
        />
        <p className={classes.note} role="status">
          {props.problem ? '' : props.note}
        </p>
      </div>
    </div>
  )
}
