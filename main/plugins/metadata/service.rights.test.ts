// What callers without the right to manage metadata may see and do (D-113), over a real database file.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PlatformError } from '#shared/errors.ts'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext, localOwner } from '#main/kernel/context.ts'
import type { TestDatabase } from '../../../test/support/open-test-database.ts'
import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import { metadataMigrations } from './migrations/index.ts'
import type { MetadataCore } from './service.ts'
import { createMetadataService } from './service.ts'

/** The owner may do everything, others what they are named after; they read objects but `vault`, fields but `secret`. */
const authorizer: Authorizer = {
  hasSystemPermission: (ctx, permission) => ctx.actor.id === localOwner.id || ctx.actor.id === permission,
  canObject: (ctx, object, action) => ctx.actor.id === localOwner.id || (action === 'read' && object !== 'vault'),
  rowCondition: () => null,
  canField: (ctx, _object, field) => ctx.actor.id === localOwner.id || field !== 'secret',
  isUnrestricted: (ctx) => ctx.actor.id === localOwner.id,
  fingerprint: (ctx) => ctx.actor.id,
}

const owner: RequestContext = { ...internalContext('request-1', 'API'), actor: localOwner }
const reader = { ...owner, actor: { type: 'user' as const, id: 'reader' } }
const other = { ...owner, actor: { type: 'user' as const, id: 'other' } }

let test: TestDatabase
let service: MetadataCore

beforeEach(async () => {
  test = await openTestDatabase([{ id: 'metadata', migrations: metadataMigrations }])
  const { database, clock, ids, log } = test
  const { read, write } = database
  service = createMetadataService({ read, write, clock, ids, log, authorizer: () => authorizer })
  const fields = { title: { type: 'text' }, secret: { type: 'text' } }
  await save('object', 'task', { fields })
  await save('object', 'vault', { fields })
  await save('page', 'home', { label: 'Home' })
  await save('function', 'sum', { source: '() => 1' })
})

afterEach(async () => {
  await test.close()
})

const save = (type: MetadataType, name: string, item: Record<string, unknown>, more: { draft?: boolean } = {}) =>
  service.save(owner, { type, name, item, ...more })

async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run()
  } catch (error) {
    if (error instanceof PlatformError) return error.code
    throw error
  }
  return 'none'
}

describe('overlays of the workspace', () => {
  it('are written by those who manage metadata', async () => {
    const key = { type: 'page' as const, name: 'home', scope: 'platform' as const }
    expect(await codeOf(() => service.putOverlay(reader, { ...key, patch: {} }))).toBe('permission_denied')
    expect(await codeOf(() => service.removeOverlay(reader, key))).toBe('permission_denied')
    await service.putOverlay(owner, { ...key, patch: { label: 'Ours' } })
    expect(service.overlay(reader, key)).toMatchObject({ patch: { label: 'Ours' } })
    expect(service.layers(reader, 'page', 'home')).toMatchObject({ platform: { label: 'Ours' } })
  })

  it('of objects, fields and hooks are shown to nobody else, nor are their layers', async () => {
    await save('hook', 'task.guard', { object: 'task', events: ['beforeInsert'], body: 'x => x' })
    const items = [
      ['object', 'task'],
      ['field', 'task.title'],
      ['hook', 'task.guard'],
    ] as const
    for (const [type, name] of items) {
      const key = { type, name, scope: 'platform' as const }
      expect(await codeOf(() => service.overlay(reader, key))).toBe('permission_denied')
      expect(await codeOf(() => service.layers(reader, type, name))).toBe('permission_denied')
      expect(service.overlay(owner, key)).toBeNull()
      expect(service.layers(owner, type, name)).toHaveProperty('base')
    }
  })

  it('do not uncover hidden fields', async () => {
    await service.putOverlay(owner, {
      type: 'object',
      name: 'task',
      scope: 'platform',
      patch: { label: 'Ours', fields: { secret: { label: 'Hush' } } },
    })
    const { body } = service.visible(reader, 'object', 'task')
    expect(body).toMatchObject({ label: 'Ours', fields: { title: {} } })
    expect(body['fields']).not.toHaveProperty('secret')
    expect(await codeOf(() => service.visible(reader, 'field', 'task.secret'))).toBe('resource_not_found')
  })
})

describe('overlays of users', () => {
  it('belong to their owner alone', async () => {
    const key = { type: 'page' as const, name: 'home', scope: 'user' as const }
    await service.putOverlay(reader, { ...key, patch: { label: 'Mine' } })
    expect(service.visible(reader, 'page', 'home').body).toMatchObject({ label: 'Mine' })
    expect(service.visible(other, 'page', 'home').body).toMatchObject({ label: 'Home' })
    expect(service.get('page', 'home')?.item).toMatchObject({ label: 'Home' })
    expect(service.effective(reader, 'page', 'home')?.item).toMatchObject({ label: 'Mine' })
    expect(service.overlay(other, key)).toBeNull()
    expect(await service.removeOverlay(other, key)).toBe(false)
    expect(service.overlay(reader, key)).toMatchObject({ owner: 'reader' })
    expect(service.exportOverlays(other, [service.item('page', 'home')!])).toEqual([])
    expect(service.scopes(reader, service.item('page', 'home')!)).toEqual(new Set(['platform', 'user']))
  })

  it('lie over nothing their owner cannot see', async () => {
    const put = (type: MetadataType, name: string) =>
      codeOf(() => service.putOverlay(reader, { type, name, scope: 'user', patch: { label: 'Mine' } }))
    expect(await put('function', 'sum')).toBe('resource_not_found')
    expect(await put('object', 'vault')).toBe('resource_not_found')
    expect(await put('object', 'task')).toBe('validation_error')
    expect(await put('page', 'nothing')).toBe('resource_not_found')
  })
})

describe('views', () => {
  it('of others are hidden while they are personal, also under an overlay', async () => {
    const view = { object: 'task', viewKind: 'list', label: 'Mine', owner: 'reader' }
    await save('view', 'task.mine', { ...view, scope: 'personal' })
    expect(service.visible(reader, 'view', 'task.mine').body).toMatchObject({ label: 'Mine' })
    expect(await codeOf(() => service.visible(other, 'view', 'task.mine'))).toBe('resource_not_found')
    expect(service.visibleList(other, 'view', {})).toEqual([])
    await save('view', 'task.mine', { ...view, scope: 'shared' })
    const patch = { scope: 'shared', owner: 'other' }
    await service.putOverlay(other, { type: 'view', name: 'task.mine', scope: 'user', patch })
    expect(service.visibleList(other, 'view', {})).toHaveLength(1)
    await save('view', 'task.mine', { ...view, scope: 'personal' })
    expect(await codeOf(() => service.visible(other, 'view', 'task.mine'))).toBe('resource_not_found')
    expect(service.visibleList(other, 'view', {})).toEqual([])
  })
})

describe('states, drafts and older versions', () => {
  it('are for those who manage metadata', async () => {
    const page = { type: 'page' as const, name: 'home' }
    await save('page', 'home', { label: 'Draft' }, { draft: true })
    for (const run of [
      () => service.changeState(reader, { ...page, state: 'archived' }),
      () => service.publish(reader, page),
      () => service.discardDraft(reader, page),
      () => service.revert(reader, { ...page, version: 1 }),
    ]) {
      expect(await codeOf(run)).toBe('permission_denied')
    }
    expect(service.visible(owner, 'page', 'home', { state: 'draft' }).body).toMatchObject({ label: 'Draft' })
  })

  it('hide what their items hide', async () => {
    const fields = { title: { type: 'text' }, secret: { type: 'text' }, extra: { type: 'text' } }
    await save('object', 'task', { fields }, { draft: true })
    await save('object', 'vault', { fields }, { draft: true })
    const { body } = service.visible(reader, 'object', 'task', { state: 'draft' })
    expect(Object.keys(body['fields'] as object)).toEqual(['title', 'extra'])
    expect(service.visibleList(reader, 'object', { state: 'draft' })).toEqual([body])
    expect(await codeOf(() => service.visible(reader, 'object', 'vault', { state: 'draft' }))).toBe(
      'resource_not_found',
    )
    expect(await codeOf(() => service.history(reader, 'object', 'vault', { sinceSeq: 0, limit: 1 }))).toBe(
      'resource_not_found',
    )
    expect(await codeOf(() => service.revert(reader, { type: 'object', name: 'vault', version: 1 }))).toBe(
      'resource_not_found',
    )
  })
})

describe('the right to write', () => {
  it('depends on the type: flows and rights have their own', async () => {
    const flows = { ...owner, actor: { type: 'user' as const, id: 'manage_flows' } }
    const rights = { ...owner, actor: { type: 'user' as const, id: 'manage_permissions' } }
    const saveAs = (ctx: RequestContext, type: MetadataType) =>
      codeOf(() => service.save(ctx, { type, name: 'new_one', item: {} }))
    expect(await saveAs(flows, 'flow')).toBe('none')
    expect(await saveAs(flows, 'page')).toBe('permission_denied')
    expect(await saveAs(rights, 'role')).toBe('none')
    expect(await saveAs(rights, 'flow')).toBe('permission_denied')
    // Who may write roles need not read them: a save has no ETag of a read then.
    expect(service.etagSeen(rights, 'role', 'new_one', {})).toBeNull()
    expect(service.etagSeen(flows, 'flow', 'new_one', {})).toMatch(/^"[0-9a-f]{32}"$/)
  })
})

describe('labels in a language', () => {
  it('give no name to a hidden field', async () => {
    const translations = { objects: { task: { label: 'Aufgabe', fields: { secret: { label: 'Geheim' } } } } }
    await save('translation', 'german', { locale: 'de', translations })
    const { body } = service.visible(reader, 'object', 'task', { locale: 'de' })
    expect(body).toMatchObject({ label: 'Aufgabe' })
    expect(JSON.stringify(body)).not.toContain('Geheim')
    expect(service.locales()).toEqual(['de'])
    expect(service.translations('de-AT')).toEqual(translations)
    expect(service.translations('de')).toBe(service.translations('de'))
  })
})
