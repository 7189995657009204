// The field type `lookup`: a link to a record of another object, or several.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { notAnId, relationSettings, relationType } from './relation.ts'
import { parseUuid } from './uuid.ts'

/** Reads an operand that is compared with record ids. */
export const lookupOperand: FieldType['coerceOperand'] = (value, _operator, field) =>
  // An operand that is no UUID can match nothing; loose query strings may still hold one.
  typeof value === 'string' ? { ok: true, value: parseUuid(value) ?? value } : notAnId(field)

/** An id of the referenced object, or ids. @source D-94 */
export const lookupType: FieldType = relationType(
  {
    settings: {
      ...relationSettings,
      deleteBehavior: z.enum(['set_null', 'cascade', 'restrict']).optional(),
      maxItems: z.int().min(1).max(1_000).optional(),
    },
    readId: parseUuid,
    coerceId: lookupOperand,
  },
  { family: 'link' },
)
