// The metadata service over a real database file.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PlatformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext, localOwner } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import { createOwnerAuthorizer } from '../../../test/support/owner-authorizer.ts'
import type { TestDatabase } from '../../../test/support/open-test-database.ts'
import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import type { SchemaChangeStep } from './api.ts'
import { metadataMigrations } from './migrations/index.ts'
import type { MetadataCore } from './service.ts'
import { createMetadataService } from './service.ts'
import { historyHash } from './service/history.ts'
import { readHistory, readHistoryEntry } from './store.ts'

let test: TestDatabase
let service: MetadataCore
const ctx: RequestContext = {
  ...internalContext('request-1', 'API'),
  actor: localOwner,
  credential: 'connection-token',
}

function openService(): MetadataCore {
  const { database, clock, ids, log } = test
  const authorizer = createOwnerAuthorizer()
  return createMetadataService({
    read: database.read,
    write: database.write,
    clock,
    ids,
    log,
    authorizer: () => authorizer,
  })
}

beforeEach(async () => {
  test = await openTestDatabase([{ id: 'metadata', migrations: metadataMigrations }])
  service = openService()
})

afterEach(async () => {
  await test.close()
})

const task = { name: 'task', label: 'Task', fields: { title: { type: 'text' }, done: { type: 'boolean' } } }

function saveObject(item: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return service.save(ctx, { type: 'object', name: item['name'] as string, item, ...more })
}

async function failure(promise: Promise<unknown>): Promise<PlatformError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof PlatformError)) throw new Error('A platform error was expected.', { cause: error })
  return error
}

function fieldsOf(name: string): Record<string, { uid: string }> {
  return service.get('object', name)!.item['fields'] as Record<string, { uid: string }>
}

describe('saving', () => {
  it('stores an item, answers it from memory and keeps it over a restart', async () => {
    const saved = await saveObject(task)
    expect(saved).toMatchObject({ version: 1, state: 'active', created: true, warnings: [], plan: [], dryRun: false })
    expect(service.get('object', 'task')).toMatchObject({
      name: 'task',
      version: 1,
      createdAt: '2026-01-31T08:15:30.123Z',
    })
    const reopened = openService()
    expect(reopened.get('object', 'task')).toEqual(service.get('object', 'task'))
  })

  it('raises the version and the epoch with every stored change, and not with a repeat', async () => {
    await saveObject(task)
    const epoch = service.epoch()
    expect((await saveObject(task)).version).toBe(1)
    expect(service.epoch()).toBe(epoch)
    expect(await saveObject({ ...task, label: 'Job' })).toMatchObject({ version: 2, created: false })
    expect(service.epoch()).toBe(epoch + 1)
  })

  it('counts a new order of fields as a change', async () => {
    await saveObject(task)
    const { title, done } = task.fields
    expect(await saveObject({ ...task, fields: { done, title } })).toMatchObject({ version: 2 })
    expect(service.objectSchema('task')!.fields.map((field) => field.name)).toEqual(['done', 'title'])
  })

  it('answers the same frozen schema until the object changes', async () => {
    await saveObject(task)
    const schema = service.objectSchema('task')!
    expect(service.objectSchema('task')).toBe(schema)
    expect(Object.isFrozen(schema.definition.fields)).toBe(true)
    await saveObject({ name: 'other', fields: {} })
    expect(service.objectSchema('task')).toBe(schema)
    await saveObject({ ...task, label: 'Job' })
    expect(service.objectSchema('task')).not.toBe(schema)
    expect(service.objectSchemas().map((one) => one.name)).toEqual(['other', 'task'])
  })

  it('leaves memory as it was when the write fails', async () => {
    await saveObject(task)
    const before = service.get('object', 'task')
    service.setTypeHook('object', {
      plan: () => [],
      apply: () => {
        throw new Error('The table cannot be changed.')
      },
    })
    await expect(saveObject({ ...task, label: 'Job' })).rejects.toThrow('The table cannot be changed.')
    expect(service.get('object', 'task')).toBe(before)
    expect(openService().get('object', 'task')).toEqual(before)
    expect(service.history(ctx, 'object', 'task', { sinceSeq: 0, limit: 10 }).entries).toHaveLength(1)
  })

  it('raises one event per change after COMMIT', async () => {
    await saveObject(task)
    await saveObject(task)
    await service.remove(ctx, { type: 'object', name: 'task' })
    expect(test.events.map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: 'metadata.item.saved', payload: { type: 'object', name: 'task', version: 1, actor: localOwner } },
      { type: 'metadata.item.deleted', payload: { type: 'object', name: 'task', version: 2, actor: localOwner } },
    ])
  })

  it('lets concurrent saves of one item follow each other', async () => {
    const saves = Array.from({ length: 20 }, (_, index) => saveObject({ ...task, label: `Task ${index}` }))
    expect((await Promise.all(saves)).map((saved) => saved.version)).toEqual(saves.map((_, index) => index + 1))
  })

  it('lets exactly one of two saves with the same If-Match through', async () => {
    const { etag } = await saveObject(task)
    const results = await Promise.allSettled([
      saveObject({ ...task, label: 'A' }, { ifMatch: etag }),
      saveObject({ ...task, label: 'B' }, { ifMatch: etag }),
    ])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected'])
    expect(service.get('object', 'task')).toMatchObject({ version: 2, item: { label: 'A' } })
  })

  it('answers CONCURRENT_UPDATE with the present item for another version', async () => {
    await saveObject(task)
    const error = await failure(saveObject(task, { ifMatch: '7' }))
    expect(error.code).toBe('CONCURRENT_UPDATE')
    expect(error.details).toMatchObject({ currentVersion: 1, currentItem: { name: 'task' } })
    expect((await failure(saveObject({ ...task, name: 'new_one' }, { ifMatch: '*' }))).details).toEqual({
      currentVersion: null,
      currentItem: null,
    })
  })

  it.each(['1', '"1"', '*', 'W/"1", "x"'])('accepts If-Match %s for version 1', async (ifMatch) => {
    await saveObject(task)
    expect(await saveObject({ ...task, label: 'Job' }, { ifMatch })).toMatchObject({ version: 2 })
  })

  it('creates only with If-None-Match: *', async () => {
    await saveObject(task, { ifNoneMatch: '*' })
    expect((await failure(saveObject(task, { ifNoneMatch: '*' }))).code).toBe('conflict')
  })

  it('refuses what could reach a prototype or is not Unicode', async () => {
    const item = JSON.parse('{"name":"task","fields":{},"x":{"__proto__":{"y":1}},"label":"\\ud800"}') as Record<
      string,
      unknown
    >
    const error = await failure(saveObject(item))
    expect(error.details['fieldErrors']).toMatchObject([
      { field: 'x.__proto__', code: 'not_allowed' },
      { field: 'label', code: 'invalid_format' },
    ])
    expect(({} as Record<string, unknown>)['y']).toBeUndefined()
  })

  it('serves names that objects inherit as ordinary names', async () => {
    expect(service.get('object', 'constructor')).toBeUndefined()
    await saveObject({ name: 'constructor', fields: { constructor: { type: 'text' }, valueof: { type: 'text' } } })
    expect(service.objectSchema('constructor')!.fields.map((field) => field.name)).toEqual(['constructor', 'valueof'])
    expect(service.get('field', 'constructor.constructor')).toBeDefined()
    expect(service.get('field', 'constructor.tostring')).toBeUndefined()
  })

  it('refuses object 1,001', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => saveObject({ name: `o${index}`, fields: {} }))
    await Promise.all(many)
    const error = await failure(saveObject(task))
    expect(error.details['fieldErrors']).toMatchObject([{ field: 'name', code: 'max_items', constraint: 1000 }])
  })

  it('refuses to make types that are not made at run time', async () => {
    const error = await failure(service.save(ctx, { type: 'router', name: 'mine', item: {} }))
    expect(error.details['fieldErrors']).toMatchObject([{ field: 'type', code: 'not_allowed' }])
    expect((await failure(service.save(ctx, { type: 'datasource', name: 'mine', item: {} }))).code).toBe(
      'validation_error',
    )
    await service.save(ctx, { type: 'datasource', name: 'mine', item: {}, packageId: 'org.example.crm' })
    expect(service.get('datasource', 'mine')).toMatchObject({ packageId: 'org.example.crm' })
  })

  it('denies callers without the right', async () => {
    const stranger: RequestContext = { ...ctx, actor: { type: 'user', id: 'someone' } }
    expect((await failure(service.save(stranger, { type: 'object', name: 'task', item: task }))).details).toEqual({
      permission: 'manage_metadata',
    })
    expect((await failure(service.save(stranger, { type: 'role', name: 'boss', item: {} }))).details).toEqual({
      permission: 'manage_permissions',
    })
    expect((await failure(service.remove(stranger, { type: 'flow', name: 'any' }))).details).toEqual({
      permission: 'manage_flows',
    })
  })
})

describe('uids', () => {
  it('are given by the server and kept when the definition comes back without or with another one', async () => {
    await saveObject(task)
    const { uid } = service.get('object', 'task')!
    const before = fieldsOf('task')
    expect(uid).toMatch(/^[0-9a-f]{32}$/)
    expect(service.get('object', 'task')!.item['uid']).toBe(uid)
    expect(service.objectSchema('task')).toMatchObject({ uid })
    await saveObject({
      ...task,
      uid: 'mine',
      fields: { ...task.fields, title: { type: 'text', label: 'T', uid: 'mine' } },
    })
    expect(service.get('object', 'task')!.uid).toBe(uid)
    expect(fieldsOf('task')['title']!.uid).toBe(before['title']!.uid)
    expect(service.objectSchema('task')!.byName.get('done')!.uid).toBe(before['done']!.uid)
  })

  it('follow a renamed field and are not shared with a new field of the old name', async () => {
    await saveObject(task)
    const before = fieldsOf('task')
    await saveObject({ ...task, fields: { subject: { type: 'text', renamedFrom: 'title' }, done: task.fields.done } })
    expect(fieldsOf('task')['subject']!.uid).toBe(before['title']!.uid)
    await saveObject({ ...task, fields: { subject: { type: 'text', renamedFrom: 'title' }, title: { type: 'text' } } })
    expect(fieldsOf('task')['subject']!.uid).toBe(before['title']!.uid)
    expect(fieldsOf('task')['title']!.uid).not.toBe(before['title']!.uid)
  })

  it('are the same everywhere for what a package delivers', async () => {
    await saveObject(task, { packageId: 'org.example.crm' })
    const first = { uid: service.get('object', 'task')!.uid, fields: fieldsOf('task') }
    await test.close()
    test = await openTestDatabase([{ id: 'metadata', migrations: metadataMigrations }])
    service = openService()
    await saveObject(task, { packageId: 'org.example.crm' })
    expect({ uid: service.get('object', 'task')!.uid, fields: fieldsOf('task') }).toEqual(first)
    await saveObject({ ...task, name: 'other' }, { packageId: 'org.example.crm' })
    expect(fieldsOf('other')['title']!.uid).not.toBe(first.fields['title']!.uid)
  })
})

describe('renaming an object', () => {
  it('keeps uid and history, and takes references and children along', async () => {
    await saveObject(task)
    const { uid } = service.get('object', 'task')!
    await saveObject({ name: 'note', fields: { about: { type: 'lookup', reference: 'task' } } })
    await service.save(ctx, { type: 'view', name: 'task.all', item: { object: 'task', viewKind: 'list' } })
    await saveObject({ ...task, name: 'todo', renamedFrom: 'task' })
    expect(service.get('object', 'task')).toBeUndefined()
    expect(service.get('object', 'todo')).toMatchObject({ uid, version: 2 })
    expect(service.objectSchema('note')!.byName.get('about')!.reference).toBe('todo')
    expect(service.get('view', 'task.all')).toBeUndefined()
    expect(service.get('view', 'todo.all')).toMatchObject({ item: { object: 'todo' }, version: 2 })
    expect(service.history(ctx, 'object', 'todo', { sinceSeq: 0, limit: 10 }).entries.map((entry) => entry.op)).toEqual(
      ['create', 'update'],
    )
    expect(openService().list('view')).toEqual(service.list('view'))
  })
})

describe('the hook of a type', () => {
  const step = (destructive: boolean, records = 3): SchemaChangeStep => ({
    change: 'field_removed',
    field: 'done',
    records,
    destructive,
    lossy: destructive ? records : 0,
  })

  it('is set once', () => {
    service.setTypeHook('object', { plan: () => [], apply: () => undefined })
    expect(() => service.setTypeHook('object', { plan: () => [], apply: () => undefined })).toThrow(
      'has a hook already',
    )
  })

  it('asks for consent to a destructive plan and accepts its hash or true', async () => {
    await saveObject(task)
    service.setTypeHook('object', { plan: () => [step(true)], apply: () => undefined })
    const smaller = { ...task, fields: { title: task.fields.title } }
    const refused = await failure(saveObject(smaller))
    expect(refused.code).toBe('destructive_change')
    expect(refused.details).toMatchObject({
      plan: [step(true)],
      planHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    })
    expect(service.get('object', 'task')!.version).toBe(1)
    expect((await failure(saveObject(smaller, { confirm: 'other' }))).details['reason']).toBe('plan_changed')
    const confirm = refused.details['planHash'] as string
    expect(await saveObject(smaller, { confirm })).toMatchObject({ version: 2, plan: [step(true)], planHash: confirm })
    expect(await saveObject(task, { confirm: 'true' })).toMatchObject({ version: 3 })
  })

  it('shows the plan and stores nothing in a dry run', async () => {
    await saveObject(task)
    let applied = 0
    service.setTypeHook('object', { plan: () => [step(true)], apply: () => void (applied += 1) })
    const dry = await saveObject({ ...task, label: 'Job' }, { dryRun: true })
    expect(dry).toMatchObject({ dryRun: true, version: 2, plan: [step(true)] })
    expect(dry.planHash).toMatch(/^[0-9a-f]{64}$/)
    expect(applied).toBe(0)
    expect(service.get('object', 'task')!.version).toBe(1)
  })

  it('is asked again inside the write, so that records stored meanwhile are not lost', async () => {
    await saveObject(task)
    await test.database.write('make', (tx) => tx.ddl('CREATE TABLE o_task (id TEXT)'))
    service.setTypeHook('object', {
      plan: (_previous, next, reads) => {
        const count = reads.get<{ n: number }>(statement('SELECT count(*) AS n FROM o_task'))!.n
        return next === null ? [step(count > 0, count)] : []
      },
      apply: (tx, _ctx, _previous, next) => {
        if (next === null) tx.ddl('DROP TABLE o_task')
      },
    })
    const insert = test.database.write('insert', (tx) => tx.run(statement("INSERT INTO o_task VALUES ('1')")))
    const error = await failure(service.remove(ctx, { type: 'object', name: 'task' }))
    await insert
    expect(error.code).toBe('destructive_change')
    expect(test.database.read.all(statement('SELECT id FROM o_task'))).toEqual([{ id: '1' }])
    await service.remove(ctx, { type: 'object', name: 'task', confirm: error.details['planHash'] as string })
    expect(service.get('object', 'task')).toBeUndefined()
  })
})

describe('removing', () => {
  it('refuses an object that others refer to, unless forced', async () => {
    await saveObject(task)
    await saveObject({
      name: 'note',
      fields: { about: { type: 'lookup', reference: 'task' }, kin: { type: 'lookup', reference: 'note' } },
    })
    const error = await failure(service.remove(ctx, { type: 'object', name: 'task' }))
    expect(error.code).toBe('delete_restricted')
    expect(error.details).toEqual({
      dependents: [
        { sourceType: 'field', sourceName: 'note.about', targetType: 'object', targetName: 'task', kind: 'reference' },
      ],
      dependentObject: 'note',
      dependentField: 'about',
      dependentCount: 1,
    })
    await service.remove(ctx, { type: 'object', name: 'note' })
    await saveObject({ name: 'note', fields: { about: { type: 'lookup', reference: 'task' } } })
    await service.remove(ctx, { type: 'object', name: 'task', force: true })
    expect(service.get('object', 'task')).toBeUndefined()
  })

  it('takes the children of an object with it', async () => {
    await saveObject(task)
    await saveObject({ name: 'task_note', fields: {} })
    await service.save(ctx, { type: 'view', name: 'task.all', item: { object: 'task', viewKind: 'list' } })
    await service.save(ctx, { type: 'view', name: 'everything', item: { object: 'task', viewKind: 'list' } })
    expect((await failure(service.remove(ctx, { type: 'object', name: 'task' }))).details).toMatchObject({
      dependents: [{ sourceType: 'view', sourceName: 'everything', targetName: 'task' }],
    })
    await service.remove(ctx, { type: 'object', name: 'task', force: true })
    expect(service.list('view').map((item) => item.name)).toEqual(['everything'])
    expect(service.list('object').map((item) => item.name)).toEqual(['task_note'])
    expect(openService().list('view')).toEqual(service.list('view'))
  })

  it('answers resource_not_found for what is not there and item_locked for what a package delivered', async () => {
    expect((await failure(service.remove(ctx, { type: 'object', name: 'task' }))).details).toEqual({
      resource: 'object',
      id: 'task',
    })
    await saveObject(task, { packageId: 'org.example.crm' })
    expect((await failure(service.remove(ctx, { type: 'object', name: 'task' }))).code).toBe('item_locked')
    expect((await failure(service.remove(ctx, { type: 'field', name: 'task.title' }))).code).toBe('item_locked')
  })
})

describe('fields as items', () => {
  it('are a projection of their object', async () => {
    await saveObject(task)
    expect(service.list('field').map((item) => item.name)).toEqual(['task.done', 'task.title'])
    expect(service.get('field', 'task.title')).toMatchObject({
      name: 'task.title',
      version: 1,
      item: { name: 'task.title', object: 'task', type: 'text' },
    })
    expect(service.get('field', 'task')).toBeUndefined()
    expect(service.get('field', 'task.')).toBeUndefined()
  })

  it('edit the object when they are written, added or removed', async () => {
    await saveObject(task)
    const { uid } = fieldsOf('task')['title']!
    const item = { ...service.get('field', 'task.title')!.item, label: 'Subject' }
    expect(await service.save(ctx, { type: 'field', name: 'task.title', item })).toMatchObject({
      created: false,
      version: 2,
    })
    expect(service.get('object', 'task')!.item['fields']).toMatchObject({
      title: { type: 'text', label: 'Subject', uid },
    })
    expect(fieldsOf('task')['title']).not.toHaveProperty('object')
    await service.save(ctx, { type: 'field', name: 'task.due', item: { type: 'date' } })
    await service.save(ctx, { type: 'field', name: 'task.subject', item: { type: 'text', renamedFrom: 'title' } })
    expect(Object.keys(fieldsOf('task'))).toEqual(['subject', 'done', 'due'])
    expect(fieldsOf('task')['subject']!.uid).toBe(uid)
    await service.remove(ctx, { type: 'field', name: 'task.done' })
    expect(Object.keys(fieldsOf('task'))).toEqual(['subject', 'due'])
  })

  it('report their problems by the field, and an object that is not there', async () => {
    await saveObject(task)
    const error = await failure(service.save(ctx, { type: 'field', name: 'task.title', item: { type: 'nonsense' } }))
    expect(error.details['fieldErrors']).toMatchObject([{ field: 'type', code: 'invalid_option' }])
    expect(
      (await failure(service.save(ctx, { type: 'field', name: 'nope.title', item: { type: 'text' } }))).details,
    ).toEqual({
      resource: 'object',
      id: 'nope',
    })
    expect((await failure(service.save(ctx, { type: 'field', name: 'title', item: { type: 'text' } }))).code).toBe(
      'validation_error',
    )
  })
})

describe('history', () => {
  it('is a chain of hashes that each cover the event before', async () => {
    await saveObject(task)
    await saveObject({ ...task, label: 'Job' })
    await service.remove(ctx, { type: 'object', name: 'task' })
    await saveObject(task)
    const key = { type: 'object', name: 'task', uid: '' } as const
    const events = readHistory(test.database.read, key, { sinceSeq: 0, limit: 10 })
    expect(events.map(({ op, version }) => [op, version])).toEqual([
      ['create', 1],
      ['update', 2],
      ['delete', 3],
      ['create', 1],
    ])
    let parentHash: string | null = null
    for (const { seq } of events) {
      const entry = readHistoryEntry(test.database.read, key, seq)!
      expect(entry.parentHash).toBe(parentHash)
      expect(historyHash(entry)).toBe(entry.hash)
      expect(historyHash({ ...entry, version: entry.version + 1 })).not.toBe(entry.hash)
      parentHash = entry.hash
    }
  })

  it('gives the item as it was, and pages by sequence number', async () => {
    await saveObject(task)
    await saveObject({ ...task, label: 'Job' })
    const first = service.history(ctx, 'object', 'task', { sinceSeq: 0, limit: 1 })
    expect(first).toMatchObject({ hasMore: true, entries: [{ op: 'create', version: 1 }] })
    const { seq } = first.entries[0]!
    expect(service.historyEntry(ctx, 'object', 'task', seq).item).toMatchObject({ label: 'Task' })
    expect(service.historyEntry(ctx, 'field', 'task.title', seq).item).toMatchObject({ type: 'text' })
    expect(service.history(ctx, 'object', 'task', { sinceSeq: seq, limit: 1 })).toMatchObject({
      hasMore: false,
      entries: [{ version: 2 }],
    })
    expect(() => service.history(ctx, 'object', 'nope', { sinceSeq: 0, limit: 1 })).toThrow(PlatformError)
    expect(() => service.historyEntry(ctx, 'object', 'other', seq)).toThrow(PlatformError)
  })

  it('keeps the last 200 events of an item and all of the others', async () => {
    await saveObject({ name: 'other', fields: {} })
    for (let index = 0; index < 205; index += 1) await saveObject({ ...task, label: `Task ${index}` })
    const { entries } = service.history(ctx, 'object', 'task', { sinceSeq: 0, limit: 300 })
    expect(entries).toHaveLength(200)
    expect(entries.at(-1)).toMatchObject({ version: 205 })
    expect(service.history(ctx, 'object', 'other', { sinceSeq: 0, limit: 10 }).entries).toHaveLength(1)
  })
})

describe('ETags', () => {
  it('depend on item, language, rights and organization', async () => {
    await saveObject(task)
    const tag = (change: Partial<RequestContext>) => service.visible({ ...ctx, ...change }, 'object', 'task').etag
    const own = tag({})
    expect(own).toMatch(/^"[0-9a-f]{32}"$/)
    expect(tag({ requestId: 'request-2', locale: 'de' })).toBe(own)
    const other = tag({ organizationId: 'org-1' })
    await saveObject({ ...task, label: 'Job' })
    expect(new Set([own, other, tag({})]).size).toBe(3)
    await saveObject(task)
    expect(tag({})).toBe(own)
  })
})

describe('what a caller may see', () => {
  it('is nothing of objects the caller cannot read', async () => {
    await saveObject(task)
    const stranger: RequestContext = { ...ctx, actor: { type: 'user', id: 'someone' } }
    expect(service.visibleList(stranger, 'object', {})).toEqual([])
    expect(service.visibleList(stranger, 'field', {})).toEqual([])
    expect(() => service.visible(stranger, 'object', 'task')).toThrow(PlatformError)
  })
})
