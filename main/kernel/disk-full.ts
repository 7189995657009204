// What a full disk looks like when something fails, and what callers are told of it. Knows the codes of the system and
// of SQLite by their text only.
import { platformError } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'

/** The last one is a shared index of the log that cannot grow: SQLite has no code of its own for that. */
const codes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'])

/** Whether an error, or what caused it, is a disk (or a quota) without room. */
export function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (('code' in cause && codes.has(cause.code)) || ('details' in cause && isDiskFullDetails(cause.details)))
      return true
  }
  return false
}

/**
 * `service_unavailable` of a full disk.
 * @param cause for the log; absent for a write that was refused without being tried
 * @source D-24
 */
export function diskFullError(cause?: unknown): PlatformError {
  return platformError(
    'service_unavailable',
    {
      reason: 'disk_full',
      retryAfterSeconds: 1,
      advice:
        'The disk of the computer that runs Cairn is full. This was not stored; everything stored before is kept, and reading and deleting go on. Free space on that disk, then try again.',
    },
    cause,
  )
}

function isDiskFullDetails(details: unknown): boolean {
  return typeof details === 'object' && details !== null && 'reason' in details && details.reason === 'disk_full'
}
