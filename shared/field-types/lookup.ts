// The field type `lookup`: a link to a record of another object, or several.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { notAnId, relationType } from './relation.ts'
import { parseUuid } from './uuid.ts'

const objectName = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/)

/** An id of the referenced object, or ids. @source D-94 */
export const lookupType: FieldType = relationType({
  settings: {
    reference: objectName,
    referenceFilters: z.unknown().optional(),
    deleteBehavior: z.enum(['set_null', 'cascade', 'restrict']).optional(),
    relationshipName: objectName.optional(),
    maxItems: z.int().min(1).max(1_000).optional(),
  },
  readId: parseUuid,
  coerceId(value, _operator, field) {
    // An operand that is no UUID can match nothing; loose query strings may still hold one.
    return typeof value === 'string' ? { ok: true, value: parseUuid(value) ?? value } : notAnId(field)
  },
})
