// The words of a notification about many records: how many of them, of which object, which fields. Pure; asks no right.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { ShownNotification } from './notification.ts'
import { cut, maxBodyChars, maxTitleChars } from './notification.ts'

/** Records of a notification in which the same fields changed; fields by their uid. */
export interface Part {
  readonly fields: readonly string[]
  readonly ids: readonly string[]
}

/** Records one notification counts; beyond them it says `at least`. */
export const maxParts = 10_000

/** How many records parts hold. */
export function countOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { ids }) => sum + ids.length, 0)
}

/**
 * A notification with the words for these records. Of a single one there is no name: none is stored with it.
 * @param parts at least one record; those its reader may see
 * @param isFull there were more records than are counted
 */
export function foldedWords(
  notification: ShownNotification,
  says: string,
  parts: readonly Part[],
  { name: object, label, pluralLabel, fields }: ObjectSchema,
  isFull: boolean,
): ShownNotification {
  const count = countOf(parts)
  const { who } = notification.data
  const [recordId] = count === 1 ? parts.flatMap(({ ids }) => ids) : []
  const changed = new Set(parts.flatMap((part) => part.fields))
  const labels = fields.filter(({ uid }) => changed.has(uid)).map((field) => field.label)
  const what = recordId === undefined ? `${isFull ? 'at least ' : ''}${count} ${pluralLabel}` : label
  return {
    ...notification,
    title: cut(`${says} ${what}`, maxTitleChars),
    body: cut(labels.join(', '), maxBodyChars),
    data: {
      object,
      ...(recordId === undefined ? {} : { recordId }),
      count,
      says,
      ...(who === undefined ? {} : { who }),
    },
    actionUrl: `#/o/${object}${recordId === undefined ? '' : `?rec=${recordId}`}`,
  }
}
