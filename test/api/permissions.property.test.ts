// Random sets, roles, rules, shares and records against a plain reading of D-43 to D-47: what a list, a get, a count and
// an aggregate tell must be what the model says, for every caller.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

const users = [0, 1, 2]
const roles = ['top', 'middle', 'bottom'] as const
const stages = ['new', 'won', 'lost']
const models = ['private', 'read', 'read_write', 'full'] as const

/** Conditions with their meaning. */
const conditions: readonly { text: string; holds: (record: Rec, user: number, given: Given) => boolean }[] = [
  { text: 'record.stage == "won"', holds: ({ stage }) => stage === 'won' },
  {
    text: 'record.amount >= 5 && record.stage != "lost"',
    holds: ({ amount, stage }) => (amount ?? -1) >= 5 && stage !== 'lost',
  },
  { text: '!(record.amount < 5)', holds: ({ amount }) => !(amount !== null && amount < 5) },
  {
    text: 'record.owner == user.id || record.stage in ["new"]',
    holds: ({ owner, stage }, user) => owner === user || stage === 'new',
  },
  { text: '"middle" in user.roles', holds: (_record, _user, { role }) => role === 'middle' },
  { text: 'record.stage == null', holds: ({ stage }) => stage === null },
]

interface Rec {
  readonly owner: number
  readonly stage: string | null
  readonly amount: number | null
}

interface Given {
  readonly role: (typeof roles)[number] | null
  readonly reads: boolean
  readonly viewsAll: boolean
  readonly hidesAmount: boolean
  readonly opensAmount: boolean
  readonly rule: number | null
}

interface World {
  readonly model: (typeof models)[number]
  readonly given: readonly Given[]
  readonly records: readonly Rec[]
  readonly shares: readonly { readonly record: number; readonly to: number | (typeof roles)[number] }[]
}

const given = fc.record({
  role: fc.option(fc.constantFrom(...roles)),
  reads: fc.boolean(),
  viewsAll: fc.boolean(),
  hidesAmount: fc.boolean(),
  opensAmount: fc.boolean(),
  rule: fc.option(fc.nat(conditions.length - 1)),
})
const world: fc.Arbitrary<World> = fc.record({
  model: fc.constantFrom(...models),
  given: fc.tuple(given, given, given),
  records: fc.array(
    fc.record({
      owner: fc.constantFrom(...users),
      stage: fc.option(fc.constantFrom(...stages)),
      amount: fc.option(fc.nat(10)),
    }),
    { maxLength: 8 },
  ),
  shares: fc.array(
    fc.record({ record: fc.nat(7), to: fc.constantFrom<number | (typeof roles)[number]>(...users, ...roles) }),
    {
      maxLength: 4,
    },
  ),
})

/** Whether a user sees a record, as the decisions say it. */
function sees(world: World, user: number, index: number): boolean {
  const mine = world.given[user]!
  const record = world.records[index]!
  if (!mine.reads && !mine.viewsAll) return false
  if (mine.viewsAll || world.model !== 'private' || record.owner === user) return true
  const theirs = world.given[record.owner]!.role
  if (mine.role !== null && theirs !== null && roles.indexOf(mine.role) < roles.indexOf(theirs)) return true
  if (world.shares.some(({ record: shared, to }) => shared === index && (to === user || to === mine.role))) return true
  return mine.rule !== null && conditions[mine.rule]!.holds(record, user, mine)
}

const readsAmount = ({ hidesAmount, opensAmount }: Given): boolean => !hidesAmount || opensAmount

let host: PeopledHost
let run = 0

beforeAll(async () => {
  host = await createPeopledHost({ users: users.map(() => ({})) })
  let parent: string | undefined
  for (const role of roles) {
    await host.saveItem('role', role, { permissionSets: [], ...(parent === undefined ? {} : { parent }) })
    parent = role
  }
})
afterAll(() => host.stop())

/** Makes the world real and answers the ids of its records. */
async function build(object: string, { model, given, records, shares }: World): Promise<string[]> {
  await host.defineObject(
    object,
    { stage: { type: 'select', options: stages, index: true }, amount: { type: 'number' } },
    { sharingModel: model },
  )
  for (const [user, one] of given.entries()) {
    const sets: Record<string, unknown>[] = [
      {
        objects: {
          [object]: {
            allowRead: one.reads,
            viewAllRecords: one.viewsAll,
            ...(one.viewsAll ? { allowRead: true } : {}),
          },
        },
      },
      ...(one.hidesAmount ? [{ fields: { [`${object}.amount`]: { readable: false } } }] : []),
      ...(one.opensAmount ? [{ fields: { [`${object}.amount`]: { readable: true } } }] : []),
      ...(one.rule === null
        ? []
        : [{ rowLevelSecurity: [{ name: 'rule', object, actions: ['read'], condition: conditions[one.rule]!.text }] }]),
    ]
    const names: string[] = []
    for (const [at, set] of sets.entries()) {
      const name = `${object}_${user}_${at}`
      await host.saveItem('permission', name, set)
      names.push(name)
    }
    await host.assign(user, { profile: 'guest', roles: one.role === null ? [] : [one.role], permissionSets: names })
  }
  const data = records.map(({ owner, ...rest }) => ({ ...rest, owner: testUserId(owner) }))
  const ids =
    data.length === 0
      ? []
      : (await host.post(`/data/${object}/createMany`, { records: data })).body.records.map(
          (one: { id: string }) => one.id,
        )
  for (const { record, to } of shares) {
    if (ids[record] === undefined) continue
    const principal =
      typeof to === 'number'
        ? { principalType: 'user', principalId: testUserId(to) }
        : { principalType: 'role', principalId: to }
    expect((await host.post(`/data/${object}/${ids[record]}/shares`, { ...principal, access: 'read' })).status).toBe(
      201,
    )
  }
  return ids as string[]
}

describe('random rights', () => {
  it('show each caller exactly what the model says', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => {
        const object = `thing_${run++}`
        const ids = await build(object, drawn)
        for (const user of users) {
          const me = host.as(user)
          const mine = drawn.given[user]!
          const list = await me.get(`/data/${object}?count=true&top=100`)
          if (!mine.reads && !mine.viewsAll) {
            expect(list.status).toBe(403)
            continue
          }
          const expected = ids.filter((_, index) => sees(drawn, user, index))
          expect(list.body.records.map((record: { id: string }) => record.id)).toEqual(expected)
          expect(list.body.total).toBe(expected.length)
          const isOpen = readsAmount(mine)
          for (const record of list.body.records) expect('amount' in record).toBe(isOpen)
          for (const [index, id] of ids.entries())
            expect((await me.get(`/data/${object}/${id}`)).status).toBe(sees(drawn, user, index) ? 200 : 404)
          const aggregations = [{ function: 'count' }, ...(isOpen ? [{ function: 'sum', field: 'amount' }] : [])]
          const groups = await me.post(`/data/${object}/query`, { aggregations })
          const seen = drawn.records.filter((_, index) => sees(drawn, user, index)).map(({ amount }) => amount)
          const amounts = seen.filter((amount) => amount !== null)
          const sum = amounts.length === 0 ? null : amounts.reduce((a, b) => a + b, 0)
          expect(groups.body.records).toEqual([{ count: expected.length, ...(isOpen ? { sum_amount: sum } : {}) }])
          const hidden = await me.post(`/data/${object}/query`, { filter: { amount: { $gt: 1 } } })
          expect(hidden.status).toBe(isOpen ? 200 : 400)
        }
      }),
      { numRuns: 25 },
    )
  }, 120_000)
})
