// The field types of the file family: references to stored files. Here only their form is checked. What the storage plugin
// adds on write: that the file exists, is the caller's to attach and completely uploaded, and its true name, type and size
// in place of those the body named; then the limits below are asked again of the true ones.
import { z } from 'zod'
import type { FieldError } from '#shared/errors.ts'
import { countCodePoints, normalizeText } from './code-points.ts'
import type { FieldSchema, FileAttachmentConfig, FileReference } from './field-schema.ts'
import type { FieldType } from './field-type.ts'
import { parsed, problem } from './field-type.ts'
import { jsonFromColumn, jsonToColumn, splitList } from './list-values.ts'
import { parseUuid } from './uuid.ts'

const maxFiles = 100
const mimeForm = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/
const mimePattern = z.string().regex(/^(?:\*|[A-Za-z0-9][\w!#$&^.+-]*)\/(?:\*|[A-Za-z0-9][\w!#$&^.+-]*)$/)
const extension = z.string().regex(/^\.?[A-Za-z0-9]{1,20}$/)
const keys: ReadonlySet<string> = new Set(['fileId', 'name', 'mimeType', 'size'])

const attachmentConfig = z.looseObject({
  minSize: z.int().min(0).optional(),
  maxSize: z.int().min(0).optional(),
  allowedMimeTypes: z.array(mimePattern).min(1).optional(),
  blockedMimeTypes: z.array(mimePattern).optional(),
  allowedTypes: z.array(extension).min(1).optional(),
  blockedTypes: z.array(extension).optional(),
})

/**
 * What a field's limits say to a file, as far as its name, type and size are known; empty when nothing speaks against it.
 * @param kind the media kind of the type: `image`, `video`, `audio`, or null for any
 */
function fileProblems(path: string, file: FileReference, field: FieldSchema, kind: string | null): FieldError[] {
  const config: FileAttachmentConfig = field.settings.fileAttachmentConfig ?? {}
  const { name, mimeType, size } = file
  const errors: FieldError[] = []
  const refuse = (
    code: 'file_type_not_allowed' | 'file_too_large' | 'file_too_small',
    message: string,
    value: unknown,
    constraint: unknown,
  ) => errors.push(problem(path, code, message, value, constraint))
  if (mimeType !== undefined) {
    const matches = (pattern: string) => matchesMime(mimeType, pattern)
    if (kind !== null && !mimeType.startsWith(`${kind}/`)) {
      refuse('file_type_not_allowed', `The file is no ${kind}.`, mimeType, `${kind}/*`)
    } else if (config.allowedMimeTypes?.some(matches) === false || config.blockedMimeTypes?.some(matches) === true) {
      refuse('file_type_not_allowed', 'Files of this media type are not taken.', mimeType, config.allowedMimeTypes)
    }
  }
  if (name !== undefined) {
    const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
    const isListed = (type: string) => type.replace(/^\./, '').toLowerCase() === ending
    if (config.allowedTypes?.some(isListed) === false || config.blockedTypes?.some(isListed) === true) {
      refuse('file_type_not_allowed', 'Files of this name ending are not taken.', name, config.allowedTypes)
    }
  }
  if (size !== undefined && config.maxSize !== undefined && size > config.maxSize) {
    refuse('file_too_large', `The file has more than ${config.maxSize} bytes.`, size, config.maxSize)
  }
  if (size !== undefined && config.minSize !== undefined && size < config.minSize) {
    refuse('file_too_small', `The file has fewer than ${config.minSize} bytes.`, size, config.minSize)
  }
  return errors
}

function fileFamily(kind: string | null): FieldType {
  const readOne = (value: unknown, path: string, field: FieldSchema, errors: FieldError[]) => {
    const file = readReference(value, path, errors)
    if (file !== null) errors.push(...fileProblems(path, file, field, kind))
    return file
  }
  return {
    expressionType: 'map',
    storage: 'json',
    collation: 'binary',
    flags: { search: 'never', sortable: false, groupable: false, aggregatable: 'none' },
    settings: { fileAttachmentConfig: attachmentConfig.optional(), maxItems: z.int().min(1).max(maxFiles).optional() },
    canBeMultiple: true,
    file: true,
    judgeFile: (path, file, field) => fileProblems(path, file, field, kind),
    blankIsNull: true,
    sqlType: () => 'TEXT',
    operators: () => 'N',
    parse(value, field) {
      const errors: FieldError[] = []
      if (!field.multiple) {
        const file = readOne(value, field.name, field, errors)
        return errors.length > 0 ? { ok: false, errors } : parsed(file)
      }
      const most = field.settings.maxItems ?? maxFiles
      if (!Array.isArray(value)) {
        return { ok: false, errors: [problem(field.name, 'invalid_type', 'The value must be a list of files.', value)] }
      }
      if (value.length > most) {
        return {
          ok: false,
          errors: [problem(field.name, 'max_items', `The list has more than ${most} files.`, undefined, most)],
        }
      }
      const seen = new Set<string>()
      const files = value.map((item: unknown, index) => {
        const path = `${field.name}.${index}`
        const file = readOne(item, path, field, errors)
        if (file !== null && seen.has(file.fileId)) {
          errors.push(problem(path, 'duplicate_value', 'The file occurs twice in the list.', file.fileId))
        }
        if (file !== null) seen.add(file.fileId)
        return file
      })
      return errors.length > 0 ? { ok: false, errors } : parsed(files)
    },
    fromText(text, field) {
      const trimmed = text.trim()
      if (!trimmed.startsWith('{')) return field.multiple ? splitList(trimmed) : trimmed
      try {
        return JSON.parse(trimmed) as unknown
      } catch {
        return undefined
      }
    },
    toColumn: jsonToColumn,
    fromColumn: jsonFromColumn,
    coerceOperand: () => ({ ok: false, reason: 'A file is not compared.' }),
    jsonSchema(field) {
      const reference = {
        type: 'object',
        properties: {
          fileId: { type: 'string' },
          name: { type: 'string' },
          mimeType: { type: 'string' },
          size: { type: 'integer', minimum: 0 },
        },
        required: ['fileId'],
        additionalProperties: false,
      }
      return field.multiple
        ? { type: 'array', items: reference, maxItems: field.settings.maxItems ?? maxFiles }
        : reference
    },
  }
}

/** A reference of the right form, or null after reporting what is wrong. Null members count as absent. */
function readReference(value: unknown, path: string, errors: FieldError[]): FileReference | null {
  const before = errors.length
  const given = (typeof value === 'string' ? { fileId: value } : value) as Record<string, unknown> | null
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    errors.push(
      problem(path, 'invalid_reference', 'The value must be a file id or {fileId, name, mimeType, size}.', value),
    )
    return null
  }
  for (const key of Object.keys(given)) {
    if (!keys.has(key)) errors.push(problem(`${path}.${key}`, 'unknown_field', 'A file has no such part.', given[key]))
  }
  const fileId = parseUuid(given['fileId'])
  if (fileId === null) {
    const place = typeof value === 'string' ? path : `${path}.fileId`
    errors.push(problem(place, 'invalid_reference', 'The value is not a file id.', given['fileId']))
  }
  const { name, mimeType, size } = given
  const file: { fileId: string; name?: string; mimeType?: string; size?: number } = { fileId: fileId ?? '' }
  if (name !== undefined && name !== null) {
    const text = typeof name === 'string' ? normalizeText(name) : ''
    if (text === '' || text.includes('\0') || countCodePoints(text) > 255) {
      errors.push(problem(`${path}.name`, 'invalid_format', 'A file name has 1 to 255 characters.', name))
    } else file.name = text
  }
  if (mimeType !== undefined && mimeType !== null) {
    const text = typeof mimeType === 'string' ? mimeType.toLowerCase() : ''
    if (!mimeForm.test(text) || text.length > 255) {
      errors.push(problem(`${path}.mimeType`, 'invalid_format', 'A media type is written type/subtype.', mimeType))
    } else file.mimeType = text
  }
  if (size !== undefined && size !== null) {
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
      errors.push(problem(`${path}.size`, 'invalid_number', 'A size is a whole number of bytes.', size))
    } else file.size = size
  }
  return errors.length > before ? null : file
}

function matchesMime(mimeType: string, pattern: string): boolean {
  const [type, subtype] = pattern.toLowerCase().split('/')
  const [givenType, givenSubtype] = mimeType.split('/')
  return (type === '*' || type === givenType) && (subtype === '*' || subtype === givenSubtype)
}

/** Any file, or several. @source D-94 */
export const fileType: FieldType = fileFamily(null)

/** An image: `image`, `avatar` and `signature` take media types `image/*`. @source D-94 */
export const imageType: FieldType = fileFamily('image')

/** A signature; too wide for a column. @source D-94 */
export const signatureType: FieldType = { ...imageType, listRank: null }

/** A video, of media type `video/*`. @source D-94 */
export const videoType: FieldType = fileFamily('video')

/** A sound, of media type `audio/*`. @source D-94 */
export const audioType: FieldType = fileFamily('audio')
