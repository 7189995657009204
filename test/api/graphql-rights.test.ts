// GraphQL and rights: what a caller may not know is in no schema, answer or error, and random queries find through this
// door what they find through the other one, for every caller (D-25, D-47, D-181).
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/create-test-host.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'
import { sized } from '../support/test-size.ts'

let host: PeopledHost
let deals: string[]
let vaults: string[]

/** The callers: everything, the standard profile, a narrow set, nothing at all, and a key that only reads. */
const callers = ['owner', 'standard', 'narrow', 'nobody', 'reading key'] as const
type CallerName = (typeof callers)[number]

const open = ['name', 'stage', 'day', 'labels', 'twin']
const fieldsOf: Readonly<Record<CallerName, readonly string[]>> = {
  owner: [...open, 'amount'],
  standard: [...open, 'amount'],
  narrow: open,
  nobody: [],
  'reading key': [...open, 'amount'],
}

beforeAll(async () => {
  host = await createPeopledHost({
    users: [{}, {}, {}, { scope: { readOnly: true, permissionSets: null }, sameAs: 0 }],
  })
  await host.patch('/settings', { rateLimits: { heavy: null, read: null, write: null } })
  await host.defineObject('treasure', { name: { type: 'text' } })
  await host.defineObject(
    'deal',
    {
      name: { type: 'text' },
      stage: { type: 'select', options: ['new', 'won', 'lost'] },
      amount: { type: 'number' },
      day: { type: 'date' },
      labels: { type: 'tags' },
      twin: { type: 'lookup', reference: 'deal', relationshipName: 'twins' },
      vault: { type: 'lookup', reference: 'treasure', relationshipName: 'hoards' },
    },
    { sharingModel: 'private' },
  )
  await host.saveItem('permission', 'narrow_set', {
    objects: { deal: { allowRead: true, allowEdit: true } },
    fields: { 'deal.amount': { readable: false, editable: false }, 'deal.name': { readable: true, editable: false } },
    rowLevelSecurity: [
      { name: 'no_lost', object: 'deal', actions: ['read', 'edit'], condition: 'record.stage != "lost"' },
    ],
  })
  await host.saveItem('permission', 'all_deals', {
    objects: { deal: { allowCreate: true, allowRead: true, viewAllRecords: true } },
  })
  await host.assign(0, { profile: 'standard', permissionSets: ['all_deals'] })
  await host.assign(1, { profile: 'guest', permissionSets: ['narrow_set'] })
  await host.assign(2, { profile: 'guest' })
  vaults = (await host.post('/data/treasure/createMany', [{ name: 'gold' }])).body.records.map(
    ({ id }: { id: string }) => id,
  )
  const records = Array.from({ length: 40 }, (_, i) => ({
    name: ['Alpha', 'beta', 'Gamma', 'alpha two', null][i % 5],
    stage: ['new', 'won', 'lost', null][i % 4],
    amount: i % 7 === 0 ? null : (i * 37) % 50,
    day: i % 6 === 0 ? null : `2026-03-${String((i % 28) + 1).padStart(2, '0')}`,
    labels: [['a'], ['a', 'b'], ['c'], null][i % 4],
    vault: vaults[0],
  }))
  deals = (await host.post('/data/deal/createMany', { records })).body.records.map(({ id }: { id: string }) => id)
  for (let i = 0; i < 20; i += 1) await host.patch(`/data/deal/${deals[i]}`, { twin: deals[(i * 3 + 1) % 40] })
}, 60_000)

afterAll(async () => host?.stop())

const postAs = (caller: CallerName, path: string, body: unknown): Promise<Answer> => {
  const number = { owner: null, standard: 0, narrow: 1, nobody: 2, 'reading key': 3 }[caller]
  return number === null ? host.post(path, body) : host.as(number).post(path, body)
}

const getAs = (caller: CallerName, path: string): Promise<Answer> => {
  const number = { owner: null, standard: 0, narrow: 1, nobody: 2, 'reading key': 3 }[caller]
  return number === null ? host.get(path) : host.as(number).get(path)
}

const ask = (caller: CallerName, query: string, variables: object = {}): Promise<Answer> =>
  postAs(caller, '/graphql', { query, variables })

interface Pair {
  readonly where: Record<string, unknown>
  readonly filter: Record<string, unknown>
}

const operand: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: fc.constantFrom('Alpha', 'alpha', 'beta', 'a', 'two', ''),
  stage: fc.constantFrom('new', 'won', 'lost'),
  amount: fc.integer({ min: -1, max: 50 }),
  day: fc.constantFrom('2026-03-01', '2026-03-14', '2026-03-28'),
}
const operators: Readonly<Record<string, readonly string[]>> = {
  name: ['eq', 'ne', 'gt', 'lte', 'contains', 'notContains', 'startsWith', 'endsWith'],
  stage: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'],
  amount: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'],
  day: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'],
}

const condition: fc.Arbitrary<Pair> = fc.oneof(
  ...Object.keys(operand).map((field) =>
    fc
      .tuple(fc.constantFrom(...operators[field]!), operand[field]!, fc.boolean())
      .map(([operator, value, isFar]): Pair => {
        const own = { [field]: { [operator]: value } }
        return isFar
          ? { where: { twin: own }, filter: { [`twin.${field}`]: { [`$${operator}`]: value } } }
          : { where: own, filter: { [field]: { [`$${operator}`]: value } } }
      }),
  ),
  ...Object.keys(operand).map((field) =>
    fc
      .tuple(fc.constantFrom('in', 'nin'), fc.array(operand[field]!, { minLength: 1, maxLength: 3 }))
      .map(([operator, values]): Pair => ({
        where: { [field]: { [operator]: values } },
        filter: { [field]: { [`$${operator}`]: values } },
      })),
  ),
  ...['name', 'stage', 'amount', 'day', 'labels'].map((field) =>
    fc.boolean().map((isNull): Pair => ({ where: { [field]: { isNull } }, filter: { [field]: { $null: isNull } } })),
  ),
  fc
    .constantFrom('a', 'b', 'c')
    .map((label): Pair => ({ where: { labels: { contains: label } }, filter: { labels: { $contains: label } } })),
)

const { tree } = fc.letrec<{ tree: Pair }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((parts): Pair => ({
      where: { and: parts.map(({ where }) => where) },
      filter: { $and: parts.map(({ filter }) => filter) },
    })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((parts): Pair => ({
      where: { or: parts.map(({ where }) => where) },
      filter: { $or: parts.map(({ filter }) => filter) },
    })),
    tie('tree').map(({ where, filter }): Pair => ({ where: { not: where }, filter: { $not: filter } })),
  ),
}))

const order = fc.array(
  fc.record({
    field: fc.constantFrom('name', 'stage', 'amount', 'day', 'id', 'twin'),
    order: fc.constantFrom('asc', 'desc'),
  }),
  { maxLength: 3 },
)

const listText = (fields: readonly string[]): string =>
  `query ($where: DealWhere, $orderBy: [DealOrder!], $top: Int, $skip: Int) {
    dealList(where: $where, orderBy: $orderBy, top: $top, skip: $skip) {
      records { id created_at updated_at ownerId ${fields.map((field) => (field === 'twin' ? 'twinId twin { id name }' : field)).join(' ')} }
      total hasMore
    }
  }`

describe('both doors', () => {
  it.each(callers)('answer the same records in the same order to %s', async (caller) => {
    const fields = fieldsOf[caller]
    await fc.assert(
      fc.asyncProperty(tree, order, fc.integer({ min: 1, max: 45 }), fc.nat(5), async (pair, orderBy, top, skip) => {
        const rest = await postAs(caller, '/data/deal/query', {
          filter: pair.filter,
          top,
          skip,
          count: true,
          ...(orderBy.length === 0 ? {} : { sort: orderBy }),
        })
        const { status, body } = await ask(caller, listText(fields), {
          where: pair.where,
          top,
          skip,
          ...(orderBy.length === 0 ? {} : { orderBy }),
        })
        if (rest.status !== 200) {
          expect([rest.status, status === 400 || body.errors.length > 0]).toEqual([
            caller === 'nobody' ? 403 : 400,
            true,
          ])
          return
        }
        expect([status, body.errors]).toEqual([200, undefined])
        const { records, total, hasMore } = body.data.dealList
        const byId = new Map(rest.body.records.map((record: { id: string }) => [record.id, record]))
        expect([records.map(({ id }: { id: string }) => id), total, hasMore]).toEqual([
          rest.body.records.map(({ id }: { id: string }) => id),
          rest.body.total,
          rest.body.hasMore,
        ])
        for (const { twin, twinId, ownerId, ...record } of records) {
          const stored = byId.get(record.id) as Record<string, unknown>
          expect(stored).toMatchObject({ ...record, owner: ownerId, twin: twinId ?? null })
          if (twin !== null) expect(twin.id).toBe(twinId)
        }
      }),
      { numRuns: sized(12, 100, 400) },
    )
  })
})

describe('what a caller may not know', () => {
  it('is in no schema: objects, fields, and relations that lead to them', async () => {
    const mine = async (caller: CallerName): Promise<string> => (await getAs(caller, '/graphql/schema')).body
    expect(await mine('owner')).toMatch(/type Treasure \{/)
    expect(await mine('owner')).toMatch(/hoards\(/)
    const narrow = await mine('narrow')
    expect(narrow).toMatch(/type Deal \{/)
    expect(narrow).toMatch(/vaultId: ID/)
    expect(narrow).not.toMatch(/treasure|hoards|amount/i)
    expect(await mine('nobody')).not.toMatch(/deal|treasure/i)
    expect(await mine('nobody')).toMatch(/type Query/)
  })

  it('is in no introspection, error or suggestion', async () => {
    const { getIntrospectionQuery } = await import('graphql')
    expect(JSON.stringify((await ask('narrow', getIntrospectionQuery())).body)).not.toMatch(/treasure|hoards|amount"/i)
    expect((await ask('narrow', '{ __type(name: "Treasure") { name } }')).body.data).toEqual({ __type: null })
    for (const [unknown, real] of [
      ['{ treasureLis { hasMore } }', '{ treasureList { hasMore } }'],
      ['{ dealList { records { amoun } } }', '{ dealList { records { amount } } }'],
      ['{ dealList(where: {amoun: {gt: 1}}) { hasMore } }', '{ dealList(where: {amount: {gt: 1}}) { hasMore } }'],
      ['{ dealList(orderBy: [{field: amoun}]) { hasMore } }', '{ dealList(orderBy: [{field: amount}]) { hasMore } }'],
      ['mutation { createTreasur(data: {}) { id } }', 'mutation { createTreasure(data: {}) { id } }'],
      [
        `mutation { updateDeal(id: "${deals[0]}", data: {amoun: 1}) { id } }`,
        `mutation { updateDeal(id: "${deals[0]}", data: {amount: 1}) { id } }`,
      ],
    ] as const) {
      const first = await ask('narrow', unknown)
      const second = await ask('narrow', real)
      expect([first.status, second.status]).toEqual([400, 400])
      // The same answer but for the name that was asked for: nothing tells the two apart.
      const words = (text: string) =>
        text.replaceAll(/treasureList?|amount?|Treasure?/gi, '*').replaceAll(/"requestId":"[^"]*"|"column":\d+/g, '')
      expect(words(JSON.stringify(second.body))).toBe(words(JSON.stringify(first.body)))
      expect(JSON.stringify(first.body)).not.toMatch(/treasureList|createTreasure\b|amount/)
    }
    const { body } = await ask('narrow', '{ dealAggregate(measures: ["amount.sum"]) }')
    const other = await ask('narrow', '{ dealAggregate(measures: ["nothin.sum"]) }')
    expect(body.errors[0].extensions.code).toBe('invalid_query')
    expect(
      JSON.stringify(body)
        .replaceAll('amount', '*')
        .replaceAll(/"requestId":"[^"]*"/g, ''),
    ).toBe(
      JSON.stringify(other.body)
        .replaceAll('nothin', '*')
        .replaceAll(/"requestId":"[^"]*"/g, ''),
    )
  })

  it('is no record: rows that are closed are not found, counted or led to', async () => {
    const lost = deals[2]!
    const { body } = await ask('narrow', 'query ($id: ID!) { deal(id: $id) { id } }', { id: lost })
    expect([body.data, body.errors[0].extensions.code]).toEqual([{ deal: null }, 'resource_not_found'])
    const grouped = await ask('narrow', '{ dealAggregate(groupBy: ["stage"], measures: ["count"]) }')
    expect(grouped.body.data.dealAggregate.map(({ stage }: { stage: string }) => stage)).not.toContain('lost')
    const far = await ask('narrow', '{ dealList(top: 40) { records { twinId twin { id stage } twins { stage } } } }')
    const stages = far.body.data.dealList.records.flatMap(
      ({ twin, twins }: { twin: { stage: string } | null; twins: { stage: string }[] }) =>
        [twin, ...twins].map((one) => one?.stage),
    )
    expect(stages).not.toContain('lost')
    expect(
      far.body.data.dealList.records.some(
        ({ twin, twinId }: { twin: unknown; twinId: unknown }) => twin === null && twinId !== null,
      ),
    ).toBe(true)
  })
})

describe('writes', () => {
  it('need the rights they need elsewhere', async () => {
    const create = 'mutation { createDeal(data: {name: "new"}) { id } }'
    for (const [caller, code] of [
      ['narrow', 'permission_denied'],
      ['reading key', 'permission_denied'],
      ['standard', undefined],
    ] as const) {
      const { status, body } = await ask(caller, create)
      expect([status, body.errors?.[0].extensions.code], caller).toEqual([200, code])
    }
    expect((await ask('nobody', create)).status).toBe(400)
    const edit = `mutation { updateDeal(id: "${deals[0]}", data: {name: "renamed"}) { id } }`
    const { extensions } = (await ask('narrow', edit)).body.errors[0]
    expect(extensions).toMatchObject({ code: 'permission_denied', httpStatus: 403, details: { fields: ['name'] } })
    expect(
      (await ask('narrow', `mutation { updateDeal(id: "${deals[0]}", data: {stage: "won"}) { stage } }`)).body.data,
    ).toEqual({ updateDeal: { stage: 'won' } })
    expect(
      (await ask('narrow', `mutation { deleteDeal(id: "${deals[0]}") { id } }`)).body.errors[0].extensions.code,
    ).toBe('permission_denied')
    expect((await ask('narrow', '{ dealList(deleted: only) { hasMore } }')).body.errors[0].extensions.code).toBe(
      'permission_denied',
    )
    expect((await ask('reading key', '{ dealList(top: 1) { hasMore } }')).body.data).toEqual({
      dealList: { hasMore: true },
    })
  })

  it('follow a change of rights at once', async () => {
    const query = '{ dealList(top: 1) { records { amount } } }'
    expect((await ask('narrow', query)).status).toBe(400)
    await host.saveItem('permission', 'wide_set', {
      objects: {},
      fields: { 'deal.amount': { readable: true, editable: false } },
    })
    await host.assign(1, { profile: 'guest', permissionSets: ['narrow_set', 'wide_set'] })
    expect((await ask('narrow', query)).status).toBe(200)
    await host.assign(1, { profile: 'guest', permissionSets: ['narrow_set'] })
    expect((await ask('narrow', query)).status).toBe(400)
  })
})
