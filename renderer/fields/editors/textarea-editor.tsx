// Owns editing several lines: long text, Markdown source, JSON.

import type { FieldEditorProps } from '../field-type.ts'
import { useInitialFocus } from './use-initial-focus.ts'

/** A text area; in a grid Enter keeps the text and Alt+Enter or Shift+Enter breaks the line. */
export function TextareaEditor({ field, label, draft, onDraft, invalid, describedBy, autoFocus }: FieldEditorProps) {
  const control = useInitialFocus<HTMLTextAreaElement>(autoFocus)
  const source = field.type === 'json' || field.type === 'code'
  return (
    <textarea
      ref={control}
      className={source ? 'field-input field-input-long field-mono' : 'field-input field-input-long'}
      aria-label={label}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      placeholder={field.placeholder}
      spellCheck={!source}
      rows={5}
      value={draft}
      onChange={(event) => onDraft(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.altKey || event.shiftKey) || event.nativeEvent.isComposing) return
        event.preventDefault()
        const area = event.currentTarget
        area.setRangeText('\n', area.selectionStart, area.selectionEnd, 'end')
        onDraft(area.value)
      }}
    />
  )
}
