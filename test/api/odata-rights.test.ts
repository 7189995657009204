// OData under rights (D-183): five callers with different rights get through it, and through GraphQL, what the data endpoints
// give them, whatever the filter, the order and the page; names and numbers tell no more.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import { sized } from '../support/test-size.ts'

let host: PeopledHost
/** 0 ada owns half of the deals, 1 bob sees rows by a rule and not every field, 2 eve is a guest, 3 ron reads all. */
const [ada, bob, eve, ron] = [0, 1, 2, 3]
const words = ['red', 'Red', 'blue', "o'x", '']
const days = ['2026-01-01', '2026-02-10', '2026-12-31']

type Row = Record<string, unknown>

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}, {}, {}, {}] })
  // Thousands of questions in a minute.
  await host.patch('/settings', { rateLimits: { heavy: null, read: null, write: null } })
  await host.defineObject('region', { name: { type: 'text' }, secret: { type: 'text' } })
  await host.defineObject('vault', { name: { type: 'text' } })
  await host.defineObject(
    'deal',
    {
      title: { type: 'text' },
      amount: { type: 'number' },
      margin: { type: 'number' },
      due: { type: 'date' },
      won: { type: 'boolean' },
      tags: { type: 'tags' },
      region: { type: 'lookup', reference: 'region', relationshipName: 'deals' },
      vault: { type: 'lookup', reference: 'vault' },
    },
    { sharingModel: 'private' },
  )
  const regions = (
    await host.post(
      '/data/region/createMany',
      words.map((name) => ({ name, secret: `s ${name}` })),
    )
  ).body.records
  const vault = (await host.post('/data/vault', { name: 'gold' })).body.id
  const deals = Array.from({ length: 40 }, (_, index) => ({
    title: words[index % 5]! || null,
    amount: index % 7 === 0 ? null : (index * 37) % 11,
    margin: index % 4,
    due: days[index % 3],
    won: index % 2 === 0,
    tags: words.slice(index % 4, (index % 4) + 2).filter((word) => word !== ''),
    region: regions[index % 5].id,
    vault,
    owner: index % 2 === 0 ? testUserId(ada) : testUserId(bob),
  }))
  expect((await host.post('/data/deal/createMany', deals)).status).toBe(201)
  await host.saveItem('permission', 'some', {
    objects: { deal: { allowRead: true, allowEdit: true, allowCreate: true }, region: { allowRead: true } },
    fields: {
      'deal.margin': { readable: false },
      'region.secret': { readable: false },
      'deal.due': { editable: false },
    },
    rowLevelSecurity: [{ name: 'large', object: 'deal', actions: ['read'], condition: 'record.amount >= 5' }],
  })
  await host.saveItem('permission', 'all', {
    objects: {
      deal: { allowRead: true, viewAllRecords: true },
      region: { allowRead: true },
      vault: { allowRead: true },
    },
  })
  await host.assign(ada, { profile: 'standard' })
  await host.assign(bob, { profile: 'guest', permissionSets: ['some'] })
  await host.assign(eve, { profile: 'guest' })
  await host.assign(ron, { profile: 'guest', permissionSets: ['all'] })
}, 60_000)
afterAll(() => host.stop())

const callers = (): ({ readonly name: string } & Pick<PeopledHost, 'get' | 'post'>)[] => [
  { name: 'owner of the host', get: host.get, post: host.post },
  ...[ada, bob, eve, ron].map((at) => ({ name: `user ${at}`, get: host.as(at).get, post: host.as(at).post })),
]

interface Condition {
  readonly odata: string
  readonly rest: Row
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
const comparison = <T>(field: string, values: readonly T[], write: (value: T) => string): fc.Arbitrary<Condition> =>
  fc.tuple(fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le'), fc.constantFrom(...values)).map(([word, value]) => ({
    odata: `${field.replaceAll('.', '/')} ${word} ${write(value)}`,
    rest: { [field]: { [`$${word.replace(/^([gl])e$/, '$1te')}`]: value } },
  }))
const leaf: fc.Arbitrary<Condition> = fc.oneof(
  comparison('title', words, quoted),
  comparison('region.name', words, quoted),
  comparison('amount', [0, 3, 5, 10], String),
  comparison('margin', [0, 2], String),
  comparison('region.secret', ['s red'], quoted),
  comparison('vault.name', ['gold'], quoted),
  comparison('due', days, String),
  fc.constantFrom('contains', 'startsWith', 'endsWith').chain((name) =>
    fc.constantFrom('re', 'D', 'x').map((part) => ({
      odata: `${name.toLowerCase()}(title,${quoted(part)})`,
      rest: { title: { [`$${name}`]: part } },
    })),
  ),
  fc
    .constantFrom('title', 'amount', 'nothing')
    .map((field) => ({ odata: `${field} eq null`, rest: { [field]: null } })),
  fc.constant({ odata: 'won', rest: { won: true } }),
  fc.subarray(words.slice(0, 4), { minLength: 1 }).map((list) => ({
    odata: `title in (${list.map(quoted).join(',')})`,
    rest: { title: { $in: list } },
  })),
  fc.constantFrom('red', 'blue').map((tag) => ({
    odata: `tags/any(t:t eq ${quoted(tag)})`,
    rest: { tags: { $contains: tag } },
  })),
)
const condition: fc.Arbitrary<Condition> = fc.letrec<{ any: Condition }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.tuple(fc.constantFrom('and', 'or'), tie('any'), tie('any')).map(([word, one, other]) => ({
      odata: `(${one.odata}) ${word} (${other.odata})`,
      rest: { [`$${word}`]: [one.rest, other.rest] },
    })),
    tie('any').map(({ odata, rest }) => ({ odata: `not (${odata})`, rest: { $not: rest } })),
  ),
})).any
const order = fc.uniqueArray(
  fc.tuple(fc.constantFrom('title', 'amount', 'due', 'region.name', 'margin', 'won'), fc.boolean()),
  { maxLength: 3, selector: ([field]) => field },
)
const page = fc.record({ top: fc.integer({ min: 1, max: 30 }), skip: fc.integer({ min: 0, max: 10 }) })

/** The same filter as an argument of GraphQL. */
function whereOf(filter: Row): Row {
  return Object.fromEntries(
    Object.entries(filter).map(([key, value]): [string, unknown] => {
      if (key === '$not') return ['not', whereOf(value as Row)]
      if (key === '$and' || key === '$or') return [key.slice(1), (value as Row[]).map(whereOf)]
      const test =
        value === null
          ? { isNull: true }
          : typeof value === 'object'
            ? Object.fromEntries(Object.entries(value).map(([word, operand]) => [word.slice(1), operand]))
            : { eq: value }
      const [field, inner] = key.split('.')
      return [field!, inner === undefined ? test : { [inner]: test }]
    }),
  )
}

/** Lists with a directive are run field by field, others are answered by one read. */
const listByGraphql = (directive: string, isCounted: boolean): string => `
  query ($where: DealWhere, $orderBy: [DealOrder!], $top: Int, $skip: Int) {
    dealList(where: $where, orderBy: $orderBy, top: $top, skip: $skip) {
      records { id title ${directive} amount due won tags regionId region { id name } updated_at } ${isCounted ? 'total' : ''} hasMore
    }
  }`

/** Lists are written by the database from the second time on, if nothing is counted. */
async function asked<Answer>(times: number, ask: () => Promise<Answer>): Promise<Answer> {
  for (let before = 1; before < times; before += 1) await ask()
  return ask()
}

const bare = ({ '@odata.etag': _tag, ...row }: Row): Row => row

describe('the same lists through all doors', () => {
  it(
    'whatever is asked, whoever asks',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          condition,
          order,
          page,
          fc.constantFrom('', '@include(if: true)'),
          fc.boolean(),
          async (filter, terms, { top, skip }, directive, isCounted) => {
            const times = isCounted ? 1 : 2
            const sort = terms.map(([field, falls]) => `${falls ? '-' : ''}${field}`).join(',')
            const $orderby = terms
              .map(([field, falls]) => `${field.replaceAll('.', '/')}${falls ? ' desc' : ''}`)
              .join(',')
            const rest = new URLSearchParams({
              filter: JSON.stringify(filter.rest),
              top: String(top),
              skip: String(skip),
              ...(isCounted ? { count: 'true' } : {}),
              ...(sort === '' ? {} : { sort }),
            })
            const odata = new URLSearchParams({
              $filter: filter.odata,
              $top: String(top),
              $skip: String(skip),
              ...(isCounted ? { $count: 'true' } : {}),
              ...($orderby === '' ? {} : { $orderby }),
            })
            // Orders of GraphQL name fields of the object alone.
            const isOwn = terms.every(([field]) => !field.includes('.'))
            const variables = {
              where: whereOf(filter.rest),
              orderBy: terms.map(([field, falls]) => ({ field, order: falls ? 'desc' : 'asc' })),
              top,
              skip,
            }
            for (const { name, get, post } of callers()) {
              const expected = await get(`/data/deal?${rest}`)
              const found = await asked(times, () => get(`/odata/deal?${odata}`))
              const query = listByGraphql(directive, isCounted)
              const told = isOwn ? await asked(times, () => post('/graphql', { query, variables })) : null
              expect([name, found.status, found.body.error?.code]).toEqual([
                name,
                expected.status,
                expected.body.error?.code,
              ])
              if (expected.status !== 200) {
                expect(found.body.error.details.reason).toBe(expected.body.error.details.reason)
                expect(told?.body.data ?? null, name).toBeNull()
                continue
              }
              if (told !== null) {
                expect(told.body.errors, `${name}: ${JSON.stringify(variables)}`).toBeUndefined()
                const { records, total, hasMore } = told.body.data.dealList
                expect([total, hasMore]).toEqual([expected.body.total, expected.body.hasMore])
                const plain = records.map(({ region, regionId, ...record }: Row) => {
                  expect(region === null ? null : (region as Row)['id']).toBe(regionId)
                  return { ...record, region: regionId }
                })
                const shown = ['id', 'title', 'amount', 'due', 'won', 'tags', 'updated_at', 'region']
                expect(plain).toEqual(
                  expected.body.records.map((record: Row) =>
                    Object.fromEntries(shown.map((key) => [key, record[key]])),
                  ),
                )
              }
              expect(found.body.value.map(bare), `${name}: ${filter.odata}`).toEqual(expected.body.records)
              expect(found.body['@odata.count']).toBe(expected.body.total)
            }
          },
        ),
        { numRuns: sized(20, 150, 5_000) },
      )
    },
    sized(60_000, 1_800_000),
  )
})

describe('what a caller may not read', () => {
  it('is not in the model', async () => {
    const model = async (at: number): Promise<string> => (await host.as(at).get('/odata/$metadata')).body
    expect(await model(bob)).not.toContain('margin')
    expect(await model(bob)).not.toContain('vaultRecord')
    expect(await model(bob)).not.toContain('EntityType="Cairn.vault"')
    expect(await model(bob)).not.toContain('"secret"')
    expect(await model(ron)).toContain('"margin"')
    const sets = async (at: number) => (await host.as(at).get('/odata')).body.value.map(({ name }: Row) => name)
    expect(await sets(bob)).toEqual(['deal', 'region'])
    expect(await sets(eve)).toEqual([])
  })

  it('behaves like what is not there', async () => {
    const words = [
      '$filter=X eq 1',
      '$orderby=X',
      '$select=X',
      '$expand=XRecord',
      '$apply=groupby((X))',
      '$apply=aggregate(X with sum as s)',
      '$filter=length(X) gt 1',
      '$filter=X add 1 gt 1',
      '$filter=amount sub X gt 1',
      '$filter=1 sub (X mul 2) gt 1',
      "$filter=concat(title,X) eq 'a'",
      '$filter=X/$count gt 1',
    ]
    for (const word of words) {
      const [hidden, absent] = await Promise.all(
        ['margin', 'margon'].map((name) => host.as(bob).get(`/odata/deal?${word.replaceAll('X', name)}`)),
      )
      expect([hidden!.status, absent!.status], word).toEqual([400, 400])
      const told = (answer: typeof hidden): string =>
        JSON.stringify(answer!.body.error.details).replaceAll('margin', '').replaceAll('margon', '')
      expect(told(hidden), word).toBe(told(absent))
    }
    for (const path of [
      'deal?$expand=vault',
      "deal?$filter=vault/name eq 'gold'",
      "deal?$filter=vaultRecord/name eq 'gold'",
    ])
      expect((await host.as(bob).get(`/odata/${path}`)).status, path).toBe(400)
    expect((await host.as(bob).get('/odata/vault')).body.error.code).toBe('permission_denied')
    expect((await host.as(eve).get('/odata/deal')).status).toBe(403)
    expect((await host.as(eve).get('/odata/deal/$count')).status).toBe(403)
  })

  it('is not reached from what may be read', async () => {
    const all = (await host.get('/odata/deal?$top=100&$select=id')).body.value.map(({ id }: Row) => id as string)
    const seen = (await host.as(bob).get('/odata/deal?$top=100&$select=id')).body.value.map(
      ({ id }: Row) => id as string,
    )
    expect(seen.length).toBeGreaterThan(0)
    const hidden = all.find((id: string) => !seen.includes(id))!
    for (const path of [`deal(${hidden})`, `deal(${hidden})/title`, `deal(${hidden})/regionRecord`])
      expect((await host.as(bob).get(`/odata/${path}`)).status, path).toBe(404)
    expect((await host.as(bob).get(`/odata/deal(${seen[0]})/margin`)).status).toBe(404)
    const region = (await host.as(bob).get('/odata/region?$top=1&$expand=deals')).body.value[0]
    expect(region.secret).toBeUndefined()
    for (const deal of region.deals) {
      expect(seen).toContain(deal.id)
      expect(deal).not.toHaveProperty('margin')
    }
    const count = (await host.as(bob).get(`/odata/region(${region.id})/deals/$count`)).body
    expect(Number(count)).toBe(region.deals.length)
    const total = (await host.as(bob).get('/odata/deal?$apply=aggregate($count as n)')).body.value
    expect(total).toEqual([{ n: seen.length }])
  })

  it('is not written', async () => {
    const mine = (await host.as(bob).get('/odata/deal?$top=1')).body.value[0]
    const denied = await host.as(bob).patch(`/odata/deal(${mine.id})`, { due: '2027-01-01' })
    expect([denied.status, denied.body.error.details.fields]).toEqual([403, ['due']])
    expect((await host.as(ron).patch(`/odata/deal(${mine.id})`, { title: 'x' })).status).toBe(403)
    expect((await host.as(ron).post('/odata/deal', { title: 'x' })).status).toBe(403)
    expect((await host.as(eve).delete(`/odata/deal(${mine.id})`)).status).toBe(403)
    const batch = await host.as(eve).post(
      '/odata/$batch',
      {
        requests: [
          { id: '1', method: 'GET', url: 'deal' },
          { id: '2', atomicityGroup: 'g', method: 'PATCH', url: `deal(${mine.id})`, body: { title: 'x' } },
        ],
      },
      { prefer: 'continue-on-error' },
    )
    expect(batch.body.responses.map(({ status }: Row) => status)).toEqual([403, 403])
    const replaced = await host.as(bob).put(`/odata/deal(${mine.id})`, { title: 'whole' })
    expect([replaced.status, replaced.body.due, replaced.body.title]).toEqual([200, mine.due, 'whole'])
    expect(replaced.body).not.toHaveProperty('margin')
    expect((await host.get(`/odata/deal(${mine.id})`)).body.margin).toEqual(expect.any(Number))
  })

  it('follows the gates of the object', async () => {
    await host.defineObject('closed', { name: { type: 'text' } }, { enable: { apiEnabled: false } })
    await host.defineObject('listed', { name: { type: 'text' } }, { enable: { apiMethods: ['list'] } })
    expect((await host.get('/odata/closed')).status).toBe(404)
    expect((await host.get('/odata/$metadata')).body).not.toContain('Cairn.closed')
    expect((await host.get('/odata/listed')).status).toBe(200)
    expect((await host.post('/odata/listed', { name: 'x' })).body.error.code).toBe('method_not_allowed')
    const left = async (method: string, path: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${host.host.token}` }
      const body = method === 'GET' ? undefined : { name: 'x' }
      const answer = await host.anonymous(method, `/odata/${path}`, body, headers)
      return [answer.status, answer.headers.get('allow')]
    }
    expect(await left('POST', 'listed')).toEqual([405, 'GET'])
    expect(await left('PUT', 'listed')).toEqual([405, 'GET, POST'])
    expect(await left('GET', 'listed(01900000-0000-7000-8000-000000000000)')).toEqual([405, ''])
    expect(await left('DELETE', 'listed(01900000-0000-7000-8000-000000000000)')).toEqual([405, ''])
    expect((await host.get('/odata/listed?$search=x')).status).toBe(405)
    expect((await host.get('/odata/listed?$apply=aggregate($count as n)')).status).toBe(405)
  })
})
