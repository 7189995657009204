// Acting as somebody else: for an hour, never as an administrator, without touching a credential, with both names in the
// audit; and a password that somebody else has set (C10).
import { setTimeout as pause } from 'node:timers/promises'
import { localOwnerId } from '#main/kernel/context.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import type { Caller, IdentityProvider } from '#main/kernel/identity.ts'
import type { AuthDoors } from '../../support/auth-doors.ts'
import { withAuthDoors } from '../../support/auth-doors.ts'
import { createAuthHost, password } from '../../support/auth-host.ts'
import type { AuthHost } from '../../support/auth-host.ts'
import { send } from '../identity-client.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** Steps that change how somebody signs in, or what would outlive the hour. */
const credentialSteps: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['POST', '/auth/change-password', { currentPassword: password, newPassword: 'taken over now' }],
  ['POST', '/auth/set-password', { newPassword: 'taken over now' }],
  ['POST', '/auth/verify-password', { password }],
  ['POST', '/auth/change-email', { newEmail: 'taken@example.org' }],
  ['POST', '/auth/update-user', { name: 'Taken' }],
  ['POST', '/auth/delete-user', { password }],
  ['POST', '/auth/two-factor/enable', { password }],
  ['POST', '/auth/two-factor/disable', { password }],
  ['POST', '/auth/two-factor/generate-backup-codes', { password }],
  ['POST', '/auth/two-factor/get-totp-uri', { password }],
  ['POST', '/auth/two-factor/verify-totp', { code: '000000' }],
  ['POST', '/auth/two-factor/verify-backup-code', { code: 'aaaaa-aaaaa' }],
  ['POST', '/auth/revoke-sessions', {}],
  ['POST', '/auth/revoke-other-sessions', {}],
  ['POST', '/auth/revoke-session', { token: 'x' }],
  ['POST', '/auth/link-social', { provider: 'company', callbackURL: '/_console/' }],
  ['POST', '/auth/unlink-account', { providerId: 'credential' }],
  ['POST', '/auth/device/approve', { userCode: 'BCDF-GHJK' }],
  ['GET', '/auth/device?user_code=BCDF-GHJK'],
  ['POST', '/auth/oauth2/consent', { accept: true, oauth_query: 'client_id=x' }],
  ['GET', '/auth/oauth2/authorize?client_id=x&response_type=code'],
  ['POST', '/keys', { name: 'Lasting' }],
  ['DELETE', '/keys/0190f2a4-0000-7000-8000-0000000000ff'],
  ['PATCH', '/notifications/preferences', { preferences: { channels: { slack: { enabled: true, url: '' } } } }],
  ['POST', '/notifications/devices', { platform: 'web', token: 'Lasting' }],
  ['DELETE', '/notifications/devices/lasting'],
]

/** A step that must not be possible; true means it was. */
type Case = () => Promise<boolean>

async function casesOf(host: AuthHost, clock: ManualClock): Promise<Record<string, Case>> {
  const { id: target } = await host.account('agnes')
  const { id: admin } = await host.account('gilda', 'admin')
  await host.account('plain')
  const plain = await host.signIn('plain')
  const gilda = await host.signIn('gilda')
  const begin = (userId: string, token?: string) =>
    token === undefined
      ? host.post('/auth/admin/impersonate-user', { userId })
      : host.as(token, 'POST', '/auth/admin/impersonate-user', { userId })
  const acted = async (by?: string): Promise<string> => {
    const { body, status } = await begin(target, by)
    if (status !== 200) throw new Error(`Nobody can be acted as: ${JSON.stringify(body)}`)
    return body.session.token as string
  }
  const isOpen = async (token: string): Promise<boolean> =>
    (await send(host, 'GET', '/permissions/effective', { token })).status === 200
  const beganAs = async (userId: string, token?: string): Promise<boolean> =>
    (await begin(userId, token)).status === 200
  const key = (await host.post('/keys', { name: 'of the owner' })).body.key as string
  const inside = await acted()
  return {
    'acting as the local owner': () => beganAs(localOwnerId),
    'acting as an administrator': () => beganAs(admin),
    'acting without the right': () => beganAs(target, plain),
    'acting by a key': () => beganAs(target, key),
    'acting inside acting': () => beganAs(admin, inside),
    ...Object.fromEntries(
      credentialSteps.map(([method, path, body]) => [
        `${method} ${path} while acting`,
        async () => {
          const {
            status,
            body: told,
            headers,
          } = await send(host, method, path, {
            token: inside,
            ...(body === undefined ? {} : { body }),
          })
          // A browser that is led here is led on to a page that says so.
          if (status === 302) return headers.location?.endsWith('error=acting_as_somebody_else') !== true
          // Refused for this reason, not because something was missing.
          return status !== 403 || told?.error?.details?.reason !== 'IMPERSONATED'
        },
      ]),
    ),
    'acting longer than an hour': async () => {
      const token = await acted()
      if (!(await isOpen(token))) return true
      clock.advance(59 * 60_000)
      const still = await isOpen(token)
      clock.advance(61_000)
      return !still || (await isOpen(token))
    },
    'acting on in use': async () => {
      const token = await acted()
      for (let minute = 0; minute < 61; minute += 10) {
        await isOpen(token)
        clock.advance(10 * 60_000)
      }
      return isOpen(token)
    },
    'acting after its end': async () => {
      const token = await acted()
      await host.as(token, 'POST', '/auth/admin/stop-impersonating', {})
      return isOpen(token)
    },
    'acting as somebody who became an administrator': async () => {
      const token = await acted()
      await host.put(`/permissions/assignments/${target}`, { profile: 'administrator' })
      const open = await isOpen(token)
      await host.put(`/permissions/assignments/${target}`, { profile: 'standard' })
      return open
    },
    'acting as somebody who gives out rights, without that right': async () => {
      const { id: giver } = await host.account('giver')
      const rights = { objects: {}, fields: {}, rowLevelSecurity: [] }
      for (const [name, right, id] of [
        ['givers', 'manage_permissions', giver],
        ['managers', 'manage_users', admin],
      ]) {
        await host.put(`/meta/profile/${name}`, { name, ...rights, systemPermissions: [right] })
        await host.put(`/permissions/assignments/${id}`, { profile: name })
      }
      const began = await beganAs(giver, gilda)
      await host.put(`/permissions/assignments/${admin}`, { profile: 'administrator' })
      return began
    },
    'acting after the right was taken': async () => {
      const token = await acted(gilda)
      await host.put(`/permissions/assignments/${admin}`, { profile: 'standard' })
      const open = await isOpen(token)
      await host.put(`/permissions/assignments/${admin}`, { profile: 'administrator' })
      return open
    },
    'acting after the one who acts was shut out': async () => {
      const token = await acted(gilda)
      await host.post('/auth/admin/ban-user', { userId: admin })
      const open = await isOpen(token)
      await host.post('/auth/admin/unban-user', { userId: admin })
      return open
    },
    'acting as somebody shut out': async () => {
      await host.post('/auth/admin/ban-user', { userId: target })
      const began = await beganAs(target)
      await host.post('/auth/admin/unban-user', { userId: target })
      return began
    },
    'an audit without both names': async () => {
      const token = await acted()
      const made = await send(host, 'GET', '/data/task/export?format=ndjson', { token })
      if (made.status !== 200) throw new Error(`The export was refused: ${made.status}`)
      await pause(300)
      const { entries } = (await host.get('/audit?limit=200')).body as {
        entries: { kind: string; actor: { id: string }; realUserId: string | null }[]
      }
      const export_ = entries.find(({ kind, actor }) => kind === 'export.started' && actor.id === target)
      const began = entries.find(({ kind }) => kind === 'auth.impersonation_started')
      return export_?.realUserId !== localOwnerId || began === undefined
    },
    'a session after an administrator set the password': async () => {
      const { id } = await host.account('carla')
      const token = await host.signIn('carla')
      await host.post('/auth/admin/set-user-password', { userId: id, newPassword: 'given by the owner' })
      return isOpen(token)
    },
    'a session opened with a password somebody else set': async () => {
      const body = { username: 'carla', password: 'given by the owner' }
      const held = await send(host, 'POST', '/auth/login', { body })
      return held.status === 200 || held.headers['set-cookie'] !== undefined
    },
  }
}

async function countPossible(context: CheckContext, doors: AuthDoors): Promise<number> {
  const clock = createManualClock(Date.now())
  const host = await createAuthHost({ plugins: { oidcProvider: true } }, { clock, plugins: withAuthDoors(doors) })
  try {
    await host.defineObject('task', { title: { type: 'text' } })
    await host.post('/data/task', { title: 'x' })
    const cases = Object.entries(await casesOf(host, clock))
    let possible = 0
    for (const [name, tried] of cases) {
      if (!(await tried())) continue
      possible += 1
      context.log(`possible: ${name}`)
    }
    context.log(`${cases.length} cases`)
    return cases.length >= minimumOf('impersonationCases') ? possible : NaN
  } finally {
    await host.stop()
  }
}

/** Callers without the name of who acts as them. */
function unnamed(given: IdentityProvider): IdentityProvider {
  const plain = <T extends Caller | null | undefined>(caller: T): T => {
    if (caller === null || caller === undefined) return caller
    const { impersonatorId: _who, ...rest } = caller
    return rest as T
  }
  return {
    byBearer: (token) => plain(given.byBearer(token)),
    byApiKey: (key) => plain(given.byApiKey(key)),
    byCookie: (header) => plain(given.byCookie(header)),
  }
}

defineCheck({
  id: 'C10',
  file: 'identity',
  stage: 2,
  unit: 'things that acting as somebody else, or setting their password, must not make possible',
  target: 0,
  run: (context) => countPossible(context, {}),
  twin: (context) => countPossible(context, { identities: unnamed }),
})
