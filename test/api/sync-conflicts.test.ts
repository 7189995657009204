// Who sees conflicts and who may decide them: rights over objects, rows and fields hold here as everywhere.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { ConflictDraft, ConflictSide } from '#main/plugins/sync/conflicts/conflict-store.ts'
import { conflictId, openConflict, settleConflict } from '#main/plugins/sync/conflicts/conflict-store.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { restricted, restrictedPlugins } from '../support/restricted-permissions.ts'

let host: TestHost
let plugin: PluginHost
const ids: Record<string, string> = {}
const at = '2026-01-31T08:15:30.123Z'
const side = (value: ConflictSide['value']): ConflictSide => ({ value, actor: 'far', device: 'desk', at })

const uids = (object: string) => plugin.service('metadata').objectSchema(object)!
const uidOf = (object: string, field: string): string => uids(object).byName.get(field)!.uid

function draft(
  object: string,
  recordId: string,
  rest: Partial<ConflictDraft> & Pick<ConflictDraft, 'field'>,
): ConflictDraft {
  const { uid } = uids(object)
  const common = { kind: 'field', winner: side('one'), losers: [side('two')] } as const
  return { ...common, doc: `r/${uid}/${recordId}`, object: uid, recordId, ...rest }
}
const store = async (one: ConflictDraft, when = at): Promise<string> =>
  (await plugin.write('test.open', (tx) => openConflict(tx, one, when))).id

beforeAll(async () => {
  const writer = definePlugin({
    id: 'conflict_writer',
    version: '1.0.0',
    requires: ['metadata'],
    register(seen) {
      plugin = seen
    },
  })
  host = await createTestHost({
    plugins: [
      ...restrictedPlugins({
        hiddenObjects: ['secret_thing'],
        hiddenFields: ['task.wage'],
        rows: { task: { title: { $ne: 'Hidden' } } },
      }),
      writer,
    ],
  })
  await host.defineObject('task', { title: { type: 'text' }, wage: { type: 'text' } })
  await host.defineObject('secret_thing', { title: { type: 'text' } })
  expect((await host.post('/sync/enable', { deviceName: 'Laptop' })).status).toBe(202)
  for (const [object, title] of [
    ['task', 'Shown'],
    ['task', 'Hidden'],
    ['secret_thing', 'Thing'],
  ] as const) {
    ids[title] = (await host.post(`/data/${object}`, { title })).body.id
  }
  ids['shown'] = await store(draft('task', ids['Shown']!, { field: uidOf('task', 'title') }))
  ids['wage'] = await store(draft('task', ids['Shown']!, { field: uidOf('task', 'wage') }))
  ids['whole'] = await store(
    draft('task', ids['Shown']!, {
      kind: 'delete_edit',
      field: '',
      winner: side(null),
      losers: [side({ [uidOf('task', 'title')]: 'Title', [uidOf('task', 'wage')]: 'Canary' })],
    }),
  )
  ids['row'] = await store(draft('task', ids['Hidden']!, { field: uidOf('task', 'title') }))
  ids['object'] = await store(draft('secret_thing', ids['Thing']!, { field: uidOf('secret_thing', 'title') }))
})
afterAll(() => host?.stop())

it('lists everything to somebody who may read everything', async () => {
  const { body } = await host.get('/sync/conflicts')
  expect(body.total).toBe(5)
  expect(body.conflicts.map(({ id }: { id: string }) => id).toSorted()).toEqual(
    ['shown', 'wage', 'whole', 'row', 'object'].map((name) => ids[name]).toSorted(),
  )
})

it('lists to others what they may read, and counts no more', async () => {
  const { body } = await host.get('/sync/conflicts', restricted)
  expect(body.total).toBe(2)
  expect(body.conflicts.map(({ id }: { id: string }) => id).toSorted()).toEqual([ids['shown'], ids['whole']].toSorted())
  expect(JSON.stringify(body)).not.toContain('Canary')
  const whole = body.conflicts.find(({ id }: { id: string }) => id === ids['whole'])
  expect(whole.losers[0].value).toEqual({ title: 'Title' })
  const first = await host.get('/sync/conflicts?limit=1', restricted)
  expect(first.body).toMatchObject({ total: 2, hasMore: true })
  const second = await host.get(`/sync/conflicts?limit=1&cursor=${first.body.nextCursor}`, restricted)
  expect(second.body).toMatchObject({ total: 2, hasMore: false })
  expect(second.body.conflicts[0].id).not.toBe(first.body.conflicts[0].id)
})

it('answers what may not be read like what is not there', async () => {
  for (const name of ['wage', 'row', 'object']) {
    const id = ids[name]!
    const calls = [
      host.get(`/sync/conflicts/${id}`, restricted),
      host.post(`/sync/conflicts/${id}/resolve`, { choice: 'loser' }, restricted),
      host.post(`/sync/conflicts/${id}/reopen`, {}, restricted),
    ]
    for (const { status, body } of await Promise.all(calls)) {
      expect([name, status, body.error.code]).toEqual([name, 404, 'sync_conflict_not_found'])
    }
  }
  const many = await host.post(
    '/sync/conflicts/resolve',
    { ids: [ids['wage'], ids['row']], choice: 'newest' },
    restricted,
  )
  expect(many.body.resolved).toEqual([])
  expect(many.body.failed.map(({ error }: { error: { code: string } }) => error.code)).toEqual([
    'sync_conflict_not_found',
    'sync_conflict_not_found',
  ])
  expect((await host.get('/sync/conflicts')).body.total).toBe(5)
})

it('calls objects and fields by what they are called today', async () => {
  const item = (await host.get('/meta/object/task')).body.item
  const { title, ...rest } = item.fields
  const renamed = { ...item, fields: { ...rest, subject: { ...title, renamedFrom: 'title' } } }
  const saved = await host.put('/meta/object/task', { type: 'object', name: 'task', item: renamed })
  expect(saved.status, JSON.stringify(saved.body)).toBe(200)
  expect((await host.get(`/sync/conflicts/${ids['shown']!}`)).body.conflict).toMatchObject({
    object: 'task',
    field: 'subject',
  })
  const answer = await host.post(`/sync/conflicts/${ids['shown']!}/resolve`, { choice: 'loser' })
  expect(answer.body.record).toMatchObject({ subject: 'two' })
})

it('cannot be opened again after 90 days', async () => {
  const old = draft('secret_thing', ids['Thing']!, { field: uidOf('secret_thing', 'title'), kind: 'type' })
  await store(old, '2020-01-01T00:00:00.000Z')
  const end = { choice: 'winner', by: null, at: '2020-01-02T00:00:00.000Z' } as const
  await plugin.write('test.end', (tx) => settleConflict(tx, conflictId(old), end))
  const answer = await host.post(`/sync/conflicts/${conflictId(old)}/reopen`, {})
  expect([answer.status, answer.body.error.details.reason]).toEqual([409, 'too_late'])
})

it('is refused everywhere while sync is off', async () => {
  const other = await createTestHost()
  try {
    for (const path of ['/sync/conflicts', '/sync/conflicts/x', '/sync/problems']) {
      const answer = await other.get(path)
      expect([answer.status, answer.body.error.code], path).toEqual([409, 'sync_disabled'])
    }
    for (const path of ['/sync/conflicts/x/resolve', '/sync/conflicts/resolve', '/sync/conflicts/x/reopen']) {
      const answer = await other.post(path, { choice: path.endsWith('s/resolve') ? 'mine' : 'winner', ids: ['x'] })
      expect([answer.status, answer.body.error.code], path).toEqual([409, 'sync_disabled'])
    }
  } finally {
    await other.stop()
  }
})
