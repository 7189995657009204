// Takes the bytes of one file from one machine: asks for a few pieces at a time, in order, and gives up on a machine that
// sends others, or none for too long. Never holds more than the pieces it asked for.
import { hash } from 'node:crypto'
import type { Timers } from '#main/replication/channel/timers.ts'
import type { Arrival } from '#main/plugins/storage/api.ts'
import type { ByteWord, ByteWordOf } from './byte-words.ts'
import { pieceBytes } from './byte-words.ts'

/** Pieces that are asked for and have not come. */
const ahead = 4

/** How long the next piece may take: then it is asked for again where it may be lost, and after that the machine is given up. */
const slowMs = 5_000
const mostRepeats = 3

/** What came of a machine: everything, other bytes than announced, what it must not send, or nothing (any more). */
export type Taken = 'whole' | 'mismatch' | 'misbehaved' | 'refused' | 'gone' | 'absent' | 'busy'

/** Bytes under way from one machine. */
export interface ByteTaking {
  readonly device: string
  readonly id: number
  hear(word: ByteWordOf<'piece' | 'no'>): void
  /** The way to the machine has ended. */
  cut(): void
  readonly done: Promise<Taken>
}

/** Begins to take bytes. */
export function takeBytes(parts: {
  readonly device: string
  readonly id: number
  readonly arrival: Arrival
  readonly timers: Timers
  /** Whether what is said may be lost on the way. */
  readonly isLossy: () => boolean
  /** @returns false: nobody is there */
  readonly say: (word: ByteWord) => boolean
  readonly moved: () => void
}): ByteTaking {
  const { device, id, arrival, timers, isLossy, say, moved } = parts
  const { size, sha256 } = arrival
  const checksum = Buffer.from(sha256, 'hex')
  let next = arrival.received()
  /** The next byte to ask for. */
  let asked = next
  let repeats = 0
  let isOver = false
  let writing: Promise<void> = Promise.resolve()
  let cancel = (): void => undefined
  const { promise: done, resolve, reject } = Promise.withResolvers<Taken>()

  const end = (taken: Taken): void => {
    if (isOver) return
    isOver = true
    cancel()
    // What was being written is on disk before anybody else goes on with it.
    writing.then(() => resolve(taken), reject)
  }

  const ask = (): void => {
    while (!isOver && asked < size && asked < next + ahead * pieceBytes) {
      const length = Math.min(pieceBytes, size - asked)
      if (!say({ kind: 'want', to: device, id, sha256: checksum, from: asked, length })) return end('gone')
      asked += length
    }
  }

  const wait = (): void => {
    cancel()
    cancel = timers.after(slowMs, () => {
      repeats += 1
      if (repeats > mostRepeats) return end('gone')
      if (isLossy()) {
        asked = next
        ask()
      }
      wait()
    })
  }

  async function finish(): Promise<void> {
    cancel()
    isOver = true
    try {
      await writing
      resolve((await arrival.finish()) ? 'whole' : 'mismatch')
    } catch (error) {
      reject(error)
    }
  }

  if (next >= size) void finish()
  else {
    ask()
    wait()
  }

  return {
    device,
    id,
    done,
    cut: () => end('gone'),
    hear(word) {
      if (isOver) return
      if (word.kind === 'no') {
        if (word.code === 'busy') return end('busy')
        return end(word.code === 'forbidden' ? 'refused' : 'absent')
      }
      // Asked for again and come twice, or after one that was lost on the way.
      if (word.from < next || (word.from > next && word.from < asked)) return
      const { bytes, from } = word
      const isAsked = from === next && from < asked && bytes.length === Math.min(pieceBytes, size - from)
      if (!isAsked || !hash('sha256', bytes, 'buffer').equals(word.hash)) return end('misbehaved')
      next += bytes.length
      repeats = 0
      // A copy: what was heard is a view on a message.
      const own = Buffer.from(bytes)
      writing = writing.then(() => arrival.write(own)).then(moved)
      writing.catch((error: unknown) => {
        isOver = true
        cancel()
        reject(error)
      })
      if (next >= size) void finish()
      else {
        // No more is asked for than the disk takes.
        void writing.then(ask, () => undefined)
        wait()
      }
    },
  }
}
