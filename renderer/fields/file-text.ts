// Owns how values of file fields are read and written as text: JSON of what records name files by.
import type { FieldDefinition } from './field-definition.ts'

/** A file as a record names it: its id, and what is known of it. */
export interface NamedFile {
  fileId: string
  name?: string
  mimeType?: string
  size?: number
}

/** Ids as the host writes them. */
const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A file with a word for everything that is shown of it. */
export type ShownFile = Required<NamedFile>

/** The files of a value, whether it is one or several; what is none is left out. */
export function filesIn(value: unknown): NamedFile[] {
  const files: readonly unknown[] = Array.isArray(value) ? value : [value]
  return files.flatMap((file) => {
    if (typeof file === 'string' && file !== '') return [{ fileId: file }]
    if (typeof file !== 'object' || file === null || !('fileId' in file)) return []
    const { fileId, name, mimeType, size } = file as Record<string, unknown>
    if (typeof fileId !== 'string' || fileId === '') return []
    return [
      {
        fileId,
        ...(typeof name === 'string' ? { name } : {}),
        ...(typeof mimeType === 'string' ? { mimeType } : {}),
        ...(typeof size === 'number' ? { size } : {}),
      },
    ]
  })
}

/** A file of which little is known is called by its id. */
export function shownFile({ fileId, name = fileId, mimeType = '', size = 0 }: NamedFile): ShownFile {
  return { fileId, name, mimeType, size }
}

/** The text an editor works with; empty for no files. */
export function filesToText(files: readonly NamedFile[], field: FieldDefinition): string {
  if (files.length === 0) return ''
  return JSON.stringify(field.multiple === true ? files : files[0])
}

/** The value of a text; undefined for one that names no files. */
export function filesFromText(text: string, field: FieldDefinition): unknown {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return undefined
  }
  const files = filesIn(read)
  const isWhole =
    files.length > 0 &&
    files.length === (Array.isArray(read) ? read.length : 1) &&
    files.every(({ fileId }) => idForm.test(fileId))
  if (!isWhole) return undefined
  return field.multiple === true ? files : files.length === 1 ? files[0] : undefined
}

/** What the dialog of the system offers first for a field; undefined for everything. */
export function acceptOf(field: FieldDefinition): string | undefined {
  const config = field['fileAttachmentConfig'] as { allowedTypes?: string[]; allowedMimeTypes?: string[] } | undefined
  const endings = config?.allowedTypes?.map((type) => (type.startsWith('.') ? type : `.${type}`))
  const listed = [...(endings ?? []), ...(config?.allowedMimeTypes ?? [])]
  return listed.length > 0 ? listed.join(',') : kinds[field.type]
}

const kinds: Readonly<Record<string, string>> = {
  image: 'image/*',
  avatar: 'image/*',
  signature: 'image/*',
  video: 'video/*',
  audio: 'audio/*',
}
