// A workspace whose organizations are switched on, off and on again: who is where, what is seen, and what stays (D-41).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-organizations-'))
let host: AuthHost
const ids = new Map<string, string>()
const tokens = new Map<string, string>()
let key = ''
let first = ''

async function start(organization: boolean): Promise<void> {
  await (host as AuthHost | undefined)?.stop()
  host = await createAuthHost({ plugins: { organization } }, { dataDir })
}

const as = (name: string, method: string, path: string, body?: unknown) =>
  host.as(tokens.get(name)!, method, path, body)
const titles = (body: { records: { title: string }[] }): string[] => body.records.map(({ title }) => title).toSorted()
const seenBy = async (name: string): Promise<string[]> => titles((await as(name, 'GET', '/data/note')).body)
const members = async (): Promise<Record<string, string>> => {
  const { body } = await host.get('/auth/organization/list-members')
  const entries = (body.members as { userId: string; role: string }[]).map(({ userId, role }) => [userId, role])
  return Object.fromEntries(entries) as Record<string, string>
}

beforeAll(async () => {
  await start(false)
  await host.defineObject('note', { title: { type: 'text' }, code: { type: 'text', unique: true } })
  for (const name of ['amy', 'bob']) {
    ids.set(name, (await host.account(name, name === 'bob' ? 'admin' : 'user')).id)
    tokens.set(name, await host.signIn(name))
  }
  key = (await as('amy', 'POST', '/keys', { name: 'script' })).body.key
  await host.post('/data/note', { title: 'owner before', code: 'a' })
  await as('amy', 'POST', '/data/note', { title: 'amy before', code: 'b' })
  const gone = await host.post('/data/note', { title: 'in the trash', code: 'c' })
  await host.delete(`/data/note/${gone.body.id}`)
  await start(true)
})
afterAll(async () => {
  await host.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('switched on', () => {
  it('the owner has an organization that holds what was there, and acts in it with the token of the host', async () => {
    const seen = await host.get('/data/note?deleted=include')
    expect([seen.status, titles(seen.body)]).toEqual([200, ['amy before', 'in the trash', 'owner before']])
    const [own] = (await host.get('/auth/organization/list')).body as { id: string }[]
    first = own!.id
    expect((seen.body.records as { organization_id: string }[]).map((one) => one.organization_id)).toEqual(
      [0, 1, 2].map(() => first),
    )
    const made = await host.post('/data/note', { title: 'owner after' })
    expect([made.status, made.body.record.organization_id]).toEqual([201, first])
    expect((await host.get('/auth/get-session')).body.session.activeOrganizationId).toBe(first)
    expect((await host.get('/notifications')).status).toBe(200)
    const audit = await host.get('/audit?kind=record.created&kind=auth.*')
    expect([audit.status, (audit.body.entries as unknown[]).length > 0]).toEqual([200, true])
  })

  it('so does a console session of the owner', async () => {
    const { code } = (await host.post('/_console/session/code')).body as { code: string }
    const origin = { origin: host.host.url }
    const opened = await host.anonymous('POST', '/_console/session', { code }, origin)
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
    const { status, body } = await host.anonymous('GET', '/data/note', undefined, { cookie })
    expect([status, titles(body)]).toEqual([200, ['amy before', 'owner after', 'owner before']])
    const session = await host.anonymous('GET', '/auth/get-session', undefined, { cookie })
    expect(session.body.session.activeOrganizationId).toBe(first)
    // The browser keeps the session it has when the owner goes somewhere else.
    const guarded = { cookie, ...origin }
    const moved = await host.anonymous('POST', '/auth/organization/set-active', { organizationId: first }, guarded)
    expect([moved.status, moved.headers.get('set-cookie')]).toEqual([200, null])
  })

  it('other accounts are members, at once and with the sessions and keys they have', async () => {
    expect(await members()).toEqual({
      [localOwnerId]: 'owner',
      [ids.get('amy')!]: 'member',
      [ids.get('bob')!]: 'admin',
    })
    expect(await seenBy('amy')).toEqual(['amy before', 'owner after', 'owner before'])
    expect((await as('bob', 'GET', '/auth/get-session')).body.session.activeOrganizationId).toBe(first)
    expect((await host.as(key, 'POST', '/data/note', { title: 'by key' })).body.record.organization_id).toBe(first)
  })

  it('a further start changes nothing: who comes later, or was taken out, is in none', async () => {
    ids.set('cat', (await host.account('cat')).id)
    await host.post('/auth/organization/remove-member', { memberIdOrEmail: 'bob@example.org' })
    await start(true)
    tokens.set('cat', await host.signIn('cat'))
    for (const name of ['bob', 'cat']) {
      const answer = await as(name, 'GET', '/data/note')
      expect([answer.status, answer.body.error?.details.reason]).toEqual([403, 'no_organization'])
    }
    expect(await members()).toEqual({ [localOwnerId]: 'owner', [ids.get('amy')!]: 'member' })
  })

  it('whoever is in none still has an inbox', async () => {
    const service = host.host.plugins.service('notifications')!
    const told = { userId: ids.get('cat')!, type: 'system', body: '' } as const
    await host.host.database.write('test.notify', (tx) => service.notify(tx, { ...told, title: 'welcome' }))
    const { status, body } = await as('cat', 'GET', '/notifications')
    expect([status, body.unreadCount]).toEqual([200, 1])
    const mark = await as('cat', 'POST', '/notifications/read', { ids: [body.notifications[0].id] })
    expect([mark.status, mark.body.readCount]).toEqual([200, 1])
  })
})

describe('the active organization', () => {
  it('is the one last worked in, also in a new session; leaving it leads to another one', async () => {
    const made = await as('amy', 'POST', '/auth/organization/create', { name: 'Second', slug: 'second' })
    const second = made.body.id as string
    const active = async (name: string) =>
      (await as(name, 'GET', '/auth/get-session')).body.session.activeOrganizationId as string | null
    expect(await active('amy')).toBe(second)
    tokens.set('amy', await host.signIn('amy'))
    expect(await active('amy')).toBe(second)
    // A key stays where it was made.
    expect((await host.as(key, 'GET', '/data/note')).body.records).toHaveLength(4)
    await as('amy', 'POST', '/auth/organization/set-active', { organizationId: first })
    tokens.set('amy again', await host.signIn('amy'))
    expect(await active('amy again')).toBe(first)
    await as('amy', 'POST', '/auth/organization/set-active', { organizationId: null })
    expect(await active('amy')).toBeNull()
    await as('amy', 'POST', '/auth/organization/set-active', { organizationId: second })
    await as('amy', 'POST', '/data/note', { title: 'amy in second', code: 'a' })
    expect(await seenBy('amy')).toEqual(['amy in second'])
  })

  it('of the connection token can be another one', async () => {
    const made = await host.post('/auth/organization/create', { name: 'Third', slug: 'third' })
    expect((await host.get('/data/note')).body.records).toEqual([])
    await host.post('/auth/organization/set-active', { organizationId: first })
    expect((await host.get('/data/note')).body.records).toHaveLength(4)
    await host.post('/auth/organization/delete', { organizationId: made.body.id })
  })
})

describe('the audit', () => {
  it('of what was done before belongs to the first organization', async () => {
    ids.set('dan', (await host.account('dan', 'admin')).id)
    tokens.set('dan', await host.signIn('dan'))
    await as('dan', 'POST', '/auth/organization/create', { name: 'Dan', slug: 'dan' })
    const entries = ({ body }: { body: { entries: unknown[] } }): number => body.entries.length
    expect(entries(await host.get('/audit?object=note'))).toBeGreaterThan(0)
    expect(entries(await as('dan', 'GET', '/audit?object=note'))).toBe(0)
  })
})

describe('switched off and on again', () => {
  it('nothing is lost, and what was made meanwhile goes where its maker works', async () => {
    await start(false)
    expect(titles((await host.get('/data/note')).body)).toEqual([
      'amy before',
      'amy in second',
      'by key',
      'owner after',
      'owner before',
    ])
    expect((await host.get('/data/note')).body.records[0].organization_id).toBeUndefined()
    await host.post('/data/note', { title: 'owner meanwhile' })
    await as('amy', 'POST', '/data/note', { title: 'amy meanwhile' })
    ids.set('eve', (await host.account('eve')).id)
    tokens.set('eve', await host.signIn('eve'))
    await as('eve', 'POST', '/data/note', { title: 'eve meanwhile' })
    await start(true)
    const before = ['amy before', 'by key', 'eve meanwhile', 'owner after', 'owner before', 'owner meanwhile']
    expect(titles((await host.get('/data/note')).body)).toEqual(before)
    expect(await seenBy('eve')).toEqual(before)
    expect(await seenBy('amy')).toEqual(['amy in second', 'amy meanwhile'])
    for (const name of ['bob', 'cat']) expect((await as(name, 'GET', '/data/note')).status).toBe(403)
    expect(Object.keys(await members()).toSorted()).toEqual([localOwnerId, ids.get('amy')!, ids.get('eve')!].toSorted())
  })
})
