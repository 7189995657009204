// Owns editing groups of values in place: an editor per inner field, and rows of them. The draft is JSON of their texts.

import type { ComponentType, KeyboardEvent, ReactNode } from 'react'
import { fieldLabel } from '../field-definition.ts'
import type { FieldDefinition } from '../field-definition.ts'
import type { FieldContext, FieldEditorProps } from '../field-type.ts'
import { groupTexts, innerFields, readJson } from '../group-text.ts'
import type { TypeOf } from '../group-text.ts'

/** Makes the editor of one group. */
export function createGroupEditor(typeOf: TypeOf): ComponentType<FieldEditorProps> {
  return function GroupEditor(props) {
    const { field, context, label, draft } = props
    return (
      <Frame label={label} describedBy={props.describedBy}>
        <Parts
          typeOf={typeOf}
          field={field}
          context={context}
          label={label}
          texts={groupTexts(typeOf, field, readJson(draft), context)}
          autoFocus={props.autoFocus}
          onChange={(texts) => props.onDraft(isBlank(texts) ? '' : JSON.stringify(texts))}
        />
      </Frame>
    )
  }
}

/** Makes the editor of rows of groups. */
export function createRowsEditor(typeOf: TypeOf): ComponentType<FieldEditorProps> {
  return function RowsEditor(props) {
    const { field, context, label, draft } = props
    const read = readJson(draft)
    const rows = Array.isArray(read) ? read.map((row) => groupTexts(typeOf, field, row, context)) : []
    const write = (next: readonly Record<string, string>[]): void =>
      props.onDraft(next.length === 0 ? '' : JSON.stringify(next))
    const blank = groupTexts(typeOf, field, {}, context)
    return (
      <Frame label={label} describedBy={props.describedBy}>
        {rows.map((texts, index) => (
          <div key={index} className="field-group-row">
            <Parts
              typeOf={typeOf}
              field={field}
              context={context}
              label={context.translate('field.rowLabel', { label, row: index + 1 })}
              texts={texts}
              autoFocus={props.autoFocus === true && index === 0}
              onChange={(next) => write(rows.map((row, at) => (at === index ? next : row)))}
            />
            <button
              type="button"
              className="field-button"
              aria-label={context.translate('field.removeRow', { row: index + 1 })}
              onClick={() => write(rows.filter((_, at) => at !== index))}
            >
              ×
            </button>
          </div>
        ))}
        <button
          type="button"
          className="field-button"
          autoFocus={props.autoFocus === true && rows.length === 0}
          onClick={() => write([...rows, blank])}
        >
          {context.translate('field.addRow')}
        </button>
      </Frame>
    )
  }
}

const isBlank = (texts: Record<string, string>): boolean => Object.values(texts).every((text) => text.trim() === '')

/** Tab moves among the controls inside before it leaves the cell; Enter on a button presses it. */
function Frame(props: { label: string; describedBy: string | undefined; children: ReactNode }): ReactNode {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const target = event.target as HTMLElement
    if (event.key === 'Enter' && target.tagName === 'BUTTON') event.stopPropagation()
    if (event.key !== 'Tab' || event.defaultPrevented) return
    const controls = [
      ...event.currentTarget.querySelectorAll<HTMLElement>('input, select, textarea, button, [tabindex]'),
    ].filter((control) => control.tabIndex >= 0)
    const next = controls[controls.indexOf(target) + (event.shiftKey ? -1 : 1)]
    if (next) event.stopPropagation()
  }
  return (
    <span
      role="group"
      aria-label={props.label}
      aria-describedby={props.describedBy}
      className="field-group"
      onKeyDown={onKeyDown}
    >
      {props.children}
    </span>
  )
}

function Parts(props: {
  typeOf: TypeOf
  field: FieldDefinition
  context: FieldContext
  label: string
  texts: Record<string, string>
  autoFocus: boolean | undefined
  onChange: (texts: Record<string, string>) => void
}): ReactNode {
  return innerFields(props.field).map((inner, index) => {
    const { Editor } = props.typeOf(inner)
    const set = (text: string): void => props.onChange({ ...props.texts, [inner.name]: text })
    return (
      <span key={inner.name} className="field-group-part">
        <span className="field-group-label" aria-hidden>
          {fieldLabel(inner)}
        </span>
        <span className="field-group-control">
          <Editor
            field={inner}
            context={props.context}
            label={`${props.label}: ${fieldLabel(inner)}`}
            draft={props.texts[inner.name] ?? ''}
            value={null}
            invalid={false}
            autoFocus={props.autoFocus === true && index === 0}
            onDraft={set}
            onDone={set}
          />
        </span>
      </span>
    )
  })
}
