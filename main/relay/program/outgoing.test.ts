// What waits for a peer that does not read: what may be lost is, the peer is held back, and at last given up.
import { beforeEach, describe, expect, it } from 'vitest'
import { decodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import type { Outgoing } from './outgoing.ts'
import { createOutgoing } from './outgoing.ts'

let sent: Frame[]
let failures: Error[]
/** Lets the message through that is on its way, or says that the link has ended. */
let release: (isTaken: boolean) => void
let isOpen: boolean
let outgoing: Outgoing

beforeEach(() => {
  sent = []
  failures = []
  isOpen = false
  outgoing = createOutgoing({
    async send(message) {
      if (!isOpen && !(await new Promise<boolean>((resolve) => (release = resolve)))) return false
      sent.push(decodeFrame(message))
      return true
    },
    failed: (error) => void failures.push(error),
  })
})

const pong = (id: number): Frame => ({ kind: 'PONG', id })
const live: Frame = { kind: 'LIVE', doc: 'd', update: new Uint8Array(100_000) }
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const open = async (): Promise<void> => {
  isOpen = true
  release(true)
  await settle()
}

describe('what waits for a link', () => {
  it('leaves in its order, and all of it before the end', async () => {
    outgoing.push([pong(1), pong(2)])
    outgoing.push([pong(3)])
    let isDone = false
    outgoing.finish(() => void (isDone = true))
    outgoing.push([pong(4)])
    expect(isDone).toBe(false)
    await open()
    expect(sent).toEqual([pong(1), pong(2), pong(3)])
    expect(isDone).toBe(true)
  })

  it('loses what may be lost while much waits, and nothing else', async () => {
    outgoing.push(Array.from({ length: 10 }, () => live))
    outgoing.push([pong(1)])
    await open()
    expect(sent.map(({ kind }) => kind)).toEqual(['LIVE', 'LIVE', 'LIVE', 'PONG'])
  })

  it('holds the peer back until it has read', async () => {
    expect(outgoing.untilLow()).toBeUndefined()
    outgoing.push(Array.from({ length: 5_000 }, (_, id) => pong(id)))
    let isLow = false
    void outgoing.untilLow()!.then(() => (isLow = true))
    await settle()
    expect(isLow).toBe(false)
    await open()
    expect(isLow).toBe(true)
    expect(sent).toHaveLength(5_000)
    expect(failures).toEqual([])
  })

  it('gives up a peer that lets more wait than it could need, and forgets what waited', async () => {
    outgoing.push(Array.from({ length: 20_000 }, (_, id) => pong(id)))
    expect(failures).toHaveLength(1)
    expect(outgoing.untilLow()).toBeUndefined()
    await open()
    expect(sent.length).toBeLessThanOrEqual(1)
  })

  it('ends a link over a frame nobody would take, and throws nothing at whoever had it to say', () => {
    expect(() => outgoing.push([{ ...live, update: new Uint8Array(300_000) } as Frame])).not.toThrow()
    expect(failures).toHaveLength(1)
  })

  it('stops when the link has ended, and lets go of whoever waits', async () => {
    outgoing.push(Array.from({ length: 5_000 }, (_, id) => pong(id)))
    const low = outgoing.untilLow()!
    let isDone = false
    outgoing.finish(() => void (isDone = true))
    release(false)
    await low
    await settle()
    expect([sent, isDone]).toEqual([[], true])
  })
})
