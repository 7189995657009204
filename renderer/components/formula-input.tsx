// Owns typing a CEL expression: its text, a list of fields to insert, the host's word on it.
import { NativeSelect, Textarea } from '@mantine/core'
import { useRef } from 'react'
import { t } from '../lib/strings.ts'
import classes from './formula-input.module.css'

/** The expression; `fields` are offered for insertion at the caret. */
export function FormulaInput(props: {
  label: string
  help: string
  value: string
  fields: readonly { name: string; label: string }[]
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
    props.onChange(props.value.slice(0, from) + text + props.value.slice(to))
    requestAnimationFrame(() => {
      element?.focus()
      element?.setSelectionRange(from + text.length, from + text.length)
    })
  }
  return (
    <div className={classes.formula}>
      <Textarea
        ref={area}
        label={props.label}
        description={props.help}
        autosize
        minRows={2}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={props.value}
        error={props.problem}
        onChange={(event) => props.onChange(event.currentTarget.value)}
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
