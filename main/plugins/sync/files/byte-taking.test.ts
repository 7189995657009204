// One file from one machine: what is taken, what ends it, and how much is asked for at a time.
import { hash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Arrival } from '#main/plugins/storage/api.ts'
import { createManualTimers } from '#main/replication/channel/timers.ts'
import type { ByteWord, ByteWordOf } from './byte-words.ts'
import { pieceBytes } from './byte-words.ts'
import { takeBytes } from './byte-taking.ts'

const content = randomBytes(10 * pieceBytes + 7)
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function begin(isLossy = false) {
  const timers = createManualTimers()
  const parts: Uint8Array[] = []
  const asked: ByteWordOf<'want'>[] = []
  const received = (): number => parts.reduce((sum, part) => sum + part.length, 0)
  const arrival: Arrival = {
    ...{ id: 'f', sha256: hash('sha256', content), size: content.length, home: null, createdAt: 0 },
    received,
    write: async (bytes) => void parts.push(bytes),
    finish: async () => Buffer.concat(parts).equals(content),
    leave: async () => undefined,
  }
  const taking = takeBytes({
    ...{ device: 'd', id: 1, arrival, timers, moved: () => undefined, isLossy: () => isLossy },
    say: (word: ByteWord) => (asked.push(word as ByteWordOf<'want'>), true),
  })
  const send = (from: number, bytes = content.subarray(from, from + pieceBytes)): void =>
    taking.hear({ kind: 'piece', to: 'u', id: 1, from, bytes, hash: hash('sha256', bytes, 'buffer') })
  return { timers, asked, taking, send, received }
}

describe('bytes from a machine', () => {
  it('are asked for four pieces ahead, in order, to the last byte', async () => {
    const { asked, taking, send } = begin()
    expect(asked.map(({ from }) => from / pieceBytes)).toEqual([0, 1, 2, 3])
    for (let at = 0; at < asked.length; at += 1) {
      send(asked[at]!.from)
      await settle()
      expect(asked.length - at).toBeLessThanOrEqual(5)
    }
    expect(asked.at(-1)).toMatchObject({ from: 10 * pieceBytes, length: 7 })
    expect(await taking.done).toBe('whole')
  })

  it('end where a piece is of another length, comes too early, or is not what its hash says', async () => {
    const short = begin()
    short.send(0, content.subarray(1, pieceBytes))
    expect(await short.taking.done).toBe('misbehaved')
    const early = begin()
    early.send(8 * pieceBytes)
    expect(await early.taking.done).toBe('misbehaved')
    const other = begin()
    const bytes = content.subarray(0, pieceBytes)
    other.taking.hear({ kind: 'piece', to: 'u', id: 1, from: 0, bytes, hash: hash('sha256', 'x', 'buffer') })
    expect([await other.taking.done, other.received()]).toEqual(['misbehaved', 0])
  })

  it('are given up after 20 seconds without any, and asked for again meanwhile only where they may be lost', async () => {
    const link = begin()
    link.timers.advance(19_000)
    expect(link.asked).toHaveLength(4)
    link.timers.advance(1_000)
    expect(await link.taking.done).toBe('gone')
    const relay = begin(true)
    relay.timers.advance(5_000)
    expect(relay.asked).toHaveLength(8)
    relay.send(0)
    relay.send(0)
    await settle()
    expect([relay.received(), relay.asked.length]).toEqual([pieceBytes, 9])
    relay.taking.cut()
    expect(await relay.taking.done).toBe('gone')
  })
})
