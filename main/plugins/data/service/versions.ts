// Version tokens of records: how they are read, compared and raised (D-55, D-56). Pure.
import { platformError } from '#shared/errors.ts'

/**
 * Chooses the expected version of a write: body or query first, then `If-Match`. Quotes and `W/` are taken off.
 * Undefined means no check, `*` mere existence.
 * @source D-55
 */
export function expectedVersionOf(given: string | undefined, ifMatch: string | undefined): string | undefined {
  const token = given ?? ifMatch
  if (token === undefined) return undefined
  return token
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
}

/** Whether an expected version fits the stored one; both are compared as instants, an unreadable token fits nothing. */
export function versionFits(expected: string | undefined, current: string): boolean {
  if (expected === undefined || expected === '*' || expected === current) return true
  const ms = Date.parse(expected)
  return !Number.isNaN(ms) && ms === Date.parse(current)
}

/**
 * Refuses a write that was based on another version.
 * @throws CONCURRENT_UPDATE with the version and the record as they are now
 */
export function requireVersion(
  expected: string | undefined,
  current: string,
  currentRecord: () => Record<string, unknown>,
): void {
  if (versionFits(expected, current)) return
  throw platformError('CONCURRENT_UPDATE', { currentVersion: current, currentRecord: currentRecord() })
}

/** The next `updated_at` of a record: now, or one millisecond after the previous one (D-56). */
export function nextVersion(previous: string, nowMs: number): string {
  return new Date(Math.max(nowMs, Date.parse(previous) + 1)).toISOString()
}
