// The examples of the API page, run as they are written: HTTP, GraphQL, OData, JavaScript, Python and curl find the same
// records in the same order.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AskedField, AskedRecords } from '../../renderer/features/api/asked-records.ts'
import type { ExampleKind } from '../../renderer/features/api/request-examples.ts'
import { exampleKinds, requestExample } from '../../renderer/features/api/request-examples.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

const run = promisify(execFile)

let host: TestHost
let key: string
let makers: string[]

const plain = { leadsOn: false, multiple: false, dated: false } as const
const fields: readonly AskedField[] = [
  { ...plain, name: 'name' },
  { ...plain, name: 'status' },
  { ...plain, name: 'hours' },
  { ...plain, name: 'urgent' },
  { ...plain, name: 'due', dated: true },
  { ...plain, name: 'seen', dated: true },
  { ...plain, name: 'labels', multiple: true },
  { ...plain, name: 'maker', leadsOn: true },
]

beforeAll(async () => {
  host = await createTestHost()
  await host.patch('/settings', { rateLimits: { heavy: null, read: null, write: null } })
  await host.defineObject('tool_maker', { name: { type: 'text' } })
  await host.defineObject('garden_tool', {
    name: { type: 'text', searchable: true },
    status: { type: 'select', options: ['new', 'worn', 'lost'] },
    hours: { type: 'number', scale: 1 },
    urgent: { type: 'boolean' },
    due: { type: 'date' },
    seen: { type: 'datetime' },
    labels: { type: 'tags' },
    maker: { type: 'lookup', reference: 'tool_maker' },
  })
  const made = await host.post('/data/tool_maker/createMany', [{ name: 'Opinel' }, { name: "O'Dell & Sons" }])
  makers = made.body.records.map(({ id }: { id: string }) => id)
  const days = ['2026-01-01', '2026-02-03', '2026-05-20', null]
  const rows = Array.from({ length: 24 }, (_, i) => ({
    name: ['Spade', "Gardener's fork", 'Rake "wide"', 'Hoe 100%_', 'Schöpfkelle', 'spade & rake'][i % 6],
    status: i % 5 === 4 ? null : ['new', 'worn', 'lost'][i % 3],
    hours: i % 7 === 6 ? null : i / 2,
    urgent: i % 2 === 0,
    due: i % 4 === 1 ? new Date().toISOString().slice(0, 10) : days[i % 4],
    seen: i % 3 === 0 ? null : `2026-03-0${(i % 9) + 1}T0${i % 10}:30:00.000Z`,
    labels: ['red', 'old', 'big'].filter((_label, at) => (i >> at) % 2 === 1),
    maker: i % 4 === 3 ? null : makers[i % 2],
  }))
  expect((await host.post('/data/garden_tool/createMany', rows)).status).toBe(201)
  key = (await host.post('/keys', { name: 'examples', readOnly: true })).body.key
}, 60_000)
afterAll(async () => host?.stop())

const asked = (more: Partial<AskedRecords>): AskedRecords => ({
  baseUrl: host.host.url,
  prefix: '/api/v1',
  object: 'garden_tool',
  fields,
  filter: undefined,
  sort: [
    { field: 'name', order: 'desc' },
    { field: 'hours', order: 'asc' },
  ],
  search: '',
  top: 50,
  timeZone: 'UTC',
  ...more,
})

const headers = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
const env = () => ({ ...process.env, CAIRN_API_KEY: key })

/** Runs a text the way its reader would, and answers the ids of what it finds. */
const runners: Readonly<Record<ExampleKind, (text: string) => Promise<string[]>>> = {
  async rest(text) {
    const [head, body] = text.split('\n\n')
    const [method, path] = head!.split('\n')[0]!.split(' ')
    const answer = await fetch(host.host.url + path!, { method: method!, headers: headers(), body: body! })
    return idsOf((await answerOf(answer))['records'])
  },
  async graphql(query) {
    const body = JSON.stringify({ query })
    const answer = await fetch(`${host.host.url}/api/v1/graphql`, { method: 'POST', headers: headers(), body })
    const { data } = await answerOf(answer)
    return idsOf(Object.values(data as Record<string, { records: unknown }>)[0]!.records)
  },
  odata: async (address) => idsOf((await answerOf(await fetch(address, { headers: headers() })))['value']),
  javascript: async (text) =>
    idsOf(JSON.parse((await run(process.execPath, ['--input-type=module', '-e', text], { env: env() })).stdout)),
  python: async (text) => idsOf(JSON.parse((await run('python3', ['-c', text], { env: env() })).stdout)),
  curl: async (text) => idsOf(JSON.parse((await run('sh', ['-c', text], { env: env() })).stdout).records),
}

async function answerOf(answer: Response): Promise<Record<string, unknown>> {
  const body = (await answer.json()) as Record<string, unknown>
  expect([answer.status, body['errors']], JSON.stringify(body).slice(0, 500)).toEqual([200, undefined])
  return body
}

function idsOf(records: unknown): string[] {
  return (records as { id: string }[]).map(({ id }) => id)
}

/** Those that cost no process, and all of them. */
const quick: readonly ExampleKind[] = ['rest', 'graphql', 'odata']

async function isThere(command: string): Promise<boolean> {
  return run(command, ['--version']).then(
    () => true,
    () => false,
  )
}

async function expectSame(kinds: readonly ExampleKind[], more: Partial<AskedRecords>): Promise<number> {
  const request = asked(more)
  const found = await Promise.all(
    kinds.map(async (kind) => [kind, await runners[kind](requestExample(kind, request)!)] as const),
  )
  const [, expected] = found[0]!
  for (const [kind, ids] of found) expect({ kind, ids }).toEqual({ kind, ids: expected })
  return expected.length
}

describe('an example', () => {
  const filters: readonly (readonly [string, () => Record<string, unknown>])[] = [
    ['a text', () => ({ name: { $eq: "Gardener's fork" } })],
    ['another text', () => ({ name: { $ne: 'Rake "wide"' } })],
    ['a part of a text', () => ({ name: { $contains: '100%_' } })],
    ['no part of a text', () => ({ name: { $notContains: 'spade' } })],
    ['a beginning', () => ({ name: { $startsWith: 'Schö' } })],
    ['an end', () => ({ name: { $endsWith: '& rake' } })],
    ['options', () => ({ status: { $in: ['new', 'lost'] } })],
    ['no options', () => ({ status: { $nin: ['new', 'lost'] } })],
    ['nothing', () => ({ status: { $null: true } })],
    ['something', () => ({ hours: { $null: false } })],
    ['a number', () => ({ hours: { $gte: 4.5 } })],
    ['numbers', () => ({ hours: { $between: [2, 7.5] } })],
    ['true', () => ({ urgent: { $eq: true } })],
    ['a day', () => ({ due: { $lte: '2026-02-03' } })],
    ['a period', () => ({ due: { $during: 'this_year' } })],
    ['an instant', () => ({ seen: { $gt: '2026-03-05T00:00:00.000Z' } })],
    ['an instant in a period', () => ({ seen: { $during: 'this_month' } })],
    ['any label', () => ({ labels: { $any: ['red', 'big'] } })],
    ['all labels', () => ({ labels: { $all: ['red', 'old'] } })],
    ['a label', () => ({ labels: { $contains: 'old' } })],
    ['no label', () => ({ labels: { $notContains: 'old' } })],
    ['a link', () => ({ maker: { $eq: makers[0] } })],
    ['no link', () => ({ maker: { $null: true } })],
    ['what a link leads to', () => ({ 'maker.name': { $eq: "O'Dell & Sons" } })],
    ['all', () => ({ $and: [{ hours: { $gt: 1 } }, { $or: [{ urgent: { $eq: true } }, { status: 'worn' }] }] })],
    ['not', () => ({ $not: { hours: { $gt: 6 } } })],
    ['several of one field', () => ({ hours: { $gt: 1, $lt: 9 } })],
  ]

  it.each(filters)('asks for %s', async (_name, filter) => {
    await expectSame(quick, { filter: filter() })
  })

  it('searches, and asks for everything', async () => {
    expect(await expectSame(quick, { search: 'spade' })).toBe(8)
    expect(await expectSame(quick, { sort: [] })).toBe(24)
    expect(await expectSame(quick, { top: 5 })).toBe(5)
  })

  it('runs as a program in every language that is here', async () => {
    const python = await isThere('python3')
    const curl = await isThere('curl')
    const kinds = exampleKinds.filter((kind) => (kind !== 'python' || python) && (kind !== 'curl' || curl))
    const filter = { $or: [{ name: "Gardener's fork" }, { urgent: { $eq: true } }, { status: { $null: true } }] }
    expect(await expectSame(kinds, { filter, search: '' })).toBeGreaterThan(10)
    expect(await expectSame(kinds, { filter: { name: { $contains: '100%_' } } })).toBe(4)
  })

  it('says where a language has no words for something', () => {
    expect(requestExample('odata', asked({ filter: { name: { $like: 'a_b' } } }))).toBeNull()
    expect(requestExample('graphql', asked({ filter: { due: { $lt: { $today: '' } } } }))).toBeNull()
    expect(requestExample('rest', asked({ filter: { due: { $lt: { $today: '' } } } }))).not.toBeNull()
  })
})
