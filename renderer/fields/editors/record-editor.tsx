// Owns editing links to any record: first the object, then the record, found by its text. The draft is `object/id`.

import { useState } from 'react'
import type { KeyboardEvent } from 'react'
import type { FieldEditorProps } from '../field-type.ts'
import { createListEditor } from './list-editor.tsx'
import { TextEditor } from './text-editor.tsx'

const RecordList = createListEditor({ records: true })

/** Both choices side by side; without a list of objects, or without a search, the link is typed. */
export function RecordEditor(props: FieldEditorProps) {
  const { field, context, label, draft } = props
  const objects = Array.isArray(field.references) ? (field.references as readonly string[]) : []
  const slash = draft.indexOf('/')
  const [object, setObject] = useState(slash > 0 ? draft.slice(0, slash) : (objects[0] ?? ''))
  if (objects.length === 0 || !context.searchRecords) return <TextEditor {...props} />
  const id = slash > 0 ? draft.slice(slash + 1) : ''
  const link = (text: string): string => (text === '' ? '' : `${object}/${text}`)
  const stay = (event: KeyboardEvent): void => {
    // From the object to the record: still inside of the cell.
    if (event.key === 'Tab' && !event.shiftKey) event.stopPropagation()
  }
  return (
    <span className="field-record">
      <select
        className="field-select"
        aria-label={`${label}: ${context.translate('field.chooseObject')}`}
        value={object}
        onKeyDown={stay}
        onChange={(event) => {
          setObject(event.currentTarget.value)
          props.onDraft('')
        }}
      >
        {objects.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <RecordList
        {...props}
        key={object}
        field={{ ...field, type: 'lookup', reference: object, multiple: false }}
        draft={id}
        value={null}
        onDraft={(text) => props.onDraft(link(text))}
        onDone={(text) => props.onDone(link(text))}
      />
    </span>
  )
}
