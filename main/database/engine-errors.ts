// Translates what SQLite reports into the codes of the catalogue. Knows codes of the engine, no tables and no meaning.
import { baseErrors, PlatformError, platformError } from '#shared/errors.ts'
import { diskFullError, isDiskFull } from '#main/kernel/disk-full.ts'

const uniqueCodes = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_ROWID'])
const unavailablePrefixes = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_BUSY', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']

/**
 * A statement was made for a table as it was: between the commit that changed it and the moment all have heard of the new
 * definition, who reads or writes may still hold the old one.
 */
const outdated = /^no such (column|table)|has no column named/

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
  if (code === 'SQLITE_SCHEMA' || (code === 'SQLITE_ERROR' && outdated.test((error as Error).message)))
    return platformError('service_unavailable', { reason: 'schema_change', retryAfterSeconds: 1 }, error)
  return error
}

/** `service_unavailable` with the time after which a client may try again, and with a full disk as its reason (D-24). */
export function unavailable(cause?: unknown): PlatformError {
  if (isDiskFull(cause)) return diskFullError(cause)
  return platformError('service_unavailable', { retryAfterSeconds: 1 }, cause)
}

/**
 * `service_unavailable` for as long as the host runs (D-24).
 * @param message one sentence or more for people: why, what still works, what to do
 */
export function writesRefused(reason: 'database_damaged' | 'read_only' | 'hub', message: string): PlatformError {
  return new PlatformError(
    'service_unavailable',
    { ...baseErrors.service_unavailable, message, retryable: false },
    { reason },
  )
}
