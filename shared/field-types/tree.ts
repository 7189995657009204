// The field type `tree`: the parent record of the same object. That no record is its own ancestor is the writer's question.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { lookupOperand } from './lookup.ts'
import { relationSettings, relationType } from './relation.ts'
import { parseUuid } from './uuid.ts'

/** The id of a record of the same object; null at the root. @source D-94 */
export const treeType: FieldType = {
  ...relationType({
    settings: {
      deleteBehavior: z.enum(['set_null', 'cascade', 'restrict']).optional(),
      relationshipName: relationSettings.relationshipName,
      referenceFilters: relationSettings.referenceFilters,
    },
    readId: parseUuid,
    coerceId: lookupOperand,
  }),
  family: 'link',
  canBeMultiple: false,
}
