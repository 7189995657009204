// Owns fields that hold files: shown by name, chosen and dropped in an editor of their own. @source D-94 file, image

import { IconPaperclip } from '@tabler/icons-react'
import { FileEditor } from '../editors/file-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { filesFromText, filesIn, filesToText, shownFile } from '../file-text.ts'
import { fileSettings } from '../settings.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, refused } from '../parse-result.ts'
import { textOf } from '../text-rules.ts'
import { previewKindOf } from '../../lib/file-bytes.ts'
import { t } from '../../lib/strings.ts'

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
  label: t('fieldType.file'),
  hint: t('fieldType.file.hint'),
  settings: fileSettings,
  withoutDefault: true,
  withoutUnique: true,
  files: true,
  icon: IconPaperclip,
  format: (value) => fileNames(value).join(', '),
  cellClass: () => 'field-chips',
  chips: (value) =>
    filesIn(value)
      .map(shownFile)
      .map((file) => ({
        text: file.name,
        className: 'field-hue-none',
        ...(previewKindOf(file.mimeType) === 'image' ? { picture: file } : {}),
      })),
  toText: (value, field) => filesToText(filesIn(value), field),
  copyText: (value) => fileNames(value).join(', '),
  parse: blankIsNull((text, field, context) => {
    const value = filesFromText(text, field)
    return value === undefined ? refused(context, 'field.file') : parsed(value)
  }),
  tall: true,
  operators: () => operatorClasses.none,
  Editor: FileEditor,
}

/** Pictures. */
export const imageField: FieldType = {
  ...fileField,
  label: t('fieldType.image'),
  hint: t('fieldType.image.hint'),
}

/** One small picture. */
export const avatarField: FieldType = {
  ...fileField,
  label: t('fieldType.avatar'),
  hint: t('fieldType.avatar.hint'),
}

/** Films. */
export const videoField: FieldType = {
  ...fileField,
  label: t('fieldType.video'),
  hint: t('fieldType.video.hint'),
}

/** Sound. */
export const audioField: FieldType = {
  ...fileField,
  label: t('fieldType.audio'),
  hint: t('fieldType.audio.hint'),
}

/** A signature as a picture. */
export const signatureField: FieldType = {
  ...fileField,
  label: t('fieldType.signature'),
  hint: t('fieldType.signature.hint'),
}
