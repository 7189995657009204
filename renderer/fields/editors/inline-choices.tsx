// Owns choosing among a few options that are all in sight: radio buttons for one, check boxes for several.

import { useId } from 'react'
import type { FieldEditorProps } from '../field-type.ts'
import { listToText, parseList } from '../list-text.ts'
import { offeredOptions, optionByText, optionLabel } from '../options.ts'
import { useElementFocus } from './use-element-focus.ts'

/** One of the options; the stored one is shown as well when it is no longer offered. */
export function RadioButtons(props: FieldEditorProps) {
  return <InlineChoices {...props} many={false} />
}

/** Several of the options. */
export function CheckBoxes(props: FieldEditorProps) {
  return <InlineChoices {...props} many />
}

function InlineChoices(props: FieldEditorProps & { many: boolean }) {
  const { many, field, context, label, draft, onDraft, invalid, describedBy, autoFocus } = props
  const id = useId()
  const group = useElementFocus<HTMLSpanElement>(autoFocus)
  const words = many ? parseList(draft) : draft === '' ? [] : [draft]
  const chosen = words.map((word) => optionByText(field, word)?.value ?? word)
  const offered = offeredOptions(field)
  const kept = chosen
    .filter((value) => !offered.some((option) => option.value === value))
    .map((value) => optionByText(field, value) ?? { value })

  const toggle = (value: string, on: boolean): void => {
    if (!many) return onDraft(value)
    const rest = chosen.filter((other) => other !== value)
    onDraft(listToText(on ? [...rest, value] : rest))
  }
  const lines = [...offered, ...kept]
  return (
    <span
      ref={group}
      role={many ? 'group' : 'radiogroup'}
      className="field-inline-choices"
      aria-label={label}
      aria-invalid={many ? undefined : invalid || undefined}
      aria-describedby={describedBy}
    >
      {!many && !field.required && (
        <label className="field-inline-choice">
          <input type="radio" name={id} value="" checked={chosen.length === 0} onChange={() => onDraft('')} />
          {context.translate('field.none')}
        </label>
      )}
      {lines.map((option) => (
        <label key={option.value} className="field-inline-choice">
          <input
            type={many ? 'checkbox' : 'radio'}
            name={id}
            value={option.value}
            checked={chosen.includes(option.value)}
            onChange={(event) => toggle(option.value, event.currentTarget.checked)}
          />
          {optionLabel(option)}
        </label>
      ))}
    </span>
  )
}
