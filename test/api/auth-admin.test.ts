// The administration of accounts: bans, roles, passwords, impersonation (D-32; safety N3, C6, C10).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

const clock = createManualClock(Date.now())
let host: AuthHost

beforeAll(async () => {
  host = await createAuthHost({}, { clock })
})

afterAll(() => host.stop())

const isOpen = async (token: string): Promise<boolean> =>
  (await host.as(token, 'GET', '/auth/list-sessions')).status === 200

describe('an account', () => {
  it('is made, listed, changed and deleted by the owner', async () => {
    const { id, email } = await host.account('adam')
    const again = await host.post('/auth/admin/create-user', { email: email.toUpperCase(), name: 'Adam', password })
    expect([again.status, again.body.error.code]).toEqual([409, 'user_already_exists'])
    const { body } = await host.get('/auth/admin/list-users?searchValue=ada&limit=10')
    expect(body).toMatchObject({ total: 1, users: [{ id, email, username: 'adam', role: 'user' }] })
    const changed = await host.post('/auth/admin/update-user', { userId: id, data: { name: 'Adam II' } })
    expect(changed.body.user.name).toBe('Adam II')
    const token = await host.signIn('adam')
    expect((await host.post('/auth/admin/remove-user', { userId: id })).body).toEqual({ success: true })
    expect(await isOpen(token)).toBe(false)
    expect((await host.get(`/auth/admin/get-user?id=${id}`)).status).toBe(404)
  })

  it('is made once by repeats with one Idempotency-Key', async () => {
    const repeat = { 'idempotency-key': 'make-odo' }
    const body = { email: 'odo@example.org', name: 'Odo', password }
    const first = await host.post('/auth/admin/create-user', body, repeat)
    const second = await host.post('/auth/admin/create-user', body, repeat)
    expect([first.status, second.status, second.headers.get('idempotent-replay')]).toEqual([200, 200, 'true'])
    expect(second.body).toEqual(first.body)
    const other = await host.post('/auth/admin/create-user', { ...body, password: 'another password' }, repeat)
    expect([other.status, other.body.error.details.reason]).toEqual([409, 'idempotency_key_reused'])
    const refused = await host.post('/auth/admin/create-user', body, { 'idempotency-key': 'make-odo-again' })
    const again = await host.post('/auth/admin/create-user', body, { 'idempotency-key': 'make-odo-again' })
    expect([again.status, again.headers.get('idempotent-replay')]).toEqual([409, 'true'])
    expect({ ...again.body, error: { ...again.body.error, requestId: '' } }).toEqual({
      ...refused.body,
      error: { ...refused.body.error, requestId: '' },
    })
    const kept = host.host.database.read.all({ sql: 'SELECT digest, answer FROM _answer', parameters: [] })
    expect(kept).toEqual([{ digest: '', answer: null }])
  })

  it('is found by one condition beside the search, as the library has it', async () => {
    const made: Record<string, string> = {}
    for (const name of ['lee_1', 'lee_2', 'lee_3']) made[name] = (await host.account(name)).id
    await host.post('/auth/admin/ban-user', { userId: made['lee_2'], banReason: '50% off' })
    await host.post('/auth/admin/set-role', { userId: made['lee_3'], role: 'admin' })
    const found = async (query: string): Promise<string> => {
      const { status, body } = await host.get(`/auth/admin/list-users?searchValue=lee_&limit=50&${query}`)
      expect(status, query).toBe(200)
      expect(body.total, query).toBe(body.users.length)
      return body.users.map(({ username }: { username: string }) => username.slice(4)).join('')
    }
    const cases: [string, string][] = [
      ['filterField=banned&filterValue=true', '2'],
      ['filterField=banned&filterOperator=ne&filterValue=true', '13'],
      ['filterField=role&filterOperator=eq&filterValue=admin', '3'],
      ['filterValue=LEE_1@example.org', '1'],
      ['filterField=banReason&filterOperator=contains&filterValue=0%25', '2'],
      ['filterField=banReason&filterOperator=ne&filterValue=other', '123'],
      ['filterField=username&filterOperator=starts_with&filterValue=lee_', '123'],
      ['filterField=username&filterOperator=ends_with&filterValue=_3', '3'],
      ['filterField=username&filterOperator=in&filterValue=lee_1,lee_3', '13'],
      ['filterField=username&filterOperator=in&filterValue=lee_1&filterValue=lee_2', '12'],
      ['filterField=username&filterOperator=not_in&filterValue=lee_1,lee_3', '2'],
      ['filterField=createdAt&filterOperator=gte&filterValue=2000-01-01', '123'],
      ['filterField=createdAt&filterOperator=lt&filterValue=2000-01-01', ''],
      ['filterField=username&filterOperator=gt&filterValue=lee_1', '23'],
      ['searchField=username&searchOperator=ends_with', ''],
      ['filterField=banned&filterOperator=eq', '123'],
    ]
    for (const [query, expected] of cases) expect(await found(query), query).toBe(expected)
    for (const [query, field] of [
      ['filterField=password&filterValue=x', 'filterField'],
      ['filterOperator=like&filterValue=x', 'filterOperator'],
      ['filterField=banned&filterValue=perhaps', 'filterValue'],
      ['filterField=createdAt&filterValue=soon', 'filterValue'],
    ]) {
      const refused = await host.get(`/auth/admin/list-users?${query}`)
      expect([refused.status, refused.body.error.code], query).toEqual([400, 'validation_error'])
      expect(refused.body.error.details.fieldErrors, query).toMatchObject([{ field }])
    }
  })

  it('of others is nothing to people without the right', async () => {
    await host.account('eve')
    const token = await host.signIn('eve')
    const steps: [string, string, unknown][] = [
      ['GET', '/auth/admin/list-users', undefined],
      ['POST', '/auth/admin/ban-user', { userId: localOwnerId }],
      ['POST', '/auth/admin/set-role', { userId: localOwnerId, role: 'user' }],
      ['POST', '/auth/admin/set-user-password', { userId: localOwnerId, newPassword: password }],
      ['POST', '/auth/admin/impersonate-user', { userId: localOwnerId }],
      ['POST', '/auth/admin/create-user', { email: 'x@example.org', name: 'x', role: 'admin' }],
      ['GET', '/auth/outbox', undefined],
    ]
    for (const [method, path, body] of steps)
      expect((await host.as(token, method, path, body)).body.error?.code, path).toBe('permission_denied')
    const mass = await host.as(token, 'POST', '/auth/update-user', { name: 'Eve', role: 'admin', banned: false })
    expect(mass.status).toBe(200)
    expect((await host.as(token, 'GET', '/auth/get-session')).body.user.role).toBe('user')
  })
})

describe('sessions end', () => {
  it('at a ban, and signing in is refused until it is lifted or over', async () => {
    const { id } = await host.account('bob')
    const token = await host.signIn('bob')
    expect(await isOpen(token)).toBe(true)
    await host.post('/auth/admin/ban-user', { userId: id, banReason: 'spam', banExpiresIn: 3600 })
    expect(await isOpen(token)).toBe(false)
    const refused = await host.anonymous('POST', '/auth/login', { username: 'bob', password })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'account_banned'])
    await host.post('/auth/admin/unban-user', { userId: id })
    expect(await isOpen(await host.signIn('bob'))).toBe(true)
  })

  it('at a change of role and when an administrator sets the password, which must then be changed', async () => {
    const { id } = await host.account('carl')
    const token = await host.signIn('carl')
    await host.post('/auth/admin/set-role', { userId: id, role: 'admin' })
    expect(await isOpen(token)).toBe(false)
    await host.post('/auth/admin/set-role', { userId: id, role: 'user' })
    const second = await host.signIn('carl')
    expect(
      (await host.post('/auth/admin/set-user-password', { userId: id, newPassword: 'given by the owner' })).status,
    ).toBe(200)
    const short = await host.post('/auth/admin/set-user-password', { userId: id, newPassword: 'x' })
    expect(short.body.error.details.fieldErrors[0].field).toBe('newPassword')
    expect(await isOpen(second)).toBe(false)
    const login = { username: 'carl', password: 'given by the owner' }
    const held = await host.anonymous('POST', '/auth/login', login)
    expect([held.status, held.body.error.details.reason]).toEqual([403, 'PASSWORD_CHANGE_REQUIRED'])
    expect(held.headers.getSetCookie()).toEqual([])
    const token3 = held.body.error.details.resetToken as string
    const reset = await host.anonymous('POST', '/auth/reset-password', { token: token3, newPassword: 'chosen by carl' })
    expect(reset.status).toBe(200)
    expect(await isOpen(await host.signIn('carl', 'chosen by carl'))).toBe(true)
  })

  it('with keys, codes of devices and links to another address, once an administrator sets a password (D-421)', async () => {
    const { id } = await host.account('ivy')
    const token = await host.signIn('ivy')
    const { key } = (await host.as(token, 'POST', '/keys', { name: 'left behind' })).body
    const clientId = 'cairn-cli'
    const code = (await host.anonymous('POST', '/auth/device/code', { client_id: clientId })).body
    await host.as(token, 'POST', '/auth/device/approve', { userCode: code.user_code })
    const moves = async (as: string, to: string): Promise<string> => {
      await host.as(as, 'POST', '/auth/change-email', { newEmail: to })
      return new URL(await host.waitingMail(to, 'verify-email')).searchParams.get('token')!
    }
    const moved = async (link: string) => (await host.anonymous('GET', `/auth/verify-email?token=${link}`)).status
    const link = await moves(token, 'ivy@evil.example')
    host.takeEvents()
    await host.post('/auth/admin/set-user-password', { userId: id, newPassword: 'given by the owner' })
    expect(host.takeEvents().map(({ type }) => type)).toContain('auth.key_revoked')
    const grant = 'urn:ietf:params:oauth:grant-type:device_code'
    const fields = { grant_type: grant, device_code: code.device_code, client_id: clientId }
    expect({
      session: await isOpen(token),
      key: (await host.as(key, 'GET', '/keys')).status,
      device: (await host.anonymous('POST', '/auth/device/token', fields)).status,
      link: await moved(link),
    }).toEqual({ session: false, key: 401, device: 400, link: 400 })
    // Nor does a link outlive a password that its person changes or sets by mail.
    const { email } = await host.account('jil')
    const own = await host.signIn('jil')
    const first = await moves(own, 'jil@evil.example')
    const next = { currentPassword: password, newPassword: 'chosen by jil' }
    expect((await host.as(own, 'POST', '/auth/change-password', next)).status).toBe(200)
    expect(await moved(first)).toBe(400)
    const second = await moves(own, 'jil@worse.example')
    await host.anonymous('POST', '/auth/request-password-reset', { email })
    const reset = new URL(await host.waitingMail(email, 'reset-password')).pathname.split('/').at(-1)
    const body = { token: reset, newPassword: 'chosen once more' }
    expect((await host.anonymous('POST', '/auth/reset-password', body)).status).toBe(200)
    expect(await moved(second)).toBe(400)
  })

  it('with codes of devices that wait, where only the own session stays, too', async () => {
    await host.account('kit')
    let own = await host.signIn('kit')
    const client = { client_id: 'cairn-cli' }
    const approved = async (): Promise<string> => {
      const code = (await host.anonymous('POST', '/auth/device/code', client)).body
      expect((await host.as(own, 'POST', '/auth/device/approve', { userCode: code.user_code })).status).toBe(200)
      return code.device_code as string
    }
    const redeem = async (code: string) => {
      const fields = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: code, ...client }
      return (await host.anonymous('POST', '/auth/device/token', fields)).status
    }
    expect(await redeem(await approved())).toBe(200)
    const first = await approved()
    expect((await host.as(own, 'POST', '/auth/revoke-other-sessions', {})).status).toBe(200)
    expect(await redeem(first)).toBe(400)
    const second = await approved()
    const change = { currentPassword: password, newPassword: 'chosen by kit', revokeOtherSessions: true }
    own = (await host.as(own, 'POST', '/auth/change-password', change)).body.token ?? own
    expect([await isOpen(own), await redeem(second)]).toEqual([true, 400])
  })

  it('after seven days without use, and after thirty in any case (D5)', async () => {
    await host.account('dan')
    const idle = await host.signIn('dan')
    const used = await host.signIn('dan')
    const start = clock.now()
    for (let day = 1; day <= 29; day += 1) {
      clock.set(start + day * 86_400_000)
      expect(await isOpen(used), `day ${day}`).toBe(true)
      if (day === 8) {
        const ended = await host.as(idle, 'GET', '/data/task')
        expect([ended.status, ended.body.error.code]).toEqual([401, 'session_expired'])
        expect(await isOpen(idle)).toBe(false)
      }
      // The prolonging write is on its way.
      await host.host.database.write('wait', () => undefined)
    }
    clock.set(start + 30 * 86_400_000 + 60_000)
    expect(await isOpen(used)).toBe(false)
    clock.set(start)
  })
})

describe('impersonation (C10)', () => {
  it('lasts an hour, names both, and changes no credential', async () => {
    const { id } = await host.account('fay')
    host.takeEvents()
    const begun = await host.post('/auth/admin/impersonate-user', { userId: id })
    expect(begun.status).toBe(200)
    const event = host.takeEvents().find(({ type }) => type === 'auth.impersonation_started')!
    expect(event).toMatchObject({ actor: { id: localOwnerId }, payload: { userId: id, impersonatorId: localOwnerId } })
    const token = begun.body.session.token as string
    expect((await host.as(token, 'GET', '/auth/get-session')).body.user.id).toBe(id)
    const steps: [string, unknown][] = [
      ['/auth/change-password', { currentPassword: password, newPassword: 'taken over now' }],
      ['/auth/set-password', { newPassword: 'taken over now' }],
      ['/auth/change-email', { newEmail: 'mine@example.org' }],
      ['/auth/two-factor/enable', { password }],
      ['/auth/delete-user', { password }],
      ['/auth/revoke-sessions', {}],
      ['/auth/device/approve', { userCode: 'BCDF-GHJK' }],
      ['/notifications/devices', { platform: 'web', token: 'not of fay' }],
    ]
    for (const [path, body] of steps) {
      const answer = await host.as(token, 'POST', path, body)
      expect([answer.status, answer.body.error.details.reason], path).toEqual([403, 'IMPERSONATED'])
    }
    // Where notifications go is hers to say: it would be so after the hour as well.
    const preferences = { channels: { slack: { enabled: true, url: 'https://hooks.example.com/x' } } }
    const led = await host.as(token, 'PATCH', '/notifications/preferences', { preferences })
    expect([led.status, led.body.error.details.reason]).toEqual([403, 'IMPERSONATED'])
    expect((await host.as(token, 'GET', '/notifications/preferences')).body.preferences.channels).toEqual({})
    // An address of a file would hold on, too.
    const file = await host.as(token, 'POST', '/storage/upload?filename=a.txt', 'text', {
      'content-type': 'text/plain',
    })
    const lent = (seconds: number) =>
      host.as(token, 'GET', `/storage/files/${file.body.data.fileId}/url?expiresIn=${seconds}`)
    expect((await lent(900)).status).toBe(200)
    expect((await lent(604_800)).body.error.details.fieldErrors).toMatchObject([{ code: 'max_value', constraint: 900 }])
    clock.advance(59 * 60_000)
    expect(await isOpen(token)).toBe(true)
    clock.advance(2 * 60_000)
    expect(await isOpen(token)).toBe(false)
  })

  it('is not of somebody who is shut out, until that is over', async () => {
    const { id } = await host.account('ina')
    await host.post('/auth/admin/ban-user', { userId: id, banExpiresIn: 3_600 })
    const refused = await host.post('/auth/admin/impersonate-user', { userId: id })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'account_banned'])
    clock.advance(3_601_000)
    const begun = await host.post('/auth/admin/impersonate-user', { userId: id })
    expect(await isOpen(begun.body.session.token)).toBe(true)
  })

  it('is never of an administrator, and never inside itself', async () => {
    const { id } = await host.account('gil', 'admin')
    const refused = await host.post('/auth/admin/impersonate-user', { userId: id })
    expect([refused.status, refused.body.error.details.reason]).toEqual([403, 'YOU_CANNOT_IMPERSONATE_ADMINS'])
    expect((await host.post('/auth/admin/impersonate-user', { userId: localOwnerId })).status).toBe(403)
  })

  it('ends when told so, and with a cookie the own session comes back', async () => {
    await host.post('/auth/set-password', { newPassword: password })
    const signedIn = await host.anonymous('POST', '/auth/sign-in/username', { username: 'owner', password })
    expect(signedIn.status, JSON.stringify(signedIn.body)).toBe(200)
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
    const origin = host.host.url
    const { id } = await host.account('hal')
    const begun = await host.anonymous('POST', '/auth/admin/impersonate-user', { userId: id }, { cookie, origin })
    const acting = begun.headers.getSetCookie().map((one) => one.split(';')[0]!)
    expect(acting).toHaveLength(2)
    const headers = { cookie: acting.join('; '), origin }
    expect((await host.anonymous('GET', '/auth/get-session', undefined, headers)).body.user.id).toBe(id)
    const ended = await host.anonymous('POST', '/auth/admin/stop-impersonating', {}, headers)
    expect(ended.status).toBe(200)
    const back = ended.headers.getSetCookie()[0]!.split(';')[0]!
    const own = await host.anonymous('GET', '/auth/get-session', undefined, { cookie: back })
    expect(own.body.user.id).toBe(localOwnerId)
    expect((await host.anonymous('GET', '/auth/list-sessions', undefined, headers)).status).toBe(401)
  })
})

describe('whoever manages users', () => {
  const rights = (systemPermissions: string[]) => ({ objects: {}, fields: {}, systemPermissions, rowLevelSecurity: [] })
  const person = async (name: string, systemPermissions: string[]): Promise<{ id: string; token: string }> => {
    const { id } = await host.account(name)
    await host.put(`/meta/profile/of_${name}`, { name: `of_${name}`, ...rights(systemPermissions) })
    await host.put(`/permissions/assignments/${id}`, { profile: `of_${name}` })
    return { id, token: await host.signIn(name) }
  }

  it('does not come to more by somebody who gives out rights', async () => {
    const manager = await person('mia', ['manage_users'])
    const giver = await person('gus', ['manage_permissions'])
    const steps: [string, Record<string, unknown>][] = [
      ['impersonate-user', {}],
      ['set-user-password', { newPassword: 'given by mia' }],
      ['update-user', { data: { email: 'mia-too@example.org' } }],
      ['ban-user', {}],
      ['revoke-user-sessions', {}],
      ['remove-user', {}],
    ]
    for (const [path, body] of steps) {
      const refused = await host.as(manager.token, 'POST', `/auth/admin/${path}`, { userId: giver.id, ...body })
      expect([refused.status, refused.body.error.code], path).toEqual([403, 'permission_denied'])
    }
    expect(await isOpen(giver.token)).toBe(true)
    // Nor by somebody who came to it meanwhile.
    const other = await person('ora', [])
    const begun = await host.as(manager.token, 'POST', '/auth/admin/impersonate-user', { userId: other.id })
    const acting = begun.body.session.token as string
    expect(await isOpen(acting)).toBe(true)
    await host.put('/meta/profile/of_ora', { name: 'of_ora', ...rights(['manage_permissions']) })
    expect(await isOpen(acting)).toBe(false)
    // An administrator, and who gives out rights too, loses nothing by it.
    const both = await person('bea', ['manage_users', 'manage_permissions'])
    for (const token of [undefined, both.token]) {
      const step = { userId: giver.id }
      const path = '/auth/admin/impersonate-user'
      const allowed = token === undefined ? await host.post(path, step) : await host.as(token, 'POST', path, step)
      expect(await isOpen(allowed.body.session.token)).toBe(true)
    }
    const own = await host.as(both.token, 'POST', '/auth/admin/update-user', { userId: both.id, data: { name: 'Bea' } })
    expect(own.status).toBe(200)
  })

  it('is no administrator any more where another profile was given', async () => {
    const { id } = await host.account('dee', 'admin')
    await host.put('/meta/profile/of_dee', { name: 'of_dee', ...rights(['manage_users']) })
    await host.put(`/permissions/assignments/${id}`, { profile: 'of_dee' })
    const token = await host.signIn('dee')
    const { id: admin } = await host.account('ann', 'admin')
    const made = { email: 'more@example.org', name: 'More', password, role: 'admin' }
    for (const [path, body] of [
      ['set-role', { userId: id, role: 'admin' }],
      ['create-user', made],
      ['set-user-password', { userId: admin, newPassword: 'given by dee' }],
    ] as const) {
      const refused = await host.as(token, 'POST', `/auth/admin/${path}`, body)
      expect([refused.status, refused.body.error?.code], path).toEqual([403, 'permission_denied'])
    }
    const role = async () => (await host.get(`/auth/admin/get-user?id=${id}`)).body.role
    expect(await role()).toBe('user')
    await host.put(`/permissions/assignments/${id}`, { profile: 'administrator' })
    expect(await role()).toBe('admin')
  })

  it('ends no session of an administrator with a narrowed key, nor leads notifications elsewhere with it', async () => {
    const { id } = await host.account('ada', 'admin')
    await host.account('abe', 'admin')
    await host.put('/meta/permission/users_only', { name: 'users_only', ...rights(['manage_users']) })
    const abe = await host.signIn('abe')
    const ada = await host.signIn('ada')
    const { key } = (await host.as(abe, 'POST', '/keys', { name: 'Users', permissionSets: ['users_only'] })).body
    const refused = await host.as(key, 'POST', '/auth/admin/revoke-user-sessions', { userId: id })
    expect([refused.status, refused.body.error.details.reason]).toEqual([403, 'TARGET_IS_ADMINISTRATOR'])
    expect(await isOpen(ada)).toBe(true)
    const preferences = { channels: { slack: { enabled: true, url: 'https://hooks.example.com/x' } } }
    const led = await host.as(key, 'PATCH', '/notifications/preferences', { preferences })
    expect([led.status, led.body.error?.details.reason]).toEqual([403, 'narrowed_key'])
    expect((await host.as(abe, 'POST', '/auth/admin/revoke-user-sessions', { userId: id })).status).toBe(200)
    expect(await isOpen(ada)).toBe(false)
  })
})

describe('the local owner', () => {
  it('can be neither banned, demoted nor deleted', async () => {
    for (const [path, body] of [
      ['ban-user', {}],
      ['set-role', { role: 'user' }],
      ['remove-user', {}],
    ] as const)
      expect((await host.post(`/auth/admin/${path}`, { userId: localOwnerId, ...body })).status, path).toBe(403)
    expect((await host.post('/auth/delete-user', { password })).status).toBe(403)
  })
})

// At the end: the owner has another password from then on.
describe('sessions of the owner end', () => {
  it('also those that a one-time code opened', async () => {
    const headers = { origin: host.host.url }
    const open = async (): Promise<string> => {
      const opened = await host.anonymous('POST', '/_console/session', { code: host.host.mintCode() }, headers)
      return opened.headers.getSetCookie()[0]!.split(';')[0]!
    }
    const holds = async (cookie: string) =>
      (await host.anonymous('GET', '/_console/session', undefined, { cookie })).status === 200
    await host.account('boris', 'admin')
    const [first, newPassword] = [await open(), 'given by boris, an administrator']
    expect(await holds(first)).toBe(true)
    const body = { userId: localOwnerId, newPassword }
    expect((await host.as(await host.signIn('boris'), 'POST', '/auth/admin/set-user-password', body)).status).toBe(200)
    expect(await holds(first)).toBe(false)
    const [own, other] = [await open(), await open()]
    const change = { currentPassword: newPassword, newPassword: 'of the owner alone', revokeOtherSessions: true }
    const changed = await host.anonymous('POST', '/auth/change-password', change, { cookie: own, ...headers })
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    expect([await holds(own), await holds(other)]).toEqual([true, false])
  })
})
