// Random histories of one feed on three real hosts, delivered in random order and more than once: in the end all have the
// same documents and the same rows, and projecting them anew changes nothing.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FeedMachine, FeedMachines } from '../support/feed-hosts.ts'
import { startFeedMachines } from '../support/feed-hosts.ts'
import { exchange } from '../support/feed-pipe.ts'
import { sized } from '../support/test-size.ts'

const runs = sized(6, 80, 500)
const count = 3

let all: FeedMachines
beforeAll(async () => {
  all = await startFeedMachines(count)
}, 60_000)
afterAll(() => all.stop())

const who = { machine: fc.nat({ max: count - 1 }), user: fc.nat({ max: 2 }) }
const which = fc.nat({ max: 7 })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('create' as const), ...who, isTask: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reply' as const), ...who, which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      ...who,
      which,
      part: fc.constantFrom('body', 'visibility', 'done', 'note', 'none'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), ...who, which }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('react' as const),
      ...who,
      which,
      off: fc.boolean(),
      emoji: fc.constantFrom('👍', ':b:'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pin' as const), ...who, which, off: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('skew' as const), ...who, by: fc.integer({ min: -99, max: 99 }) }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      from: fc.nat({ max: count - 1 }),
      to: fc.nat({ max: count - 1 }),
      nth: fc.nat({ max: 40 }),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Statuses of calls that a machine refuses because of what it has not seen, or has seen already. */
const expected = new Set([200, 201, 400, 403, 404, 409])

interface Run {
  readonly record: string
  readonly starts: readonly number[]
  /** Ids of items in the order in which they were made anywhere, and who made them. */
  readonly made: { id: string; user: number }[]
  number: number
}

async function perform(one: Step, run: Run): Promise<number> {
  if (one.do === 'send') {
    const fresh = all.machines[one.from]!.pipe.log().slice(run.starts[one.from]!)
    if (one.from !== one.to && fresh.length > 0)
      await all.machines[one.to]!.pipe.receive(fresh[one.nth % fresh.length]!)
    return 200
  }
  const machine = all.machines[one.machine]!
  if (one.do === 'skew') {
    machine.pipe.skew = one.by * 1_000
    return 200
  }
  return callFor(one, machine, run)
}

async function callFor(
  one: Exclude<Step, { do: 'send' } | { do: 'skew' }>,
  machine: FeedMachine,
  run: Run,
): Promise<number> {
  const user = machine.as(one.user)
  const feed = `/data/${run.record}/feed`
  const text = `text ${(run.number += 1)}`
  const target = 'which' in one ? run.made[one.which % Math.max(run.made.length, 1)] : undefined
  if (one.do === 'create' || one.do === 'reply') {
    const parentId = one.do === 'reply' ? target?.id : undefined
    const type = one.do === 'create' && one.isTask ? 'task' : 'comment'
    const data = type === 'task' ? { done: false, note: text } : undefined
    const answer = await user.post(feed, { type, body: text, parentId, data })
    if (answer.status === 201) run.made.push({ id: answer.body.data.id as string, user: one.user })
    return answer.status
  }
  if (target === undefined) return 200
  const path = `${feed}/${target.id}`
  const author = machine.as(target.user)
  switch (one.do) {
    case 'edit': {
      const changes = {
        body: { body: text },
        visibility: { visibility: run.number % 2 === 0 ? 'internal' : 'public' },
        done: { data: { done: run.number % 2 === 0 } },
        note: { data: { note: run.number % 3 === 0 ? null : text } },
        none: {},
      }
      return (await author.put(path, changes[one.part as keyof typeof changes])).status
    }
    case 'delete':
      return (await author.delete(path)).status
    case 'react': {
      const emoji = encodeURIComponent(one.emoji)
      if (one.off) return (await user.delete(`${path}/reactions/${emoji}`)).status
      return (await user.post(`${path}/reactions`, { emoji: one.emoji })).status
    }
    case 'pin':
      return (await (one.off ? user.delete(`${path}/pin`) : user.post(`${path}/pin`))).status
  }
}

it('ends the same everywhere', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), fc.boolean(), async (steps, backwards) => {
      const pipes = all.machines.map(({ pipe }) => pipe)
      await exchange(pipes)
      const run: Run = {
        record: await all.record(),
        starts: pipes.map((pipe) => pipe.log().length),
        made: [],
        number: 0,
      }
      for (const pipe of pipes) pipe.skew = 0
      for (const one of steps) expect(expected).toContain(await perform(one, run))
      if (backwards) {
        for (const [from, pipe] of pipes.entries())
          for (const update of pipe.log().slice(run.starts[from]).toReversed())
            for (const other of pipes) if (other !== pipe) await other.receive(update)
      }
      await exchange(pipes)
      const [first, ...others] = all.machines
      const recordId = run.record.slice('task/'.length)
      expect(first!.pipe.documents(recordId).size).toBe(run.made.length > 0 ? 1 : 0)
      for (const { pipe } of all.machines) expect(pipe.waiting()).toBe(0)
      const rows = first!.rows(recordId)
      for (const other of others) {
        expect(other.pipe.documents(recordId)).toEqual(first!.pipe.documents(recordId))
        expect(other.rows(recordId)).toEqual(rows)
      }
      for (const { host } of all.machines) host.takeEvents()
      for (const machine of all.machines) {
        await machine.pipe.reproject(recordId)
        expect(machine.rows(recordId)).toEqual(rows)
        expect(machine.host.takeEvents().filter(({ type }) => type.startsWith('feed.'))).toEqual([])
      }
    }),
    { numRuns: runs, endOnFailure: true },
  )
}, 600_000)
