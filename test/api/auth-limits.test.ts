// Limits on guessing: buckets, locks and windows that hold in parallel and over a restart (safety N1).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

const clock = createManualClock(Date.now())
let host: AuthHost

beforeAll(async () => {
  host = await createAuthHost({}, { clock })
  for (const name of ['ann', 'bea', 'cleo', 'dora']) await host.account(name)
})

afterAll(() => host.stop())

const guess = (username: string, secret: string, headers: Record<string, string> = {}) =>
  host.anonymous('POST', '/auth/login', { username, password: secret }, headers)

describe('guesses at one account', () => {
  it('are judged ten times at most, however many come at once and from wherever they say', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        guess(index % 2 === 0 ? 'ann' : 'ann@example.org', `wrong ${index}`, { 'x-forwarded-for': `10.0.0.${index}` }),
      ),
    )
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    expect(count(401)).toBe(10)
    expect(count(429)).toBe(190)
    const refused = answers.find(({ status }) => status === 429)!
    expect(refused.body.error.details).toMatchObject({ class: 'auth', remaining: 0 })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
    const { limit, remaining } = refused.body.error.details
    expect([
      refused.headers.get('x-ratelimit-limit'),
      refused.headers.get('x-ratelimit-remaining'),
      Number(refused.headers.get('x-ratelimit-reset')),
    ]).toEqual([
      String(limit),
      String(remaining),
      Math.ceil(clock.now() / 1000) + Number(refused.headers.get('retry-after')),
    ])
  })

  it('stay locked over a restart and on every route, even for the right password', async () => {
    await host.restart()
    expect((await guess('ann', password)).status).toBe(429)
    const other = await host.anonymous('POST', '/auth/sign-in/email', { email: 'ann@example.org', password })
    expect(other.status).toBe(429)
    expect((await guess('bea', password)).status).toBe(200)
  })

  it('count for the account that the route is about, whatever else a body names', async () => {
    const left = async (at: number): Promise<number> => {
      const body = { username: 'cleo', password: 'wrong', email: `${at}@example.org` }
      const { status, headers } = await host.anonymous('POST', '/auth/sign-in/username', body)
      expect(status).toBe(401)
      return Number(headers.get('x-ratelimit-remaining'))
    }
    const first = await left(1)
    expect([await left(2), await left(3)]).toEqual([first - 1, first - 2])
  })

  it('are let through again after 15 minutes', async () => {
    clock.advance(14 * 60_000)
    expect((await guess('ann', password)).status).toBe(429)
    clock.advance(61_000)
    expect((await guess('ann', password)).status).toBe(200)
  })

  it('are forgotten with a sign-in that works', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 5; index += 1) expect((await guess('bea', 'wrong')).status).toBe(401)
      expect((await guess('bea', password)).status).toBe(200)
      clock.advance(60_000)
    }
  })

  it('that are right follow the option, however many', async () => {
    for (let index = 0; index < 25; index += 1) expect((await guess('cleo', password)).status).toBe(200)
  })

  it('empty a bucket of ten that fills at ten a minute', async () => {
    await host.patch('/settings', { rateLimits: null })
    for (let index = 0; index < 10; index += 1) expect((await guess('cleo', password)).status).toBe(200)
    const refused = await guess('cleo', password)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '6'])
    clock.advance(6_100)
    expect((await guess('cleo', password)).status).toBe(200)
    await host.patch('/settings', { rateLimits: { auth: { burst: 100_000, refillPerSecond: 10_000 } } })
    clock.advance(60_000)
  })

  it('of nobody are limited alike (N2)', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 12; index += 1) statuses.push((await guess('nobody', 'wrong')).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
  })

  it('at the password inside a session count too', async () => {
    const token = await host.signIn('dora')
    const statuses: number[] = []
    for (let index = 0; index < 12; index += 1) {
      const body = { currentPassword: `wrong ${index}`, newPassword: 'whatever it is' }
      statuses.push((await host.as(token, 'POST', '/auth/change-password', body)).status)
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.slice(-2)).toEqual([429, 429])
  })
})

describe('links', () => {
  it('are sent three times in 15 minutes to one address, known or not', async () => {
    for (const email of ['bea@example.org', 'nobody@example.org']) {
      const statuses: number[] = []
      for (let index = 0; index < 5; index += 1)
        statuses.push((await host.anonymous('POST', '/auth/request-password-reset', { email })).status)
      expect(statuses, email).toEqual([200, 200, 200, 429, 429])
    }
    clock.advance(15 * 60_000)
    const again = await host.anonymous('POST', '/auth/request-password-reset', { email: 'bea@example.org' })
    expect(again.status).toBe(200)
  })
})

describe('the bucket of a route (D-200)', () => {
  it('counts what failed of an address, a hundred a minute, and the connection token is not exempt', async () => {
    const narrow = await createAuthHost({}, { narrow: true, clock: createManualClock(Date.now()) })
    const names = Array.from({ length: 12 }, (_none, index) => `many${index}`)
    for (const name of names) await narrow.account(name)
    for (const username of names) {
      const { status, headers } = await narrow.anonymous('POST', '/auth/login', { username, password })
      // Of the bucket of the address and that of the account, the answer tells of the emptier one.
      expect([status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([200, '10', '9'])
    }
    const wrong = await Promise.all(
      Array.from({ length: 120 }, (_none, index) => narrow.anonymous('GET', `/auth/verify-email?token=t${index}`)),
    )
    expect(wrong.filter(({ status }) => status === 400)).toHaveLength(100)
    expect(wrong.find(({ status }) => status === 429)!.headers.get('x-ratelimit-limit')).toBe('100')
    expect((await narrow.anonymous('POST', '/auth/login', { username: 'many0', password })).status).toBe(200)
    const owner: number[] = []
    for (let index = 0; index < 12; index += 1)
      owner.push((await narrow.post('/auth/change-password', { currentPassword: 'x', newPassword: 'y' })).status)
    expect(owner.slice(-2)).toEqual([429, 429])
    await narrow.stop()
  })
})
