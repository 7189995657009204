// Where the chain ends, kept in a file outside of the database, so that cutting off its end is noticed. Two places are
// written in turn: a write that is torn leaves the other one.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { refuseSpecialFile } from '#main/kernel/atomic-file.ts'
import type { Head } from './entry.ts'

const slotBytes = 256

/** The file. */
export interface Anchor {
  /** What the file says: a head, nothing (`absent`, an empty file), or something that does not hold (`invalid`). */
  read(): Head | 'absent' | 'invalid'
  /** Moves on. Not synced: after a power cut the file may be behind the chain, never before it. */
  write(head: Head): void
  /** Makes this the only head the file knows. */
  reset(head: Head): void
  close(): void
}

/**
 * Opens the file, mode 0600, making it when it is missing.
 * @throws Error when something other than a plain file lies there
 */
export function openAnchor(file: string, key: Buffer): Anchor {
  refuseSpecialFile(file)
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600)
  let turn = 0

  const macOf = ({ seq, hash }: Head): string =>
    createHmac('sha256', key).update(`anchor\n${seq}\n${hash}`).digest('hex')
  const put = (slot: number, head: Head): void => {
    const text = JSON.stringify({ seq: head.seq, hash: head.hash, mac: macOf(head) })
    writeSync(descriptor, `${text.padEnd(slotBytes - 1)}\n`, slot * slotBytes)
  }
  const parse = (text: string): Head | undefined => {
    try {
      const { seq, hash, mac } = JSON.parse(text) as { seq: unknown; hash: unknown; mac: unknown }
      if (typeof seq !== 'number' || typeof hash !== 'string' || typeof mac !== 'string') return undefined
      const expected = Buffer.from(macOf({ seq, hash }))
      const given = Buffer.from(mac)
      return given.length === expected.length && timingSafeEqual(given, expected) ? { seq, hash } : undefined
    } catch {
      // A torn or foreign place says nothing.
      return undefined
    }
  }

  return {
    read() {
      const bytes = Buffer.alloc(2 * slotBytes)
      const length = readSync(descriptor, bytes, 0, bytes.length, 0)
      if (length === 0) return 'absent'
      const heads = [0, 1].map((slot) => parse(bytes.toString('utf8', slot * slotBytes, (slot + 1) * slotBytes)))
      const found = heads.filter((head) => head !== undefined).toSorted((a, b) => b.seq - a.seq)[0]
      if (found !== undefined) turn = heads.indexOf(found) === 0 ? 1 : 0
      return found ?? 'invalid'
    },
    write(head) {
      put(turn, head)
      turn = 1 - turn
    },
    reset(head) {
      put(0, head)
      put(1, head)
    },
    close: () => closeSync(descriptor),
  }
}
