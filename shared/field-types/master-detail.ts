// The field type `master_detail`: the record that owns this one.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { lookupOperand } from './lookup.ts'
import { relationSettings, relationType } from './relation.ts'
import { parseUuid } from './uuid.ts'

/** The id of the owning record: always required, never several. @source D-94 */
export const masterDetailType: FieldType = {
  ...relationType({
    settings: { ...relationSettings, deleteBehavior: z.enum(['cascade', 'restrict']).optional() },
    readId: parseUuid,
    coerceId: lookupOperand,
  }),
  family: 'link',
  canBeMultiple: false,
  alwaysRequired: true,
}
