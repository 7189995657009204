// Owns editing days, times and date-times: a text input that takes what people type, with the browser's picker beside it.
// Native date inputs alone would refuse pasted text and lose what they cannot read.

import { useRef } from 'react'
import type { ComponentType } from 'react'
import { exampleDay } from '../date-text.ts'
import type { FieldContext, FieldEditorProps } from '../field-type.ts'
import { useInitialFocus } from './use-initial-focus.ts'

/** Native picker that goes with the text. */
export type PickerKind = 'date' | 'datetime-local' | 'time'

/** How one is typed, in the reader's order. */
function exampleOf(kind: PickerKind, locale: string): string {
  const day = kind === 'time' ? '' : exampleDay(locale)
  return kind === 'date' ? day : `${day} 14:30`.trim()
}

/**
 * Makes the editor of a type: `toPicker` turns typed text into the native picker's form, or empty text when it cannot
 * be read yet. Alt+Down opens the picker.
 */
export function createPickerEditor(
  kind: PickerKind,
  toPicker: (draft: string, context: FieldContext) => string,
): ComponentType<FieldEditorProps> {
  return function PickerEditor(props) {
    const { field, context, label, draft, onDraft, invalid, describedBy, autoFocus } = props
    const control = useInitialFocus<HTMLInputElement>(autoFocus)
    const picker = useRef<HTMLInputElement>(null)
    return (
      <span className="field-picker">
        <input
          ref={control}
          className="field-input"
          type="text"
          aria-label={label}
          aria-invalid={invalid || undefined}
          aria-describedby={describedBy}
          placeholder={field.placeholder ?? exampleOf(kind, context.locale)}
          autoComplete="off"
          value={draft}
          onChange={(event) => onDraft(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (!event.altKey || event.key !== 'ArrowDown') return
            event.preventDefault()
            picker.current?.showPicker()
          }}
        />
        <input
          ref={picker}
          className="field-picker-button"
          type={kind}
          tabIndex={-1}
          aria-label={label}
          value={toPicker(draft, context)}
          onChange={(event) => {
            onDraft(event.currentTarget.value.replace('T', ' '))
            control.current?.focus()
          }}
        />
      </span>
    )
  }
}
