// Owns editing addresses: a group with one line per part.

import { addressParts } from '../address-parts.ts'
import type { FieldEditorProps } from '../field-type.ts'
import { createGroupEditor } from './group-editor.tsx'
import { TextEditor } from './text-editor.tsx'
import { textField } from '../types/text.ts'

const Parts = createGroupEditor(() => ({ ...textField, Editor: TextEditor }))

/** The group; an address that was written in one piece stands in its last part. */
export function AddressEditor(props: FieldEditorProps) {
  const { translate } = props.context
  const fields = Object.fromEntries(
    addressParts.map((part) => [part, { type: 'text', label: translate(`address.${part}`) }]),
  )
  const typed = props.draft.trim()
  const draft = typed === '' || typed.startsWith('{') ? typed : JSON.stringify({ formatted: typed })
  return <Parts {...props} draft={draft} field={{ ...props.field, fields }} />
}
