// What the service operations show and do for callers without the right to manage metadata (D-113), over a real database
// file.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PlatformError } from '#shared/errors.ts'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext, localOwner } from '#main/kernel/context.ts'
import type { TestDatabase } from '../../../../test/support/open-test-database.ts'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { metadataMigrations } from '../migrations/index.ts'
import type { MetadataCore } from '../service.ts'
import { createMetadataService } from '../service.ts'
import { bulkRegister, bulkUnregister } from './bulk.ts'
import { cachedItem } from './cached.ts'
import { visibleDependencies, visibleDependents } from './dependencies.ts'
import { exportItems } from './export.ts'
import { importItems } from './import.ts'
import { queryItems } from './query.ts'
import { registerItem } from './register.ts'
import { validateItem } from './validate.ts'

/** The owner may do everything; others read objects but `vault`, and fields but `secret`. */
const authorizer: Authorizer = {
  hasSystemPermission: (ctx) => ctx.actor.id === localOwner.id,
  canObject: (ctx, object, action) => ctx.actor.id === localOwner.id || (action === 'read' && object !== 'vault'),
  rowCondition: () => null,
  canField: (ctx, _object, field) => ctx.actor.id === localOwner.id || field !== 'secret',
  isUnrestricted: (ctx) => ctx.actor.id === localOwner.id,
  fingerprint: (ctx) => ctx.actor.id,
}

const owner: RequestContext = { ...internalContext('request-1', 'API'), actor: localOwner }
const reader: RequestContext = { ...owner, actor: { type: 'user', id: 'reader' } }

let test: TestDatabase
let service: MetadataCore

const save = (type: MetadataType, name: string, item: Record<string, unknown>) =>
  service.save(owner, { type, name, item })

beforeEach(async () => {
  test = await openTestDatabase([{ id: 'metadata', migrations: metadataMigrations }])
  const { database, clock, ids, log } = test
  const { read, write } = database
  service = createMetadataService({ read, write, clock, ids, log, authorizer: () => authorizer })
  await save('object', 'vault', { fields: { code: { type: 'text' } } })
  await save('object', 'task', {
    fields: { title: { type: 'text' }, secret: { type: 'lookup', reference: 'vault' } },
  })
  await save('function', 'sum', { source: 'return 1' })
  await save('profile', 'staff', { objects: { task: { allowRead: true } } })
  await save('hook', 'task.stamp', { object: 'task', events: ['beforeInsert'], function: 'sum' })
  await save('page', 'home', { label: 'Home', object: 'vault' })
})

afterEach(async () => {
  await test.close()
})

async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run()
  } catch (error) {
    if (error instanceof PlatformError) return error.code
    throw error
  }
  return 'none'
}

const everything = { sortBy: 'name', sortOrder: 'asc', page: 1, pageSize: 500 } as const

describe('a caller who may not manage metadata', () => {
  it('finds, lists and looks up only what it may know of', () => {
    const found = (ctx: RequestContext, types?: string[]) =>
      queryItems(service, ctx, { ...everything, types }).items.map(({ type, name }) => `${type} ${name}`)
    expect(found(owner)).toHaveLength(9)
    expect(found(reader)).toEqual(['object task', 'hook task.stamp', 'field task.title'])
    expect(found(reader, ['field'])).toEqual(['field task.title'])
    expect(queryItems(service, reader, { ...everything, search: 'vault' }).total).toBe(0)
    expect(service.visibleNames(reader, 'object')).toEqual(['task'])
    expect(service.visibleNames(reader, 'function')).toEqual([])
  })

  it('gets no cached copy of what it may not see, and a masked one of what it may', async () => {
    for (const [type, name] of [
      ['object', 'vault'],
      ['field', 'task.secret'],
      ['function', 'sum'],
      ['profile', 'staff'],
    ] as const) {
      expect(await codeOf(() => cachedItem(service, reader, { type, name }, {}))).toBe('resource_not_found')
    }
    const path = { type: 'object', name: 'task' }
    const masked = cachedItem(service, reader, path, {})
    expect(Object.keys(masked.data!['fields'] as object)).toEqual(['title'])
    const { etag } = cachedItem(service, owner, path, {})
    expect(cachedItem(service, reader, path, { ifNoneMatch: etag.value }).notModified).toBe(false)
  })

  it('sees no dependency with an end it may not know of', async () => {
    expect(visibleDependencies(service, owner, 'object', 'task')).toHaveLength(1)
    expect(visibleDependencies(service, reader, 'object', 'task')).toEqual([])
    expect(await codeOf(() => visibleDependencies(service, reader, 'page', 'home'))).toBe('resource_not_found')
    expect(visibleDependencies(service, reader, 'hook', 'task.stamp')).toMatchObject([{ targetName: 'task' }])
    expect(visibleDependents(service, owner, 'object', 'task').map((one) => one.sourceName)).toEqual([
      'task.stamp',
      'staff',
    ])
    expect(visibleDependents(service, reader, 'object', 'task').map((one) => one.sourceName)).toEqual(['task.stamp'])
    expect(await codeOf(() => visibleDependents(service, reader, 'object', 'vault'))).toBe('resource_not_found')
  })

  it('writes nothing, whichever way it tries', async () => {
    const page = { type: 'page', name: 'mine', data: {} }
    const items = [page]
    const document = { items: [{ type: 'page', name: 'mine', item: {} }] }
    const request = { data: document, conflictResolution: 'skip', validate: true, dryRun: false } as const
    const attempts: (() => unknown)[] = [
      () => registerItem(service, reader, page),
      () => bulkRegister(service, reader, { items, continueOnError: true }, undefined),
      () =>
        bulkUnregister(
          service,
          reader,
          { items: [{ type: 'page', name: 'home' }], continueOnError: true },
          { confirm: 'true', force: true },
        ),
      () => importItems(service, reader, request, undefined),
      () => importItems(service, reader, { ...request, dryRun: true }, undefined),
      () => validateItem(service, reader, { type: 'page', data: { name: 'mine' } }),
    ]
    for (const attempt of attempts) expect(await codeOf(attempt)).toBe('permission_denied')
    expect(service.list('page').map((one) => one.name)).toEqual(['home'])
  })

  it('would export nothing it may not see', () => {
    const exported = exportItems(service, reader, { format: 'json', includeOverlays: true }, 'now')
    expect(exported.items.map(({ name }) => name)).not.toContain('vault')
    expect(JSON.stringify(exported)).not.toContain('return 1')
  })
})
