// Owns showing attached files by name; they are written by uploading, not by typing. @source D-94 file, image

import { IconPaperclip } from '@tabler/icons-react'
import { TextEditor } from '../editors/text-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { operatorClasses } from '../operators.ts'
import { refused } from '../parse-result.ts'
import { textOf } from '../text-rules.ts'

function fileNames(value: unknown): string[] {
  if (value == null) return []
  const files: readonly unknown[] = Array.isArray(value) ? value : [value]
  return files.map((file) => {
    if (typeof file !== 'object' || file === null) return textOf(file)
    const { name, fileId } = file as { name?: unknown; fileId?: unknown }
    return textOf(name ?? fileId)
  })
}

/** File references, shown as chips. */
export const fileField: FieldType = {
  types: ['file', 'image', 'avatar', 'video', 'audio', 'signature'],
  icon: IconPaperclip,
  format: (value) => fileNames(value).join(', '),
  cellClass: () => 'field-chips',
  chips: (value) => fileNames(value).map((text) => ({ text, className: 'field-hue-none' })),
  toText: (value) => fileNames(value).join(', '),
  parse: (_text, _field, context) => refused(context, 'field.file'),
  computed: true,
  operators: () => operatorClasses.none,
  Editor: TextEditor,
}
