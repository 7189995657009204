// The field type `record`: a link to a record of any object. Whether the target exists is the caller's question.
import { z } from 'zod'
import { namePattern } from '#shared/object-names.ts'
import type { FieldSchema } from './field-schema.ts'
import type { FieldType } from './field-type.ts'
import { parsed, problem, refused } from './field-type.ts'
import { jsonFromColumn } from './list-values.ts'
import { parseUuid } from './uuid.ts'

/** The value of a record field. */
export interface RecordLink {
  readonly object: string
  readonly id: string
}

/** The one text a link is stored as, so that equal links are equal texts. */
export function recordLinkText({ object, id }: RecordLink): string {
  return JSON.stringify({ object, id })
}

/** Reads `{object, id}` or the text `object/id`; null for anything else. */
export function readRecordLink(value: unknown): RecordLink | null {
  const given = typeof value === 'string' ? splitLink(value) : value
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null
  const { object, id } = given as { object?: unknown; id?: unknown }
  const uuid = parseUuid(id)
  return typeof object === 'string' && namePattern.test(object) && uuid !== null ? { object, id: uuid } : null
}

/** A link of the form `{object, id}`; in filters also `object/id`. `references` limits the objects. @source D-94 */
export const recordType: FieldType = {
  listRank: 1,
  expressionType: 'map',
  outerOnly: true,
  storage: 'json',
  collation: 'binary',
  flags: { search: 'never', sortable: false, groupable: true, aggregatable: 'none' },
  settings: { references: z.array(z.string().regex(namePattern)).min(1).max(100).optional() },
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'E',
  parse(value, field) {
    const link = typeof value === 'object' ? readRecordLink(value) : null
    if (link === null) return refused(field, 'invalid_reference', 'The value must be {object, id}.', value)
    const extra = Object.keys(value as object).find((key) => key !== 'object' && key !== 'id')
    if (extra !== undefined) {
      return {
        ok: false,
        errors: [problem(`${field.name}.${extra}`, 'unknown_field', 'A link has object and id.', extra)],
      }
    }
    if (!isPermitted(field, link.object)) {
      const message = 'The field does not link to this object.'
      return {
        ok: false,
        errors: [problem(`${field.name}.object`, 'not_allowed', message, link.object, field.settings.references)],
      }
    }
    return parsed(link)
  },
  fromText(text) {
    const trimmed = text.trim()
    if (!trimmed.startsWith('{')) return readRecordLink(trimmed) ?? undefined
    try {
      return JSON.parse(trimmed) as unknown
    } catch {
      return undefined
    }
  },
  toColumn: (value) => (value === null ? null : recordLinkText(value as RecordLink)),
  fromColumn: jsonFromColumn,
  coerceOperand(value) {
    const link = readRecordLink(value)
    return link === null
      ? { ok: false, reason: 'The operand must be {object, id} or "object/id".' }
      : { ok: true, value: recordLinkText(link) }
  },
  jsonSchema(field) {
    const { references } = field.settings
    const object = references === undefined ? { type: 'string', pattern: namePattern.source } : { enum: references }
    return {
      type: 'object',
      properties: { object, id: { type: 'string' } },
      required: ['object', 'id'],
      additionalProperties: false,
    }
  },
}

function isPermitted(field: FieldSchema, object: string): boolean {
  return field.settings.references?.includes(object) ?? true
}

function splitLink(text: string): RecordLink | null {
  const [object = '', id = '', ...rest] = text.split('/')
  return rest.length === 0 ? { object, id } : null
}
