// Who may get in after a restore: as before it, for a backup brings data back and no way in that ended since (D-410).
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDataDir } from '#main/data-dir.ts'
import { restoreOffline } from '#main/plugins/backup/offline.ts'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

let host: AuthHost
beforeEach(async () => void (host = await createAuthHost({ plugins: { organization: true } })))
afterEach(() => host.stop())

const changed = 'another long password'

async function backup(): Promise<string> {
  const { body } = await host.post('/backups')
  return body.id as string
}

/** Restores and waits for the host that comes after. @param between what happens while no host runs */
async function restore(id: string, between: () => Promise<void> | void = () => undefined): Promise<void> {
  const { stopped } = host.host
  expect((await host.post(`/backups/${id}/restore`, { confirm: id })).status).toBe(202)
  expect(await stopped).toBe('restart')
  await between()
  await host.restart()
}

/** What a session is answered where no organization is needed. */
const session = async (token: string): Promise<number> => (await host.as(token, 'GET', '/notifications')).status

const lookUp = async (key: string): Promise<number> =>
  (await host.anonymous('GET', '/data/note?top=1', undefined, { 'x-api-key': key })).status

describe('a restored backup', { timeout: 120_000 }, () => {
  it('gives no session, key, password, membership or right back that ended since', async () => {
    await host.defineObject('note', { title: { type: 'text' } })
    const founder = await host.account('founder')
    const founding = await host.signIn('founder')
    const acme = await host.as(founding, 'POST', '/auth/organization/create', { name: 'Acme', slug: 'acme' })
    const people = Object.fromEntries(
      await Promise.all(
        ['leaver', 'banned', 'gone', 'member', 'chief'].map(async (name) => [name, await host.account(name)] as const),
      ),
    )
    const organizationId = acme.body.id as string
    await host.post('/auth/admin/update-user', { userId: people['member']!.id, data: { emailVerified: true } })
    const { email } = people['member']!
    const invited = await host.as(founding, 'POST', '/auth/organization/invite-member', {
      ...{ email, role: 'member', organizationId },
    })
    const invitationId = invited.body.id as string
    const joined = await host.as(await host.signIn('member'), 'POST', '/auth/organization/accept-invitation', {
      invitationId,
    })
    expect(joined.status, JSON.stringify(joined.body)).toBe(200)
    await host.put(`/permissions/assignments/${people['chief']!.id}`, {
      profile: 'administrator',
      roles: [],
      permissionSets: [],
    })
    const rights = { objects: { note: { allowRead: true, viewAllRecords: true } } }
    await host.put('/meta/permission/reads', { type: 'permission', name: 'reads', item: { name: 'reads', ...rights } })
    const { body: revoked } = await host.post('/keys', { name: 'leaked' })
    const { body: lasting } = await host.post('/keys', { name: 'lasting' })
    const signedOut = await host.signIn('leaver')
    const staying = await host.signIn('leaver')
    const banned = await host.signIn('banned')
    const gone = await host.signIn('gone')
    await host.anonymous('POST', '/auth/request-password-reset', { email: people['leaver']!.email })
    const link = new URL(await host.waitingMail(people['leaver']!.email, 'reset-password')).pathname.split('/').at(-1)
    await host.post('/data/note', { title: 'then' })
    const id = await backup()

    await host.post('/data/note', { title: 'since' })
    await host.delete(`/keys/${revoked.id}`)
    const { body: made } = await host.post('/keys', { name: 'made since' })
    await host.as(signedOut, 'POST', '/auth/sign-out', {})
    const reset = await host.anonymous('POST', '/auth/reset-password', { token: link, newPassword: changed })
    expect(reset.status, JSON.stringify(reset.body)).toBe(200)
    const after = await host.signIn('leaver', changed)
    await host.post('/auth/admin/ban-user', { userId: people['banned']!.id, banReason: 'spam' })
    await host.post('/auth/admin/remove-user', { userId: people['gone']!.id })
    const left = await host.as(founding, 'POST', '/auth/organization/remove-member', {
      ...{ memberIdOrEmail: email, organizationId },
    })
    expect(left.status, JSON.stringify(left.body)).toBe(200)
    await host.put('/meta/permission/since', { type: 'permission', name: 'since', item: { name: 'since', ...rights } })
    await host.put(`/permissions/assignments/${people['chief']!.id}`, {
      profile: 'standard',
      roles: [],
      permissionSets: ['reads', 'since'],
    })
    await host.account('newcomer')
    const arrived = await host.signIn('newcomer')
    const before = await Promise.all([session(staying), session(after)])
    await restore(id)

    const { body: notes } = await host.get('/data/note')
    expect(notes.records.map(({ title }: { title: string }) => title)).toEqual(['then'])
    expect({
      revoked: await lookUp(revoked.key),
      lasting: await lookUp(lasting.key),
      made: await lookUp(made.key),
    }).toEqual({ revoked: 401, lasting: 200, made: 200 })
    expect(await Promise.all([session(staying), session(after)])).toEqual(before)
    expect({
      signedOut: await session(signedOut),
      banned: await session(banned),
      gone: await session(gone),
      arrived: await session(arrived),
    }).toEqual({ signedOut: 401, banned: 401, gone: 401, arrived: 200 })
    const again = await host.anonymous('POST', '/auth/reset-password', { token: link, newPassword: password })
    expect(again.status).toBe(400)
    await expect(host.signIn('leaver', password)).rejects.toThrow('invalid')
    await host.signIn('leaver', changed)
    await host.signIn('newcomer')
    await expect(host.signIn('gone')).rejects.toThrow()
    const { body: listed } = await host.get('/auth/admin/list-users')
    const shut = (listed.users as { name: string; banned: boolean; banReason: string }[])
      .filter((user) => user.banned)
      .map(({ name, banReason }) => [name, banReason])
    expect(Object.fromEntries(shut)).toEqual({
      banned: 'spam',
      gone: 'Removed before a backup was restored.',
    })
    const { body: full } = await host.as(
      await host.signIn('founder'),
      'GET',
      '/auth/organization/get-full-organization',
    )
    expect(full.members).toMatchObject([{ userId: founder.id, role: 'owner' }])
    const { body: assignment } = await host.get(`/permissions/assignments/${people['chief']!.id}`)
    // What was made only since is gone: one that gets its name begins with nobody.
    expect(assignment).toMatchObject({ profile: 'standard', permissionSets: ['reads'] })
  })

  it('opens nothing that was shut since, by config.json, an option, or a key that was revoked', async () => {
    const file = join(host.dataDir, 'config.json')
    const shut = readFileSync(file, 'utf8')
    writeFileSync(file, JSON.stringify({ auth: { emailAndPassword: { disableSignUp: false } } }), { mode: 0o600 })
    const hosts = 'webhooks.allowedHosts'
    const token = 'packages.publisherToken'
    await host.patch('/settings', {
      'storage.publicDownloads': true,
      [hosts]: ['one.lan', 'two.lan'],
      [token]: 'known',
    })
    const sent = { name: 'sent', url: 'https://example.com/', triggers: ['api'] }
    expect((await host.post('/webhooks', sent)).status).toBe(201)
    await host.defineObject('note', { title: { type: 'text' } })
    const proof = (token: string) => ({ verificationType: 'header_token', verificationParams: { token } })
    for (const name of ['gone', 'kept']) {
      const inbox = { name, path: name, action: 'upsert_record', target: 'note', ...proof('known by now') }
      expect((await host.post('/webhook-receivers', inbox)).status).toBe(201)
    }
    const model = { provider: 'openai_compatible', baseUrl: 'https://models.example.com/v1', model: 'm' }
    expect((await host.put('/ai/config', model)).status).toBe(200)
    const publicKey = Buffer.alloc(32, 7).toString('base64')
    expect((await host.post('/packages/trusted-keys', { keyId: 'lost', publicKey })).status).toBe(201)
    const id = await backup()
    writeFileSync(file, shut, { mode: 0o600 })
    await host.delete('/packages/trusted-keys/lost')
    await host.put('/ai/config', { provider: 'embedded' })
    await host.delete('/webhook-receivers/gone')
    await host.delete('/webhooks/sent')
    expect((await host.patch('/webhook-receivers/kept', proof('new'))).status).toBe(200)
    const since = {
      'storage.publicDownloads': false,
      'packages.requireSigned': true,
      [hosts]: ['two.lan', 'three.lan'],
      [token]: null,
    }
    expect((await host.patch('/settings', since)).status).toBe(200)
    await restore(id)
    expect(readFileSync(file, 'utf8')).toBe(shut)
    expect((await host.get('/settings')).body.settings).toMatchObject({ ...since, [hosts]: ['two.lan'] })
    expect((await host.get('/ai/config')).body.provider).toBe('embedded')
    expect((await host.get('/packages/trusted-keys')).body.data.keys).toMatchObject([{ keyId: 'lost', revoked: true }])
    expect((await host.get('/webhooks/sent')).body.data.isActive).toBe(false)
    const call = async (path: string, token: string) =>
      (await host.anonymous('POST', `/hooks/${path}`, { title: 'x' }, { 'x-webhook-token': token })).status
    expect([await call('gone', 'known by now'), await call('kept', 'known by now')]).toEqual([404, 401])
    expect(await call('kept', 'new')).toBe(200)
    const body = { name: 'Eve', email: 'eve@example.org', password }
    expect((await host.anonymous('POST', '/auth/sign-up/email', body)).status).not.toBe(200)
  })

  it('brings back an organization that was removed, and takes addresses that moved from one account to another', async () => {
    const founding = await host.account('founder').then(() => host.signIn('founder'))
    const acme = await host.as(founding, 'POST', '/auth/organization/create', { name: 'Acme', slug: 'acme' })
    const [one, two] = [await host.account('one'), await host.account('two')]
    const id = await backup()
    await host.as(founding, 'POST', '/auth/organization/delete', { organizationId: acme.body.id })
    await host.as(founding, 'POST', '/auth/organization/create', { name: 'Other', slug: 'acme' })
    const rename = (userId: string, name: string) =>
      host.post('/auth/admin/update-user', {
        userId,
        data: { email: `${name}@example.org`, username: name, name },
      })
    for (const [userId, name] of [
      [one.id, 'three'],
      [two.id, 'one'],
      [one.id, 'two'],
    ] as const) {
      const { status: answer, body } = await rename(userId, name)
      expect(answer, JSON.stringify(body)).toBe(200)
    }
    await restore(id)
    const { body } = await host.get('/auth/admin/list-users')
    const users = body.users as { id: string; email: string }[]
    expect(users.find((user) => user.id === one.id)?.email).toBe('two@example.org')
    expect(users.find((user) => user.id === two.id)?.email).toBe('one@example.org')
    const { body: organizations } = await host.as(await host.signIn('founder'), 'GET', '/auth/organization/list')
    expect((organizations as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(
      expect.arrayContaining(['Acme', 'Other']),
    )
  })

  it('gives nothing back that ended since when it is put back twice before a start', async () => {
    await host.defineObject('note', { title: { type: 'text' } })
    const { body: revoked } = await host.post('/keys', { name: 'leaked' })
    const id = await backup()
    await host.delete(`/keys/${revoked.id}`)
    await restore(id, () => restoreOffline(host.dataDir, id, { appVersion: '1.0.0', openDataDir }))
    expect(await lookUp(revoked.key)).toBe(401)
  })

  it('ends its sessions and links where nobody can say what has ended since', async () => {
    await host.account('leaver')
    const token = await host.signIn('leaver')
    const { body: key } = await host.post('/keys', { name: 'lasting' })
    await host.defineObject('note', { title: { type: 'text' } })
    const id = await backup()
    await restore(id, () => {
      rmSync(join(host.dataDir, 'restored.json'), { force: true })
    })
    // Without a note it is a start like any other.
    expect(await session(token)).toBe(200)
    const second = await backup()
    await restore(second, () => {
      rmSync(join(host.dataDir, 'backups'), { recursive: true })
    })
    expect(await session(token)).toBe(401)
    expect(await lookUp(key.key)).toBe(200)
    await host.signIn('leaver')
  })
})
