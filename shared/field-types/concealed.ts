// The field types `password` and `secret`: values that are written and never read back. Sealing is the host's work.
import { z } from 'zod'
import { countCodePoints, normalizeText } from './code-points.ts'
import type { SqlValue } from './field-schema.ts'
import type { FieldType } from './field-type.ts'
import { parsed, refused } from './field-type.ts'

/** What a stored secret reads as; writing it changes nothing. @source D-94 */
export const secretMask = '********'

const sealedTexts = new WeakSet<object>()

/** A concealed value after hashing or encryption: the only thing that goes into its column. */
export interface SealedText {
  readonly text: string
}

/** Marks a text as hashed or encrypted. Only the host's sealing may call it. */
export function sealedText(text: string): SealedText {
  const sealed = Object.freeze({ text })
  sealedTexts.add(sealed)
  return sealed
}

const maxLength = 10_000

function concealedType(how: 'hashed' | 'encrypted', leastLength: number): FieldType {
  return {
    storage: 'converted',
    collation: 'binary',
    flags: { search: 'never', sortable: false, groupable: false, aggregatable: 'none' },
    settings: {
      minLength: z.int().min(1).max(1_000).optional(),
      maxLength: z.int().min(1).max(maxLength).optional(),
    },
    concealed: how,
    blankIsNull: true,
    sqlType: () => 'TEXT',
    operators: () => 'N',
    // What it reads as, so that a record that was read can be written back.
    isUnchanged: (value: unknown) => value === (how === 'encrypted' ? secretMask : null),
    parse(value, field) {
      // No problem carries the value: answers and logs must not hold it.
      if (typeof value !== 'string') return refused(field, 'invalid_type', 'The value must be text.', undefined)
      if (value === secretMask) {
        return refused(field, 'not_allowed', 'The mask of a stored value is no value itself.', undefined)
      }
      const text = normalizeText(value)
      const length = countCodePoints(text)
      const least = field.settings.minLength ?? leastLength
      const most = field.settings.maxLength ?? maxLength
      if (length < least) {
        return refused(field, 'min_length', `The value is shorter than ${least} characters.`, undefined, least)
      }
      if (length > most) {
        return refused(field, 'max_length', `The value is longer than ${most} characters.`, undefined, most)
      }
      return parsed(text)
    },
    fromText: (text) => text,
    toColumn(value): SqlValue {
      if (value === null) return null
      if (typeof value === 'object' && sealedTexts.has(value)) return (value as SealedText).text
      throw new Error('A concealed value must be sealed before it is stored.')
    },
    fromColumn: (value) => (how === 'hashed' || value === null ? null : secretMask),
    coerceOperand: () => ({ ok: false, reason: 'A concealed value is not compared.' }),
    jsonSchema: (field) => ({
      type: 'string',
      minLength: field.settings.minLength ?? leastLength,
      maxLength: field.settings.maxLength ?? maxLength,
      ...(how === 'hashed' ? { writeOnly: true } : {}),
    }),
  }
}

/** A password of at least 8 characters: stored as a hash, read as null always. @source D-94 */
export const passwordType: FieldType = concealedType('hashed', 8)

/** A text that is encrypted at rest and reads as {@link secretMask}. @source D-94 */
export const secretType: FieldType = concealedType('encrypted', 1)
