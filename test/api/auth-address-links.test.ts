// Links that were mailed end with the address they were mailed to (D-39): whoever still reads its mail gets in no more.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

let host: AuthHost
beforeAll(async () => void (host = await createAuthHost({ plugins: { magicLink: true } })))
afterAll(() => host.stop())

const pathEnd = (link: string): string => new URL(link).pathname.split('/').at(-1)!
const tokenIn = (link: string): string => new URL(link).searchParams.get('token')!

async function proven(name: string): Promise<{ id: string; email: string }> {
  const account = await host.account(name)
  await host.post('/auth/admin/update-user', { userId: account.id, data: { emailVerified: true } })
  return account
}

const verify = async (token: string): Promise<number> =>
  (await host.anonymous('GET', `/auth/verify-email?token=${token}`)).status

const addressOf = async (id: string): Promise<string> => {
  const { users } = (await host.get('/auth/admin/list-users')).body as { users: { id: string; email: string }[] }
  return users.find((user) => user.id === id)!.email
}

describe('a link that was mailed to a former address', () => {
  const ways: readonly (readonly [string, (name: string, id: string) => Promise<void>])[] = [
    [
      'byadmin',
      async (name, id) => {
        const data = { email: `${name}@new.example.org` }
        expect((await host.post('/auth/admin/update-user', { userId: id, data })).status).toBe(200)
      },
    ],
    [
      'byself',
      async (name) => {
        const [old, fresh] = [`${name}@example.org`, `${name}@new.example.org`]
        await host.as(await host.signIn(name), 'POST', '/auth/change-email', { newEmail: fresh })
        expect(await verify(tokenIn(await host.waitingMail(old, 'change-email')))).toBe(200)
        expect(await verify(tokenIn(await host.waitingMail(fresh, 'verify-email')))).toBe(200)
      },
    ],
  ]

  it.each(ways)('neither sets the password nor signs in, %s', async (name, change) => {
    const { id, email } = await proven(name)
    await host.anonymous('POST', '/auth/request-password-reset', { email })
    const reset = pathEnd(await host.waitingMail(email, 'reset-password'))
    await host.anonymous('POST', '/auth/magic-link/send', { email })
    const magic = tokenIn(await host.waitingMail(email, 'magic-link'))
    await change(name, id)
    expect(await addressOf(id)).toBe(`${name}@new.example.org`)
    const body = { token: reset, newPassword: 'another long password' }
    expect((await host.anonymous('POST', '/auth/reset-password', body)).status).toBe(400)
    expect((await host.anonymous('POST', '/auth/magic-link/verify', { token: magic })).status).toBe(400)
    await host.signIn(name)
  })

  it.each(['moved', 'gone'])('changes nothing of whoever has the address by then (its account is %s)', async (how) => {
    const { id, email } = await proven(`first${how}`)
    await host.as(await host.signIn(`first${how}`), 'POST', '/auth/change-email', { newEmail: `${how}@evil.example` })
    const link = tokenIn(await host.waitingMail(email, 'change-email'))
    if (how === 'gone') await host.post('/auth/admin/remove-user', { userId: id })
    else await host.post('/auth/admin/update-user', { userId: id, data: { email: `${how}@elsewhere.example` } })
    const second = await proven(`second${how}`)
    expect((await host.post('/auth/admin/update-user', { userId: second.id, data: { email } })).status).toBe(200)
    expect(await verify(link)).toBe(400)
    expect(await addressOf(second.id)).toBe(email)
  })
})
