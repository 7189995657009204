// Owns editing on one line: text, e-mail, address, phone.

import type { FieldEditorProps } from '../field-type.ts'
import { useInitialFocus } from './use-initial-focus.ts'

const inputModes: Record<string, 'email' | 'url' | 'tel' | undefined> = { email: 'email', url: 'url', phone: 'tel' }

/** A plain text input. */
export function TextEditor({ field, label, draft, onDraft, invalid, describedBy, autoFocus }: FieldEditorProps) {
  const control = useInitialFocus<HTMLInputElement>(autoFocus)
  return (
    <input
      ref={control}
      className="field-input"
      type="text"
      inputMode={inputModes[field.type] ?? 'text'}
      aria-label={label}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      placeholder={field.placeholder}
      spellCheck={field.type === 'text'}
      autoComplete="off"
      value={draft}
      onChange={(event) => onDraft(event.currentTarget.value)}
    />
  )
}
