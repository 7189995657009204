// Owns how values of file fields are read and written as text: JSON of what records name files by.
import type { FieldDefinition } from './field-definition.ts'

/** A file as a record names it; of one that was named by its id alone, only that is known at first. */
export interface FileValue {
  fileId: string
  name: string
  mimeType: string
  size: number
}

/** The files of a value, whether it is one or several; what is none is left out. */
export function filesIn(value: unknown): FileValue[] {
  const files: readonly unknown[] = Array.isArray(value) ? value : [value]
  return files.flatMap((file) => {
    if (typeof file === 'string' && file !== '') return [{ fileId: file, name: file, mimeType: '', size: 0 }]
    if (typeof file !== 'object' || file === null || !('fileId' in file)) return []
    const { fileId, name, mimeType, size } = file as Record<string, unknown>
    const id = typeof fileId === 'string' ? fileId : ''
    return [
      {
        fileId: id,
        name: typeof name === 'string' ? name : id,
        mimeType: typeof mimeType === 'string' ? mimeType : '',
        size: typeof size === 'number' ? size : 0,
      },
    ]
  })
}

/** The text an editor works with; empty for no files. */
export function filesToText(files: readonly FileValue[]): string {
  return files.length === 0 ? '' : JSON.stringify(files)
}

/** The value of a text; undefined for one that names no files. */
export function filesFromText(text: string, field: FieldDefinition): unknown {
  if (text.trim() === '') return null
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return undefined
  }
  const files = filesIn(read)
  if (files.length === 0 || files.some(({ fileId }) => fileId === '')) return undefined
  return field.multiple === true ? files : files[0]
}

/** What the dialog of the system offers first for a field. */
export function acceptOf(field: FieldDefinition): string | undefined {
  const kinds: Readonly<Record<string, string>> = {
    image: 'image/*',
    avatar: 'image/*',
    signature: 'image/*',
    video: 'video/*',
    audio: 'audio/*',
  }
  const config = field['fileAttachmentConfig'] as { allowedTypes?: string[]; allowedMimeTypes?: string[] } | undefined
  const endings = config?.allowedTypes?.map((type) => (type.startsWith('.') ? type : `.${type}`))
  const listed = [...(endings ?? []), ...(config?.allowedMimeTypes ?? [])]
  return listed.length > 0 ? listed.join(',') : kinds[field.type]
}
