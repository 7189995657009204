// Owns choosing a number on a scale: the scale, and a text input beside it that takes what people type.

import type { FieldEditorProps } from '../field-type.ts'
import { numberToText, parseNumber } from '../number-text.ts'
import { scaleOf } from '../scale.ts'
import { useInitialFocus } from './use-initial-focus.ts'

/** A text input with the scale behind it; the arrow keys of the input move the scale. */
export function SliderEditor(props: FieldEditorProps) {
  const { field, context, label, draft, onDraft, invalid, describedBy, autoFocus } = props
  const control = useInitialFocus<HTMLInputElement>(autoFocus)
  const { min, max, step } = scaleOf(field)
  return (
    <span className="field-slider">
      <input
        ref={control}
        className="field-input field-input-number"
        type="text"
        inputMode="decimal"
        aria-label={label}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        placeholder={field.placeholder ?? `${min}–${max}`}
        autoComplete="off"
        value={draft}
        onChange={(event) => onDraft(event.currentTarget.value)}
      />
      <input
        type="range"
        aria-label={label}
        min={min}
        max={max}
        step={step}
        value={parseNumber(draft, context.locale) ?? min}
        onChange={(event) => onDraft(numberToText(Number(event.currentTarget.value), context.locale))}
        onKeyDown={(event) => {
          // Tab from the number to the scale stays inside of the editor of a cell.
          if (event.key === 'Tab' && event.shiftKey) event.stopPropagation()
        }}
      />
    </span>
  )
}
