// Code around writes through the plugin seam (D-95, D-98, D-99): what hooks are shown, what their patch may do, and when
// they run, over HTTP.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { validationError } from '#shared/errors.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { internalContext } from '#main/kernel/context.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { DataService, HookEvent, HookItem, HookOutcome, RecordHooks } from '#main/plugins/data/api.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

type Before = (event: HookEvent, item: HookItem) => HookOutcome | Promise<HookOutcome>

interface Call {
  phase: 'before' | 'after'
  object: string
  event: HookEvent
  items: readonly HookItem[]
}

let host: TestHost
let data: DataService
let calls: Call[] = []
let before: Before = () => ({ ok: true, patch: {} })
let listening = true
/** Runs while the after-hooks do. */
let afterwards: () => Promise<void> = () => Promise.resolve()

const hooks: RecordHooks = {
  listens: (object) => listening && object !== 'quiet',
  async before(_ctx, { object, event, items }) {
    calls.push({ phase: 'before', object, event, items })
    return Promise.all(items.map((item) => before(event, item)))
  },
  async after(_ctx, { object, event, items }) {
    calls.push({ phase: 'after', object, event, items })
    await afterwards()
  },
}

const hookPlugin = definePlugin({
  id: 'test_hooks',
  version: '1.0.0',
  requires: ['data'],
  register(plugin) {
    data = plugin.service('data')
    data.setHooks(hooks)
  },
})

beforeAll(async () => {
  // One value sets the hooks of a host; here it is the one of this test.
  const others = [...corePlugins, ...optionalPlugins].filter((plugin) => plugin.id !== 'scripts')
  host = await createTestHost({ plugins: [...others, hookPlugin] })
  await host.defineObject('task', {
    title: { type: 'text', required: true },
    slug: { type: 'text' },
    count: { type: 'number', defaultValue: 1 },
    fixed: { type: 'text', readonly: true },
    code: { type: 'secret' },
  })
  await host.defineObject('quiet', { title: { type: 'text' } })
})

afterAll(() => host.stop())

beforeEach(() => {
  calls = []
  before = () => ({ ok: true, patch: {} })
  afterwards = () => Promise.resolve()
  listening = true
})

const create = async (title: string): Promise<string> => {
  listening = false
  const { body } = await host.post('/data/task', { title })
  listening = true
  return body.id
}

const phases = (): string[] => calls.map(({ phase, event, items }) => `${phase} ${event} ${items.length}`)
const patching =
  (patch: Record<string, unknown>): Before =>
  () => ({ ok: true, patch })

describe('before-hooks', () => {
  it('see defaults and supplied values of a new record and set fields on top of them', async () => {
    before = (_event, { record }) => ({
      ok: true,
      patch: { slug: `${String(record['title'])}-${String(record['count'])}` },
    })
    const { status, body } = await host.post('/data/task', { title: 'One' })
    expect([status, body.record.slug]).toEqual([201, 'One-1'])
    expect(calls[0]!.items[0]).toMatchObject({ record: { title: 'One', count: 1, slug: null }, previous: null })
    expect(phases()).toEqual(['before insert 1', 'after insert 1'])
    expect(calls[1]!.items[0]).toEqual({ record: body.record, previous: null })
  })

  it('see the stored record and the change of it', async () => {
    const id = await create('old')
    before = (_event, { previous }) => ({ ok: true, patch: { slug: String(previous!['title']) } })
    const { body } = await host.patch(`/data/task/${id}`, { title: 'new' })
    expect(body.record).toMatchObject({ title: 'new', slug: 'old' })
    expect(calls[0]!.items[0]).toMatchObject({ record: { id, title: 'new' }, previous: { id, title: 'old' } })
    expect(calls[1]!.items[0]).toMatchObject({ record: body.record, previous: { title: 'old' } })
  })

  it('are held to the rules of any caller: unknown, read-only and invalid values of a patch are refused', async () => {
    const id = await create('rules')
    const codes = async (patch: Record<string, unknown>): Promise<unknown[]> => {
      before = patching(patch)
      const { status, body } = await host.patch(`/data/task/${id}`, { title: 'x' })
      return [
        status,
        body.error.details.fieldErrors.map((entry: { field: string; code: string }) => [entry.field, entry.code]),
      ]
    }
    expect(await codes({ nope: 1 })).toEqual([400, [['nope', 'unknown_field']]])
    expect(await codes({ fixed: 'changed' })).toEqual([400, [['fixed', 'read_only']]])
    expect(await codes({ count: 'many', title: null })).toEqual([
      400,
      [
        ['title', 'required'],
        ['count', 'invalid_number'],
      ],
    ])
    expect((await host.get(`/data/task/${id}`)).body.record.title).toBe('rules')
  })

  it('refuse a write with their own error, and nothing is stored', async () => {
    before = () => ({
      ok: false,
      error: validationError([{ field: 'title', code: 'rule_violation', message: 'Not today.' }]),
    })
    const { status, body } = await host.post('/data/task', { title: 'refused' })
    expect([status, body.error.details.fieldErrors[0].message]).toEqual([400, 'Not today.'])
    expect((await host.get('/data/task?title=refused&count=true')).body.total).toBe(0)
    expect(phases()).toEqual(['before insert 1'])
  })

  it('may set a secret of a record that comes back from the trash', async () => {
    const id = await create('sealed')
    await host.delete(`/data/task/${id}`)
    before = patching({ code: 'k-1' })
    expect((await host.post(`/data/task/${id}/restore`)).status).toBe(200)
    expect((await host.post(`/data/task/${id}/reveal`, { field: 'code' })).body.value).toBe('k-1')
  })

  it('run around delete and restore; purging what is in the trash is no second delete', async () => {
    const id = await create('gone')
    await host.delete(`/data/task/${id}`)
    expect(phases()).toEqual(['before delete 1', 'after delete 1'])
    before = patching({ slug: 'back' })
    const restored = await host.post(`/data/task/${id}/restore`)
    expect(restored.body.record.slug).toBe('back')
    expect(phases().slice(2)).toEqual(['before restore 1', 'after restore 1'])
    await host.delete(`/data/task/${id}`)
    calls = []
    await host.delete(`/data/task/${id}?purge=true`)
    expect(phases()).toEqual([])
  })

  it('look again when the record changes while they run, and give up after the third time', async () => {
    const id = await create('raced')
    let races = 1
    before = async (_event, { previous }) => {
      const count = Number(previous!['count'])
      if (races > 0) {
        races -= 1
        listening = false
        await host.patch(`/data/task/${id}`, { count: count + 10 })
        listening = true
      }
      return { ok: true, patch: { slug: `seen ${count}` } }
    }
    const once = await host.patch(`/data/task/${id}`, { title: 'raced on' })
    expect(once.body.record).toMatchObject({ title: 'raced on', count: 11, slug: 'seen 11' })
    races = 99
    const never = await host.patch(`/data/task/${id}`, { title: 'lost' })
    expect([never.status, never.body.error.code, 99 - races]).toEqual([409, 'CONCURRENT_UPDATE', 3])
    expect((await host.get(`/data/task/${id}`)).body.record.title).toBe('raced on')
  })

  it('are not run for objects nothing listens to', async () => {
    await host.post('/data/quiet', { title: 'x' })
    expect(calls).toEqual([])
  })

  it('never see the text of a secret, and may leave it alone', async () => {
    const { body } = await host.post('/data/task', { title: 's', code: 'canary-in-hook' })
    await host.patch(`/data/task/${body.id}`, { code: 'canary-again' })
    expect(JSON.stringify(calls)).not.toContain('canary')
    const revealed = await host.post(`/data/task/${body.id}/reveal`, { field: 'code' })
    expect(revealed.body.value).toBe('canary-again')
  })
})

describe('after-hooks', () => {
  it('run after COMMIT and before the answer; a change that changes nothing has none', async () => {
    const id = await create('same')
    let seen: unknown
    afterwards = async () => {
      seen = (await host.get(`/data/task/${id}`)).body.record.title
    }
    await host.patch(`/data/task/${id}`, { title: 'changed' })
    expect(seen).toBe('changed')
    calls = []
    await host.patch(`/data/task/${id}`, { title: 'changed' })
    expect(phases()).toEqual(['before update 1'])
  })
})

describe('hooks around bulk writes', () => {
  it('are called once for a slice of records', async () => {
    before = (_event, { record }) => ({ ok: true, patch: { slug: String(record['title']).toUpperCase() } })
    const records = Array.from({ length: 250 }, (_, at) => ({ data: { title: `t${at}` } }))
    const options = { atomic: false, continueOnError: true, returnRecords: true }
    const { body } = await host.post('/data/task/batch', { operation: 'create', records, options })
    expect(body.succeeded).toBe(250)
    expect(body.results[249].record.slug).toBe('T249')
    expect(phases()).toEqual(['before insert 200', 'after insert 200', 'before insert 50', 'after insert 50'])
  })

  it('fail the records they refuse; the others are written when the batch is not atomic', async () => {
    before = (_event, { record }) =>
      record['title'] === 'bad'
        ? { ok: false, error: validationError([{ field: 'title', code: 'rule_violation', message: 'Bad.' }]) }
        : { ok: true, patch: {} }
    const records = [{ data: { title: 'good' } }, { data: { title: 'bad' } }, { data: { title: 'fine' } }]
    const atomic = await host.post('/data/task/batch', { operation: 'create', records })
    expect([atomic.body.succeeded, atomic.body.results[1].errors[0].details.fieldErrors[0].message]).toEqual([
      0,
      'Bad.',
    ])
    expect(phases()).toEqual(['before insert 3'])
    calls = []
    const each = await host.post('/data/task/batch', {
      operation: 'create',
      records,
      options: { atomic: false, continueOnError: true },
    })
    expect(each.body.succeeded).toBe(2)
    expect(phases()).toEqual(['before insert 3', 'after insert 2'])
  })

  it('run before a validateOnly batch and never after it', async () => {
    before = patching({ slug: 'checked' })
    const { body } = await host.post('/data/task/batch', {
      operation: 'create',
      records: [{ data: { title: 'dry' } }],
      options: { validateOnly: true, returnRecords: true },
    })
    expect([body.success, body.results[0].record.slug]).toEqual([true, 'checked'])
    expect(phases()).toEqual(['before insert 1'])
  })

  it('tell new records of an upsert from known ones', async () => {
    const id = await create('known')
    const { body } = await host.post('/data/task/batch', {
      operation: 'upsert',
      records: [{ id, data: { title: 'known' } }, { data: { title: 'fresh' } }, { id, data: { slug: 's' } }].slice(
        0,
        2,
      ),
    })
    expect(body.results.map((result: { operation: string }) => result.operation)).toEqual(['update', 'create'])
    expect(phases()).toEqual(['before update 1', 'before insert 1', 'after insert 1'])
  })

  it('look again at a record that changes while they run', async () => {
    const id = await create('bulk race')
    let raced = false
    before = async (_event, { previous }) => {
      if (!raced) {
        raced = true
        listening = false
        await host.patch(`/data/task/${id}`, { count: 5 })
        listening = true
      }
      return { ok: true, patch: { slug: `saw ${String(previous!['count'])}` } }
    }
    const { body } = await host.post('/data/task/updateMany', {
      records: [{ id, data: { title: 'after the race' } }],
      options: { returnRecords: true },
    })
    expect(body.results[0].record).toMatchObject({ title: 'after the race', count: 5, slug: 'saw 5' })
  })

  it('see ids of earlier operations of a batch across objects', async () => {
    before = (_event, { record }) => ({ ok: true, patch: { slug: String(record['title']) } })
    const { body } = await host.post('/batch', {
      operations: [
        { object: 'task', action: 'create', data: { title: 'first' } },
        { object: 'task', action: 'create', data: { title: { $ref: 0 } } },
        { object: 'task', action: 'update', id: { $ref: 0 }, data: { title: 'renamed' } },
      ],
      options: { returnRecords: true },
    })
    expect(body.success).toBe(true)
    expect(body.results[1].record.slug).toBe(body.results[0].id)
    expect((await host.get(`/data/task/${body.results[0].id}`)).body.record.title).toBe('renamed')
  })
})

describe('chains of writes (D-99)', () => {
  it('end at depth 5 with validation_error on every write path', async () => {
    const id = await create('deep')
    const ctx = { ...internalContext('deep-chain'), depth: 5 }
    const options = { atomic: true, returnRecords: false, continueOnError: false, validateOnly: false }
    const refused = { code: 'validation_error', details: { reason: 'recursion' } }
    await expect(data.create(ctx, { object: 'task', data: { title: 'x' } })).rejects.toMatchObject(refused)
    await expect(data.update(ctx, { object: 'task', id, data: { title: 'x' } })).rejects.toMatchObject(refused)
    await expect(data.remove(ctx, { object: 'task', id })).rejects.toMatchObject(refused)
    await expect(data.restore(ctx, { object: 'task', id })).rejects.toMatchObject(refused)
    await expect(data.createMany(ctx, { object: 'task', records: [{ title: 'x' }] })).rejects.toMatchObject(refused)
    await expect(
      data.bulk(ctx, { object: 'task', operation: 'delete', records: [{ id }], options }),
    ).rejects.toMatchObject(refused)
    await expect(data.write(ctx, [{ object: 'task', action: 'delete', id }], options)).rejects.toMatchObject(refused)
    const last = await data.update({ ...ctx, depth: 4 }, { object: 'task', id, data: { title: 'last' } })
    expect(last.record['title']).toBe('last')
  })
})
