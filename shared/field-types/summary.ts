// The field type `summary`: a figure over child records, kept by the writer of the children.
import { z } from 'zod'
import { namePattern } from '#shared/object-names.ts'
import type { FieldType } from './field-type.ts'
import { refused } from './field-type.ts'
import { numericType } from './numeric.ts'

const fieldName = z.string().regex(namePattern)

/** What a summary counts or adds up; every function but `count` needs a field. */
export const summaryOperationsZod = z
  .looseObject({
    object: fieldName,
    field: fieldName.optional(),
    function: z.enum(['count', 'sum', 'min', 'max', 'avg']),
    relationField: fieldName.optional(),
    filter: z.unknown().optional(),
  })
  .refine(({ function: name, field }) => name === 'count' || field !== undefined, {
    path: ['field'],
    error: 'The function needs a field of the child object.',
    params: { fieldCode: 'required' },
  })

/** A number over the children; 0 for count and sum of none, else null. @source D-94 */
export const summaryType: FieldType = {
  ...numericType({ scale: () => undefined, settings: { summaryOperations: summaryOperationsZod } }),
  family: 'number',
  listRank: 3,
  fractionDigits: ({ summaryOperations }) => (summaryOperations?.function === 'count' ? 0 : undefined),
  computed: true,
  sqlType: () => 'REAL',
  parse: (value, field) => refused(field, 'read_only', 'The server computes this value.', value),
}
