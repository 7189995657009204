// D-42: a process that ends between a write and the keeping of its answer leaves a write that is never done a second time,
// whichever part of the program it is of.
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { rowOf, saveFlow } from '../support/flow-calls.ts'

let host: TestHost
let record: string
let comment: string

const sql = (text: string): void => {
  void host.host.database.write('test.lose', (tx) => void tx.run({ sql: text, parameters: [] }))
}
const rows = (table: string, where = '1'): number =>
  host.host.database.read.get<{ n: number }>({
    sql: `SELECT count(*) AS n FROM ${table} WHERE ${where}`,
    parameters: [],
  })!.n
const feed = (rest = ''): string => `/data/task/${record}/feed${rest}`
const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
const publicKey = Buffer.from(x!, 'base64url').toString('base64')

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text' } }, { enable: { files: true } })
  record = (await host.post('/data/task', { title: 'one' })).body.id
  comment = (await host.post(feed(), { type: 'comment', body: 'first' })).body.data.id
  const said = rowOf({ id: 'say', type: 'log', config: { message: 'said' } })
  await saveFlow(host, 'say_it', said)
  const start = { id: 'start', type: 'start', config: { cron: '0 0 1 1 *' } }
  await saveFlow(host, 'yearly', { type: 'schedule', ...said, nodes: [start, ...said.nodes.slice(1)] })
}, 60_000)

afterAll(() => host?.stop())

/** What a kill between the COMMIT of a write and that of its answer leaves behind: the write, and no answer. */
const loseAnswers = (): void =>
  sql('CREATE TRIGGER lost BEFORE INSERT ON _answer WHEN NEW.answer IS NOT NULL BEGIN SELECT RAISE(IGNORE); END')

/** Each with the rows that it adds once. */
const calls: [what: string, path: () => string, body: unknown, table: string, where?: string][] = [
  ['a comment', feed, { type: 'comment', body: 'second' }, 'feed_item'],
  ['a reaction', () => feed(`/${comment}/reactions`), { emoji: '👍' }, 'feed_reaction'],
  ['a pin', () => feed(`/${comment}/pin`), undefined, 'feed_pin'],
  ['a star', () => feed(`/${comment}/star`), undefined, 'feed_star'],
  ['a run', () => '/automation/say_it/trigger', {}, 'automation_run'],
  ['a run by its trigger', () => '/automation/trigger', { trigger: 'say_it' }, 'automation_run'],
  ['a flow turned off', () => '/automation/say_it/toggle', { enabled: false }, 'automation_flow', 'enabled = 0'],
  ['a schedule paused', () => '/automation/schedules/yearly/pause', undefined, 'automation_schedule', 'is_paused = 1'],
  ['OData', () => '/odata/task', { title: 'by OData' }, 'o_task'],
  ['GraphQL', () => '/graphql', { query: 'mutation { createTask(data: {title: "by GraphQL"}) { id } }' }, 'o_task'],
  [
    'a package',
    () => '/packages',
    { manifest: { id: 'com.example.one', name: 'one', version: '1.0.0', type: 'app' } },
    'packages_package',
  ],
  ['a trusted key', () => '/packages/trusted-keys', { keyId: 'acme', publicKey }, 'packages_key'],
  ['a device', () => '/notifications/devices', { token: 'abc', platform: 'web' }, 'notifications_device'],
  [
    'a webhook',
    () => '/webhooks',
    { name: 'told', object: 'task', triggers: ['create'], url: 'https://a.example' },
    'webhooks_webhook',
  ],
]

it.each(calls)('%s is not made a second time when its answer was lost', async (what, path, body, table, where) => {
  const headers = { 'idempotency-key': what.replaceAll(' ', '-') }
  const before = rows(table, where)
  loseAnswers()
  const first = await host.post(path(), body, headers)
  sql('DROP TRIGGER lost')
  await host.restart()
  expect([first.status < 300, rows(table, where)], JSON.stringify(first.body)).toEqual([true, before + 1])
  const again = await host.post(path(), body, headers)
  expect([again.status, again.body.error?.details]).toEqual([409, { reason: 'idempotency_answer_unknown' }])
  expect(rows(table, where)).toBe(before + 1)
})
