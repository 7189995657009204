// The field type `user`: a link to a user. System fields such as `owner` are of this type.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { notAnId, relationType } from './relation.ts'

/** A user's id, or ids. Actors that are no users (`system`) have ids that are no UUIDs. @source D-94, D-206 */
export const userType: FieldType = relationType(
  {
    settings: { maxItems: z.int().min(1).max(1_000).optional() },
    readId: (value) =>
      typeof value === 'string' && /^[A-Za-z0-9_.:-]{1,128}$/.test(value) ? value.toLowerCase() : null,
    coerceId(value, _operator, field, env) {
      if (typeof value === 'string') return { ok: true, value: value === '{me}' ? env.userId : value.toLowerCase() }
      if (isUserMacro(value)) return { ok: true, value: env.userId }
      return notAnId(field)
    },
  },
  { defaultWords: ['{me}'] },
)

/** Whether the value is `{"$user": "id"}`. */
export function isUserMacro(value: unknown): value is { $user: 'id' } {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return false
  return (value as Record<string, unknown>)['$user'] === 'id'
}
