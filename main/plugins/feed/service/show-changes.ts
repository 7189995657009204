// Stored changes as the API shows them: names, labels and looks of today, and only what the caller may read now (D-145).
import type { FieldChange } from '#shared/contracts/feed.ts'
import type { z } from 'zod'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DisplayParts, FieldValue } from './display-values.ts'
import { displayOf } from './display-values.ts'
import type { StoredChanges } from './facts.ts'
import { trackedFields } from './tracked-fields.ts'

/** A change as the API shows it. */
export type ChangeView = z.output<typeof FieldChange>

/**
 * Shows lists of changes, one after the other.
 * @param shown uids of the fields that show
 */
export async function showChanges(
  parts: DisplayParts,
  ctx: RequestContext,
  schema: ObjectSchema,
  all: readonly StoredChanges[],
  shown: ReadonlySet<string>,
): Promise<ChangeView[][]> {
  const fields = [...trackedFields(schema).values()].map(({ field }) => field).filter(({ uid }) => shown.has(uid))
  const values: FieldValue[] = []
  for (const changes of all) {
    for (const field of fields) for (const value of changes[field.uid] ?? []) values.push({ field, value })
  }
  const display = await displayOf(parts, ctx, schema, values)
  return all.map((changes) =>
    fields.flatMap((field): ChangeView[] => {
      const change = changes[field.uid]
      if (change === undefined) return []
      const base = { field: field.name, fieldLabel: display.label(field) }
      if (change.length === 0) return [base]
      const [oldValue, newValue] = change
      const oldDisplayValue = display.text(field, oldValue)
      const newDisplayValue = display.text(field, newValue)
      return [
        {
          ...base,
          oldValue,
          newValue,
          ...(oldDisplayValue === undefined ? {} : { oldDisplayValue }),
          ...(newDisplayValue === undefined ? {} : { newDisplayValue }),
        },
      ]
    }),
  )
}
