// What a peer lacks leaves in the end, also when the log could not be read at a moment because it was written to.
import { expect, it } from 'vitest'
import { createMemoryReplica, createTestWorkspace } from '../../../../test/support/memory-replica.ts'
import { createSendLog } from './send-log.ts'

it('sends what could not be read a moment ago, however often it is asked in between', () => {
  const replica = createMemoryReplica(createTestWorkspace(), 1)
  replica.write('r/a/b', 'one')
  let now = 1_000
  const wakes: number[] = []
  // Between COMMIT and the disk there is no head at the end of what may leave.
  let isBeingWritten = true
  const log = createSendLog({
    replica: {
      identity: replica.identity,
      vector: replica.vector,
      read: (range, bytes) => (isBeingWritten ? { envelopes: [], heads: [] } : replica.read(range, bytes)),
      beforeSending: () => undefined,
    },
    now: () => now,
    // Only the nearest of several calls comes.
    wakeIn: (ms) => void wakes.push(now + ms),
  })
  log.start(new Map())
  expect(log.next()).toBeUndefined()
  expect(log.isDone()).toBe(true)
  isBeingWritten = false
  now += 10
  expect(log.next()).toBeUndefined()
  const due = Math.min(...wakes.filter((at) => at > now))
  expect(due - now).toBeLessThan(100)
  now = due
  expect(log.next()).toMatchObject({ kind: 'ENV', envelopes: [{ inc: 1, seq: 1 }] })
})

it('wakes for what was refused after it was woken for something nearer', () => {
  const replica = createMemoryReplica(createTestWorkspace(), 1)
  replica.write('r/a/b', 'one')
  let now = 1_000
  let wakeAt = Infinity
  const log = createSendLog({
    replica,
    now: () => now,
    wakeIn(ms) {
      if (now + ms < wakeAt || wakeAt <= now) wakeAt = now + ms
    },
  })
  log.start(new Map())
  expect([log.next()?.kind, log.next()?.kind]).toEqual(['ENV', 'DONE'])
  replica.write('r/a/b', 'two')
  expect([log.next()?.kind, log.next()?.kind]).toEqual(['ENV', undefined])
  expect(wakeAt - now).toBeLessThan(1_000)
  log.refused({ inc: 1, seq: 2 }, 'unknown_device')
  const sent: string[] = []
  for (let turn = 0; turn < 5 && !sent.includes('ENV'); turn += 1) {
    now = Math.max(now, wakeAt)
    for (let frame = log.next(); frame !== undefined; frame = log.next()) sent.push(frame.kind)
  }
  expect(sent).toContain('ENV')
})
