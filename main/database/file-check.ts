// Checks a closed database file (a backup): size, checksum and SQLite's own integrity check. Runs in a reader process.
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { FileReport } from './reader-protocol.ts'
import { engineCode } from './engine-errors.ts'
import { openReader } from './open.ts'
import { checksumOf, isUntouched } from './state-file.ts'
import type { ClosedFile } from './state-file.ts'

const chunkBytes = 1024 * 1024
const maxProblems = 20

/**
 * Reads the whole file once for its checksum and once for its integrity. Synchronous and as long as the file is large.
 * Never call it on a database the process has open: closing the file would drop SQLite's locks on it.
 */
export function createFileCheck(file: string): FileReport {
  const { sizeBytes, sha256 } = hashFile(file)
  return { sizeBytes, sha256, problems: integrityProblems(file) }
}

/**
 * Checks the database of a host that runs, in another process than the host's. Its bytes are compared with how it was closed
 * only when nothing was folded into it meanwhile.
 */
export function inspectLive(file: string, closed: ClosedFile | null): FileReport {
  const problems: string[] = []
  if (closed?.crc != null && isUntouched(file, closed)) {
    const crc = checksumOf(file)
    if (crc !== closed.crc && isUntouched(file, closed)) problems.push('its bytes are not those that were written')
  }
  return { sizeBytes: 0, sha256: '', problems: [...problems, ...integrityProblems(file)] }
}

/** Size and SHA-256 of a file; a link is refused. */
export function hashFile(file: string): { sizeBytes: number; sha256: string } {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const hash = createHash('sha256')
    const buffer = Buffer.allocUnsafe(chunkBytes)
    for (;;) {
      const length = readSync(descriptor, buffer, 0, buffer.length, null)
      if (length === 0) break
      hash.update(buffer.subarray(0, length))
    }
    return { sizeBytes: fstatSync(descriptor).size, sha256: hash.digest('hex') }
  } finally {
    closeSync(descriptor)
  }
}

/** What an engine says that could not look, of a file that may be sound. */
const notLooked = /^SQLITE_(BUSY|LOCKED|SCHEMA|NOMEM)/

/**
 * What SQLite finds wrong with a file; empty when it is sound.
 * @throws what the engine says when it could not look
 */
export function integrityProblems(file: string): string[] {
  try {
    const connection = openReader(file)
    try {
      // All of it in one state of the file: a table that a writer changes meanwhile would be called damaged.
      connection.exec('BEGIN')
      connection.pragma('schema_version')
      const found = connection.pragma(`integrity_check(${maxProblems})`) as { integrity_check: string }[]
      const orphans = connection.pragma('foreign_key_check') as { table: string }[]
      return [
        ...found.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
        ...orphans.slice(0, maxProblems).map((row) => `a row of ${row.table} refers to a row that does not exist`),
      ]
    } finally {
      connection.close()
    }
  } catch (error) {
    if (notLooked.test(engineCode(error) ?? '')) throw error
    return [error instanceof Error ? error.message : String(error)]
  }
}
