// Section 4 of the protocol without accounts: the connection token and browser sessions of the local owner
// (D-27 to D-31, D-208).
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text' } })
})

afterAll(() => host.stop())

const exchange = (code: string, headers: Record<string, string> = { origin: host.host.url }): Promise<Answer> =>
  host.anonymous('POST', '/_console/session', { code }, headers)

async function signIn(): Promise<string> {
  const answer = await exchange(host.host.mintCode())
  expect(answer.status).toBe(200)
  return answer.headers.get('set-cookie')!.split(';')[0]!
}

describe('connection token (D-29)', () => {
  it('is in connection.json, mode 0600, with url, pid, version and startedAt', () => {
    const file = join(host.dataDir, 'connection.json')
    const content = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    expect(Object.keys(content).toSorted()).toEqual(['pid', 'startedAt', 'token', 'url', 'version'])
    expect(content).toMatchObject({ url: host.host.url, token: host.host.token, pid: process.pid })
    expect(content['token']).toMatch(/^[\w-]{43}$/)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('acts as the local owner', async () => {
    const created = await host.post('/data/task', { title: 'Mine' })
    expect(created.body.record).toMatchObject({ created_by: localOwnerId, owner: localOwnerId })
  })

  it('is new at each start, and the old one is refused', async () => {
    const before = host.host.token
    await host.restart()
    expect(host.host.token).not.toBe(before)
    expect((await host.anonymous('GET', '/meta', undefined, { authorization: `Bearer ${before}` })).status).toBe(401)
  })
})

describe('other credentials (D-27, D-28)', () => {
  it('no credential is unauthenticated everywhere but on the public routes', async () => {
    for (const path of ['/meta', '/data/task', '/settings', '/openapi.json', '/backups']) {
      const answer = await host.anonymous('GET', path)
      expect([answer.status, answer.body.error.code, answer.body.error.category], path).toEqual([
        401,
        'unauthenticated',
        'auth',
      ])
    }
  })

  it('a wrong token, an API key and an ended cookie are 401', async () => {
    const wrong: Record<string, string>[] = [
      { authorization: 'Bearer wrong' },
      { authorization: 'ApiKey cairn_x' },
      { 'x-api-key': 'cairn_x' },
      { cookie: 'cairn.session_token=ended' },
    ]
    for (const headers of wrong) expect((await host.anonymous('GET', '/meta', undefined, headers)).status).toBe(401)
  })
})

describe('browser session (D-208)', () => {
  it('POST /_console/session exchanges a code for a cookie that reads and writes', async () => {
    const cookie = await signIn()
    expect((await host.anonymous('GET', '/_console/session', undefined, { cookie })).body).toEqual({
      user: { id: localOwnerId, name: 'owner' },
    })
    const headers = { cookie, origin: host.host.url }
    expect((await host.anonymous('POST', '/data/task', { title: 'By browser' }, headers)).status).toBe(201)
  })

  it('a code works once', async () => {
    const code = host.host.mintCode()
    expect((await exchange(code)).status).toBe(200)
    const again = await exchange(code)
    expect([again.status, again.body.error.code]).toEqual([401, 'invalid_credentials'])
  })

  it('five wrong codes void the open one', async () => {
    await host.restart()
    const code = host.host.mintCode()
    for (let guess = 0; guess < 5; guess += 1) expect((await exchange('wrong')).status).toBe(401)
    expect((await exchange(code)).status).toBe(401)
  })

  it('an exchange without Origin or from a foreign one is origin_forbidden and uses no code up', async () => {
    const code = host.host.mintCode()
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }] as Record<string, string>[]) {
      expect((await exchange(code, headers)).body.error.code).toBe('origin_forbidden')
    }
    expect((await exchange(code)).status).toBe(200)
  })

  it('a cookie alone writes nothing without an Origin of ours and JSON or X-Requested-With', async () => {
    const cookie = await signIn()
    const tries: Record<string, string>[] = [{}, { 'x-requested-with': 'cairn' }, { origin: 'http://127.0.0.1:1' }]
    for (const headers of tries) {
      const answer = await host.anonymous('POST', '/data/task', { title: 'Forged' }, { cookie, ...headers })
      expect([answer.status, answer.body.error.code]).toEqual([403, 'origin_forbidden'])
    }
    const { body } = await host.get('/data/task?title=Forged&count=true')
    expect(body.total).toBe(0)
  })

  it('DELETE /_console/session ends it', async () => {
    const cookie = await signIn()
    const headers = { cookie, origin: host.host.url, 'x-requested-with': 'cairn' }
    expect((await host.anonymous('DELETE', '/_console/session', undefined, headers)).body).toEqual({ success: true })
    expect((await host.anonymous('GET', '/meta', undefined, { cookie })).status).toBe(401)
  })

  it('POST /auth/sign-out ends the one in use, and no other', async () => {
    // Starts of their own: the exchanges before have used the bucket of D-200 up.
    await host.restart()
    const [used, other] = [await signIn(), await signIn()]
    const out = await host.anonymous('POST', '/auth/sign-out', {}, { cookie: used, origin: host.host.url })
    expect([out.status, out.body]).toEqual([200, { success: true }])
    expect((await host.anonymous('GET', '/meta', undefined, { cookie: used })).status).toBe(401)
    expect((await host.anonymous('GET', '/meta', undefined, { cookie: other })).status).toBe(200)
    expect((await host.get('/audit?kind=auth.signed_out')).body.entries).toMatchObject([
      { actor: { id: localOwnerId } },
    ])
  })

  it('POST /auth/revoke-sessions ends all of them, revoke-other-sessions all but the one in use', async () => {
    await host.restart()
    const [used, other] = [await signIn(), await signIn()]
    const statuses = async (): Promise<number[]> =>
      Promise.all(
        [used, other].map(async (cookie) => (await host.anonymous('GET', '/meta', undefined, { cookie })).status),
      )
    const headers = { cookie: used, origin: host.host.url }
    expect((await host.anonymous('POST', '/auth/revoke-other-sessions', {}, headers)).body).toEqual({ status: true })
    expect(await statuses()).toEqual([200, 401])
    expect((await host.anonymous('POST', '/auth/revoke-sessions', {}, headers)).body).toEqual({ status: true })
    expect(await statuses()).toEqual([401, 401])
    const third = await signIn()
    expect((await host.post('/auth/revoke-sessions', {})).body).toEqual({ status: true })
    expect((await host.anonymous('GET', '/meta', undefined, { cookie: third })).status).toBe(401)
  })

  it('POST /_console/session/code mints another one for the connection token only', async () => {
    // A start of its own: the exchanges before have used the bucket of D-200 up.
    await host.restart()
    const { status, body } = await host.post('/_console/session/code')
    expect([status, body.url]).toEqual([200, `${host.host.url}/_console/#${body.code}`])
    expect((await exchange(body.code)).status).toBe(200)
    const headers = { cookie: await signIn(), origin: host.host.url, 'x-requested-with': 'cairn' }
    expect((await host.anonymous('POST', '/_console/session/code', undefined, headers)).status).toBe(403)
  })
})

describe('GET /', () => {
  it('leads to the application shell', async () => {
    const answer = await host.anonymous('GET', '/_console')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/_console/'])
    const root = await fetch(`${host.host.url}/`, { redirect: 'manual' })
    expect([root.status, root.headers.get('location')]).toEqual([302, '/_console/'])
  })
})
