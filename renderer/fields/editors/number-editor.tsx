// Owns editing numbers: a text input, because number inputs drop what they cannot read and ignore the locale.

import type { FieldEditorProps } from '../field-type.ts'
import { useInitialFocus } from './use-initial-focus.ts'

/** A text input with a decimal keypad, aligned like the numbers in its column. */
export function NumberEditor({ field, label, draft, onDraft, invalid, describedBy, autoFocus }: FieldEditorProps) {
  const control = useInitialFocus<HTMLInputElement>(autoFocus)
  return (
    <input
      ref={control}
      className="field-input field-input-number"
      type="text"
      inputMode="decimal"
      aria-label={label}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      placeholder={field.placeholder}
      autoComplete="off"
      value={draft}
      onChange={(event) => onDraft(event.currentTarget.value)}
    />
  )
}
