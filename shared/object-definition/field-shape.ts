// The definition keys that fields of every type read, as their author writes them.
import { z } from 'zod'
import { namePattern } from '../object-names.ts'

const name = z.string().regex(namePattern)
const text = z.string().max(10_000)

/** Field keys every type reads. @source D-93 */
export const commonFieldShape = {
  type: z.string(),
  uid: z.string().max(128).optional(),
  label: text.optional(),
  description: text.optional(),
  help: text.optional(),
  inlineHelpText: text.optional(),
  placeholder: text.optional(),
  required: z.boolean().optional(),
  unique: z.boolean().optional(),
  index: z.boolean().optional(),
  externalId: z.boolean().optional(),
  searchable: z.boolean().optional(),
  sortable: z.boolean().optional(),
  hidden: z.boolean().optional(),
  readonly: z.boolean().optional(),
  defaultValue: z.unknown().optional(),
  multiple: z.boolean().optional(),
  caseSensitive: z.boolean().optional(),
  group: z.string().optional(),
  conditionalRequired: z.unknown().optional(),
  visibleOn: z.unknown().optional(),
  trackFeedHistory: z.boolean().optional(),
  renamedFrom: name.optional(),
  merge: z.enum(['sum']).optional(),
} as const

/** Shape of the keys that fields of every type share; unknown keys pass. */
export const commonFieldZod = z.looseObject(commonFieldShape)

/** One field as its author writes it; unknown keys are kept. */
export type FieldDefinition = z.infer<typeof commonFieldZod>
