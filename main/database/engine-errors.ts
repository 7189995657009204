// Translates what SQLite reports into the codes of the catalogue. Knows codes of the engine, no tables and no meaning.
import { PlatformError, platformError } from '#shared/errors.ts'

const uniqueCodes = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_ROWID'])
const unavailablePrefixes = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_BUSY', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']

/** The engine's extended result code of an error, or undefined when it does not come from the engine. */
export function engineCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const { code } = error
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined
}

/**
 * Turns an error of the engine into the one callers see; every other error comes back as it is.
 * The engine's error is kept as `cause`, for the log only.
 * @source D-24
 */
export function translateEngineError(error: unknown): unknown {
  const code = engineCode(error)
  if (code === undefined) return error
  if (uniqueCodes.has(code)) return platformError('conflict', {}, error)
  if (unavailablePrefixes.some((prefix) => code.startsWith(prefix))) return unavailable(error)
  return error
}

/** `service_unavailable` with the time after which a client may try again (D-24). */
export function unavailable(cause?: unknown): PlatformError {
  return platformError('service_unavailable', { retryAfterSeconds: 1 }, cause)
}

/**
 * The table and columns of a unique index that refused a row, read from the cause of a `conflict`.
 * Undefined for other errors and for indexes over expressions, which the engine names instead of their columns.
 */
export function uniqueViolation(error: unknown): { table: string; columns: string[] } | undefined {
  const cause = error instanceof PlatformError ? error.cause : error
  const code = engineCode(cause)
  if (code === undefined || !uniqueCodes.has(code) || !(cause instanceof Error)) return undefined
  const match = /^UNIQUE constraint failed: (.+)$/.exec(cause.message)
  if (match === null || match[1]!.startsWith('index ')) return undefined
  const places = match[1]!.split(', ').map((place) => place.split('.'))
  const table = places[0]![0]!
  return { table, columns: places.map((place) => place.at(-1)!) }
}
