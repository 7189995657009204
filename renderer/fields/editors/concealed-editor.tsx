// Owns typing values that are not shown, and revealing a stored secret while its record is edited.

import { useState } from 'react'
import type { FieldEditorProps } from '../field-type.ts'
import { useInitialFocus } from './use-initial-focus.ts'

/** A password input; the stored secret is read from the host only when someone asks for it. */
export function ConcealedEditor(props: FieldEditorProps) {
  const { field, context, label, draft, recordId, value } = props
  const control = useInitialFocus<HTMLInputElement>(props.autoFocus)
  const [revealed, setRevealed] = useState<string | null>(null)
  const [failed, setFailed] = useState<string>()
  const { revealSecret, translate } = context
  const { object } = field
  const canReveal = field.type === 'secret' && value != null && revealSecret && object && recordId

  const reveal = async (): Promise<void> => {
    if (!revealSecret || !object || !recordId) return
    setFailed(undefined)
    try {
      setRevealed((await revealSecret(object, recordId, field.name)) ?? '')
    } catch (error) {
      setFailed(translate('field.revealFailed', { message: error instanceof Error ? error.message : String(error) }))
    }
  }
  return (
    <span className="field-concealed">
      <input
        ref={control}
        className="field-input"
        type="password"
        aria-label={label}
        aria-invalid={props.invalid || undefined}
        aria-describedby={props.describedBy}
        placeholder={translate(field.type === 'password' ? 'field.newPassword' : 'field.newSecret')}
        autoComplete="new-password"
        value={draft}
        onChange={(event) => props.onDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (canReveal && event.key === 'Tab' && !event.shiftKey) event.stopPropagation()
        }}
      />
      {canReveal && (
        <button
          type="button"
          className="field-button"
          onClick={() => (revealed === null ? void reveal() : setRevealed(null))}
          onKeyDown={(event) => {
            if (event.key === 'Enter' || (event.key === 'Tab' && event.shiftKey)) event.stopPropagation()
          }}
        >
          {translate(revealed === null ? 'field.reveal' : 'field.hide')}
        </button>
      )}
      {revealed !== null && <output className="field-revealed field-mono">{revealed}</output>}
      {failed && (
        <span role="alert" className="field-list-note">
          {failed}
        </span>
      )}
    </span>
  )
}
