// Owns showing attached files by name; they are written by uploading, not by typing. @source D-94 file, image

import { IconPaperclip } from '@tabler/icons-react'
import { TextEditor } from '../editors/text-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { fileSettings } from '../settings.ts'
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
  group: 'file',
  label: 'File',
  hint: 'Attached files. Uploading comes with file storage; until then names only.',
  settings: fileSettings,
  withoutDefault: true,
  withoutUnique: true,
  namedByHost: true,
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

/** Pictures. */
export const imageField: FieldType = {
  ...fileField,
  label: 'Image',
  hint: 'Pictures. Uploading comes with file storage; until then names only.',
}

/** One small picture. */
export const avatarField: FieldType = {
  ...fileField,
  label: 'Portrait',
  hint: 'One small picture. Uploading comes with file storage.',
  namedByHost: undefined,
}

/** Films. */
export const videoField: FieldType = {
  ...fileField,
  label: 'Video',
  hint: 'Films. Uploading comes with file storage.',
  namedByHost: undefined,
}

/** Sound. */
export const audioField: FieldType = {
  ...fileField,
  label: 'Audio',
  hint: 'Sound. Uploading comes with file storage.',
  namedByHost: undefined,
}

/** A signature as a picture. */
export const signatureField: FieldType = {
  ...fileField,
  label: 'Signature',
  hint: 'A signature as a picture. Uploading comes with file storage.',
  namedByHost: undefined,
}
