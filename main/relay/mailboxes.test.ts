// Mailboxes join one who waits with one who visits, and nothing else: bytes as they are, and little of everything.
import { beforeEach, describe, expect, it } from 'vitest'
import { createManualTimers } from '#main/replication/channel/timers.ts'
import type { ManualTimers } from '#main/replication/channel/timers.ts'
import type { Mailboxes, MailboxEnd, MailboxLimits, MailboxPipe, MailboxSeat } from './mailboxes.ts'
import { createMailboxes } from './mailboxes.ts'
import { createTokenBuckets } from './token-bucket.ts'

const minute = 60_000
const box = (fill: number): Uint8Array => new Uint8Array(10).fill(fill)

/** An end that keeps what it is given; `slow` takes nothing until it is told to. */
interface TestEnd extends MailboxEnd {
  pipe: MailboxPipe | undefined
  readonly came: number[]
  ended: number
  read(): void
}

function makeEnd(slow = false): TestEnd {
  const readers: (() => void)[] = []
  const end: TestEnd = {
    pipe: undefined,
    came: [],
    ended: 0,
    join: (pipe) => void (end.pipe = pipe),
    async take(bytes) {
      if (slow) await new Promise<void>((resolve) => void readers.push(resolve))
      end.came.push(...bytes)
    },
    end: () => void (end.ended += 1),
    read: () => readers.splice(0).forEach((run) => run()),
  }
  return end
}

let timers: ManualTimers
let mailboxes: Mailboxes

function make(limits: Partial<MailboxLimits> = {}, capacity = 1_000, returnMs = 0): void {
  timers = createManualTimers()
  const rates = createTokenBuckets({ perSecond: 1, capacity, now: timers.now })
  mailboxes = createMailboxes({ timers, rates, limits, returnMs })
}

function seat(name: Uint8Array, end: MailboxEnd, owner = 'a', workspace = 'w'): MailboxSeat {
  const verdict = mailboxes.open(name, owner, workspace, end)
  if (!verdict.ok) throw new Error(verdict.code)
  return verdict.seat
}

const refusal = (name: Uint8Array, owner = 'a', workspace = 'w'): string | undefined => {
  const verdict = mailboxes.open(name, owner, workspace, makeEnd())
  return verdict.ok ? undefined : verdict.code
}

beforeEach(() => make())

describe('a mailbox', () => {
  it('passes bytes on in both directions, and ends for both', async () => {
    const [host, guest] = [makeEnd(), makeEnd()]
    seat(box(1), host)
    expect(mailboxes.visit(box(1), 'x', guest)).toBeUndefined()
    await guest.pipe!.pass(new Uint8Array([1, 2]))
    await host.pipe!.pass(new Uint8Array([3]))
    expect([host.came, guest.came]).toEqual([[1, 2], [3]])
    guest.pipe!.close()
    expect([host.ended, guest.ended]).toEqual([1, 1])
    expect(mailboxes.size()).toEqual({ mailboxes: 1, pipes: 0 })
    await host.pipe!.pass(new Uint8Array([4]))
    expect(guest.came).toEqual([3])
  })

  it('tells a visitor whether to come again', () => {
    expect(mailboxes.visit(box(1), 'x', makeEnd())).toBe('unknown')
    const first = seat(box(1), makeEnd())
    first.leave(false)
    expect(mailboxes.visit(box(1), 'x', makeEnd())).toBe('nobody_waits')
    seat(box(1), makeEnd()).leave(true)
    expect(mailboxes.visit(box(1), 'x', makeEnd())).toBe('unknown')
  })

  it('of a relay that was started anew may still be opened again, unless it was closed since', () => {
    make({}, 1_000, 10_000)
    expect(mailboxes.visit(box(1), 'x', makeEnd())).toBe('nobody_waits')
    seat(box(1), makeEnd()).leave(true)
    expect(mailboxes.visit(box(1), 'x', makeEnd())).toBe('unknown')
    seat(box(2), makeEnd())
    expect(mailboxes.visit(box(2), 'x', makeEnd())).toBeUndefined()
    timers.advance(10_000)
    expect(mailboxes.visit(box(3), 'x', makeEnd())).toBe('unknown')
  })

  it('is of one device, which waits in it once: where it waited last', () => {
    const [dead, alive] = [makeEnd(), makeEnd()]
    const before = seat(box(1), dead)
    expect(refusal(box(1), 'b')).toBe('taken')
    seat(box(1), alive)
    expect([dead.ended, alive.ended]).toEqual([1, 0])
    before.leave(true)
    expect(mailboxes.visit(box(1), 'x', makeEnd())).toBeUndefined()
    expect([dead.pipe, alive.pipe !== undefined]).toEqual([undefined, true])
    expect(refusal(box(1), 'b')).toBe('taken')
  })

  it('is not closed by one that waited before and left late', () => {
    const early = seat(box(1), makeEnd())
    mailboxes.visit(box(1), 'x', makeEnd())
    seat(box(1), makeEnd())
    early.leave(true)
    expect(mailboxes.visit(box(1), 'x', makeEnd())).toBeUndefined()
  })

  it('takes visitors for five minutes, and not a moment more where timers are late', () => {
    const host = makeEnd()
    seat(box(1), host)
    timers.advance(5 * minute - 1)
    seat(box(2), makeEnd())
    timers.advance(1)
    expect(host.ended).toBe(1)
    expect(mailboxes.visit(box(1), 'x', makeEnd())).toBe('unknown')
    expect(mailboxes.visit(box(2), 'x', makeEnd())).toBeUndefined()
    expect(timers.pending()).toBeGreaterThan(0)
    timers.advance(7 * minute)
    expect([mailboxes.size(), timers.pending()]).toEqual([{ mailboxes: 0, pipes: 0 }, 0])
  })

  it('ends a pair after seven minutes, whoever still talks', () => {
    const [host, guest] = [makeEnd(), makeEnd()]
    seat(box(1), host)
    mailboxes.visit(box(1), 'x', guest)
    timers.advance(7 * minute - 1)
    expect(guest.ended).toBe(0)
    timers.advance(1)
    expect([host.ended, guest.ended]).toEqual([1, 1])
  })
})

describe('bounds', () => {
  it('are on the bytes of each direction', async () => {
    make({ bytes: 10 })
    const [host, guest] = [makeEnd(), makeEnd()]
    seat(box(1), host)
    mailboxes.visit(box(1), 'x', guest)
    await guest.pipe!.pass(new Uint8Array(10))
    await host.pipe!.pass(new Uint8Array(9))
    expect([host.ended, guest.ended]).toEqual([0, 0])
    await guest.pipe!.pass(new Uint8Array(1))
    expect([host.came.length, host.ended, guest.ended]).toEqual([10, 1, 1])
  })

  it('hold back a writer whose reader is slow', async () => {
    const [host, guest] = [makeEnd(true), makeEnd()]
    seat(box(1), host)
    mailboxes.visit(box(1), 'x', guest)
    let isPassed = false
    const passing = guest.pipe!.pass(new Uint8Array(5)).then(() => (isPassed = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isPassed).toBe(false)
    host.read()
    await passing
    expect(host.came).toHaveLength(5)
  })

  it('are on the mailboxes of a workspace: those where nobody waits give way, no others', () => {
    const seats = [1, 2, 3, 4].map((fill) => seat(box(fill), makeEnd()))
    expect(refusal(box(5))).toBe('too_many')
    expect(refusal(box(5), 'b', 'another')).toBeUndefined()
    seats[1]!.leave(false)
    expect(refusal(box(6))).toBeUndefined()
    expect(mailboxes.visit(box(2), 'x', makeEnd())).toBe('unknown')
    expect(mailboxes.size().mailboxes).toBe(5)
  })

  it('are on all mailboxes and all pairs', () => {
    make({ mailboxes: 3, pipes: 2, pipesPerMailbox: 1 })
    for (const fill of [1, 2, 3]) seat(box(fill), makeEnd(), 'a', `w${fill}`)
    expect(refusal(box(4), 'a', 'w4')).toBe('too_many')
    expect(mailboxes.visit(box(1), 'x', makeEnd())).toBeUndefined()
    seat(box(1), makeEnd(), 'a', 'w1')
    expect(mailboxes.visit(box(1), 'x', makeEnd())).toBe('too_many')
    expect(mailboxes.visit(box(2), 'x', makeEnd())).toBeUndefined()
    expect(mailboxes.visit(box(3), 'x', makeEnd())).toBe('too_many')
    expect(mailboxes.size()).toEqual({ mailboxes: 3, pipes: 2 })
  })

  it('are on the tries of an address and of a device, and both may try again later', () => {
    make({}, 3)
    for (let attempt = 0; attempt < 3; attempt += 1) expect(mailboxes.visit(box(9), 'x', makeEnd())).toBe('unknown')
    expect(mailboxes.visit(box(9), 'x', makeEnd())).toBe('too_many')
    expect(mailboxes.visit(box(9), 'y', makeEnd())).toBe('unknown')
    timers.advance(1_000)
    expect(mailboxes.visit(box(9), 'x', makeEnd())).toBe('unknown')
    for (let attempt = 0; attempt < 3; attempt += 1) seat(box(1), makeEnd(), 'b').leave(false)
    expect(refusal(box(1), 'b')).toBe('too_many')
  })
})
