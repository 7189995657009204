// Devices that are trusted with the second factor (D-39): until something happens that is done because one was lost.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { cookiesOf, send } from '../safety/identity-client.ts'
import { openChallenge, withSecondFactor } from '../safety/second-factor.ts'

let host: AuthHost
beforeAll(async () => void (host = await createAuthHost()))
afterAll(() => host.stop())

const changed = 'another long password'

interface Person {
  readonly id: string
  readonly name: string
  /** Cookies of the trusted device. */
  readonly cookie: string
}

async function trusted(name: string): Promise<Person> {
  const { backupCodes } = await withSecondFactor(host, name)
  const headers = { cookie: await openChallenge(host, name), origin: host.host.url }
  const body = { code: backupCodes[0], trustDevice: true }
  const answer = await send(host, 'POST', '/auth/two-factor/verify-backup-code', { body, headers })
  expect(answer.status).toBe(200)
  const { users } = (await host.get('/auth/admin/list-users')).body as { users: { id: string; name: string }[] }
  return { id: users.find((user) => user.name === name)!.id, name, cookie: cookiesOf(answer) }
}

/** Whether signing in with the cookie of the device that was trusted asks for the second factor. */
async function isAsked({ name, cookie }: Person, secret = password): Promise<boolean> {
  const device = cookie.split('; ').filter((one) => one.includes('trust_device'))
  expect(device).toHaveLength(1)
  const headers = { cookie: device[0]!, origin: host.host.url }
  const { body } = await send(host, 'POST', '/auth/login', { body: { username: name, password: secret }, headers })
  return body.twoFactorRedirect === true
}

const asOwn = ({ cookie }: Person, path: string, body: unknown) =>
  send(host, 'POST', path, { body, headers: { cookie, origin: host.host.url } })

const ends: Readonly<Record<string, (person: Person) => Promise<{ status: number }>>> = {
  'the password is changed': (person) =>
    asOwn(person, '/auth/change-password', { currentPassword: password, newPassword: changed }),
  'the password is set': ({ id }) => host.post('/auth/admin/set-user-password', { userId: id, newPassword: changed }),
  'all sessions are ended': (person) => asOwn(person, '/auth/revoke-sessions', {}),
  'other sessions are ended': (person) => asOwn(person, '/auth/revoke-other-sessions', {}),
  'its person was banned': async ({ id }) => {
    await host.post('/auth/admin/ban-user', { userId: id })
    return host.post('/auth/admin/unban-user', { userId: id })
  },
}

it('are asked for nothing more until then', async () => {
  expect(await isAsked(await trusted('steady'))).toBe(false)
})

it.each(Object.keys(ends))('are asked again once %s', async (what) => {
  const person = await trusted(what.replaceAll(' ', ''))
  expect((await ends[what]!(person)).status).toBe(200)
  expect(await isAsked(person, what.startsWith('the password') ? changed : password)).toBe(true)
})
