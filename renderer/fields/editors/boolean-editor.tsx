// Owns editing yes or no in forms; grids flip the value without an editor.

import type { FieldEditorProps } from '../field-type.ts'
import { useInitialFocus } from './use-initial-focus.ts'

/** A check box; a toggle is a switch. */
export function BooleanEditor({ field, label, draft, onDraft, invalid, describedBy, autoFocus }: FieldEditorProps) {
  const control = useInitialFocus<HTMLInputElement>(autoFocus)
  return (
    <input
      ref={control}
      className={field.type === 'toggle' ? 'field-checkbox field-switch' : 'field-checkbox'}
      type="checkbox"
      role={field.type === 'toggle' ? 'switch' : undefined}
      aria-label={label}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      checked={draft.trim().toUpperCase() === 'TRUE'}
      onChange={(event) => onDraft(event.currentTarget.checked ? 'TRUE' : 'FALSE')}
    />
  )
}
