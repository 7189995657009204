// Owns editing colours: a text input, and a swatch that opens the browser's picker where the notation is hexadecimal.

import type { FieldEditorProps } from '../field-type.ts'
import { exampleColor, pickerColor, readColor } from '../color-text.ts'
import { useInitialFocus } from './use-initial-focus.ts'

/** The text with its swatch; Alt+Down opens the picker. */
export function ColorEditor({ field, label, draft, onDraft, invalid, describedBy, autoFocus }: FieldEditorProps) {
  const control = useInitialFocus<HTMLInputElement>(autoFocus)
  const canPick = (field.colorFormat ?? 'hex') === 'hex'
  const swatch = readColor(draft, field)
  return (
    <span className="field-picker">
      {canPick ? (
        <input
          className="field-swatch"
          type="color"
          tabIndex={-1}
          aria-label={label}
          value={pickerColor(draft) || '#ffffff'}
          onChange={(event) => onDraft(event.currentTarget.value)}
        />
      ) : (
        <span className="field-swatch" aria-hidden style={swatch === null ? undefined : { background: swatch }} />
      )}
      <input
        ref={control}
        className="field-input field-mono"
        type="text"
        aria-label={label}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        placeholder={field.placeholder ?? exampleColor(field)}
        autoComplete="off"
        spellCheck={false}
        value={draft}
        onChange={(event) => onDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!event.altKey || event.key !== 'ArrowDown' || !canPick) return
          event.preventDefault()
          const picker = event.currentTarget.previousElementSibling
          if (picker instanceof HTMLInputElement) picker.showPicker()
        }}
      />
    </span>
  )
}
