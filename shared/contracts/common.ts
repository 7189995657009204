// Words several contracts share: names, ids, booleans and lists in query strings, the error body.
import { z } from 'zod'
import { parseInstant } from '../calendar/iso.ts'

/** A metadata name (D-09). */
export const MetadataName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/)
  .meta({ description: 'Machine name: lower case, digits and underscores, at most 63 characters.' })

/**
 * What a person or a thing is called: one line that is seen as it is, without the space around it.
 * @source D-302
 */
export const PlainName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/, 'Control characters and line breaks are not allowed.')

/** Why nothing happens though it is on: whoever said what it does is gone or banned, no member, or may not any more. */
export const StopReason = z
  .enum(['user_gone', 'not_member', 'rights'])
  .meta({ description: 'Nothing happens: whoever last said what it does may not do it now (D-400).' })

/** A word of {@link StopReason}. */
export type StopReason = z.output<typeof StopReason>

/** Path parameter `object`. The name is checked by the service: an unknown one is 404, not 400. */
export const ObjectParams = z.object({ object: z.string() })

/** Path parameters `object` and `id`. */
export const RecordParams = z.object({ object: z.string(), id: z.string() })

/** A map of field names to values. */
export const FieldMap = z.record(z.string(), z.unknown())

/** A record as the API shows it. */
export const RecordMap = FieldMap.meta({
  description: 'A record: field names to values, with the server-generated fields.',
})

/** A boolean in a query string (D-12); empty means true. */
export const QueryBoolean = z
  .union([z.string(), z.array(z.string())])
  .transform((value, context) => {
    const text = Array.isArray(value) ? value.at(-1) : value
    if (text === 'true' || text === '1' || text === '') return true
    if (text === 'false' || text === '0') return false
    context.addIssue({
      code: 'custom',
      message: 'Expected true, false, 1 or 0.',
      params: { fieldCode: 'invalid_boolean' },
    })
    return z.NEVER
  })
  .meta({ description: 'true, false, 1, 0; empty means true.' })

/** The code of a text that is no integer of a query string: beyond every limit is told apart from no number (D-14). */
export function numberProblem(text: string): 'min_value' | 'max_value' | 'invalid_number' {
  if (/^-\d+$/.test(text)) return 'min_value'
  return /^\d+$/.test(text) ? 'max_value' : 'invalid_number'
}

/** An integer in a query string: decimal digits only (D-12). */
export const QueryInteger = z
  .string()
  .transform((text, context) => {
    if (/^\d{1,15}$/.test(text)) return Number(text)
    context.addIssue({
      code: 'custom',
      message: 'Expected decimal digits.',
      params: { fieldCode: numberProblem(text) },
    })
    return z.NEVER
  })
  .meta({ description: 'Decimal digits.' })

/** A timestamp as it came; what it says without an offset depends on the workspace. @source D-10 */
export const InstantText = z
  .string()
  .refine((text) => parseInstant(text, 'UTC') !== null, {
    message: 'Expected an ISO 8601 timestamp.',
    params: { fieldCode: 'invalid_datetime' },
  })
  .meta({ description: 'ISO 8601, any offset and precision; without an offset in the time zone of the workspace.' })

/** A comma-separated list in a query string; repetition means the same (D-13). */
export const QueryList = z
  .union([z.string(), z.array(z.string())])
  .transform((value) =>
    (Array.isArray(value) ? value : [value])
      .flatMap((part) => part.split(','))
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .meta({ description: 'Comma-separated list.' })

/** The error object of D-20. */
export const ErrorObjectSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    httpStatus: z.int(),
    category: z.enum(['validation', 'auth', 'request', 'rate_limit', 'server']),
    retryable: z.boolean(),
    details: z.record(z.string(), z.unknown()),
    requestId: z.string(),
  })
  .meta({ id: 'ErrorObject' })

/** The body of every non-2xx answer (D-20). */
export const ErrorBodySchema = z
  .object({ success: z.literal(false), error: ErrorObjectSchema })
  .meta({ id: 'ErrorBody' })

/** Codes any route may answer. */
export const commonErrors = [
  'validation_error',
  'unauthenticated',
  'api_key_invalid',
  'session_expired',
  'origin_forbidden',
  'permission_denied',
  'resource_not_found',
  'conflict',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
  'timeout',
] as const
