// Timestamps as callers write them (D-10). Knows no route.
import { formatInstant, parseInstant } from '#shared/calendar/iso.ts'
import { validationError } from '#shared/errors.ts'

/**
 * A timestamp with any offset and precision, as D-10 writes it.
 * @param zone the workspace's, for one without an offset: at the ends of the calendar it decides whether there is such a moment
 * @throws validation_error naming the field
 */
export function instantOf(field: string, text: string, zone: string): string {
  const ms = parseInstant(text, zone)
  if (ms !== null) return formatInstant(ms)
  throw validationError([{ field, code: 'invalid_datetime', message: 'Expected an ISO 8601 timestamp.', value: text }])
}
