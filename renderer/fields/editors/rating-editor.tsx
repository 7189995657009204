// Owns choosing a number of stars: by pointer, by arrows, by typing the digit; Delete clears.

import type { KeyboardEvent } from 'react'
import type { FieldEditorProps } from '../field-type.ts'
import { numberToText, parseNumber } from '../number-text.ts'
import { nextOnScale, scaleOf, starsText } from '../scale.ts'
import { useElementFocus } from './use-element-focus.ts'

/** Stars as one slider; the star that is chosen already takes the value back. */
export function RatingEditor({
  field,
  context,
  label,
  draft,
  onDraft,
  invalid,
  describedBy,
  autoFocus,
}: FieldEditorProps) {
  const slider = useElementFocus<HTMLSpanElement>(autoFocus)
  const { min, max } = scaleOf(field)
  const value = parseNumber(draft, context.locale)
  const shown = value === null ? '' : `${value} / ${max}`

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key]
    const digit = /^[0-9]$/.test(event.key) ? Number(event.key) : undefined
    if (step !== undefined) onDraft(numberToText(nextOnScale(value, step, field), context.locale))
    else if (event.key === 'Home') onDraft(String(min))
    else if (event.key === 'End') onDraft(String(max))
    else if (digit !== undefined && digit <= max) onDraft(String(digit))
    else if (event.key === 'Delete' || event.key === 'Backspace') onDraft('')
    else return
    event.preventDefault()
  }

  return (
    <span
      ref={slider}
      role="slider"
      tabIndex={0}
      className="field-rating"
      aria-label={label}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={value ?? min}
      aria-valuetext={shown === '' ? '–' : shown}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      onKeyDown={onKeyDown}
    >
      {max <= 10 ? (
        Array.from({ length: max }, (_, index) => (
          <span
            key={index}
            aria-hidden
            className="field-star"
            data-on={(value !== null && value > index) || undefined}
            onClick={() => onDraft(value === index + 1 ? '' : String(index + 1))}
          >
            {value !== null && value > index ? (value - index < 1 ? '⯪' : '★') : '☆'}
          </span>
        ))
      ) : (
        <span aria-hidden>{value === null ? `– / ${max}` : starsText(value, field)}</span>
      )}
      <span className="field-rating-text" aria-hidden>
        {shown}
      </span>
    </span>
  )
}
