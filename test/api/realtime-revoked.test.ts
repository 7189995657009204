// Credentials that end: sockets, streams and polls end with them within a second (safety D5, W8).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { openSocket, openStream } from '../support/realtime-client.ts'
import type { SocketClient } from '../support/realtime-client.ts'

let host: AuthHost

const open = (token: string): Promise<SocketClient> =>
  openSocket(host.host.url, { headers: { authorization: `Bearer ${token}` } })

/** Milliseconds until everything of a session is closed, and what it was closed with. */
async function timeToClose(token: string, end: () => Promise<{ status: number }>): Promise<number> {
  const client = await open(token)
  await client.subscribe('task')
  const connect = await host.as(token, 'POST', '/realtime/connect', { transport: 'polling', channels: ['task'] })
  const polling = host.as(token, 'GET', `/realtime/poll?connectionId=${connect.body.connectionId}`)
  const stream = await fetch(`${host.host.url}/api/v1/realtime/sse?channels=task`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const streamed = new Response(stream.body).text().catch((error: unknown) => String(error))
  expect((await end()).status).toBe(200)
  const startedAt = performance.now()
  // What is written right after is heard by nobody whose session has ended.
  const { body } = await host.post('/data/task', { title: 'afterwards' })
  expect(await client.closed).toBe(4401)
  const text = await streamed
  const polled = await polling
  const ms = performance.now() - startedAt
  expect(polled.status).toBe(401)
  expect(polled.body.error.code).toBe('unauthenticated')
  expect(text).not.toContain(body.id)
  expect(JSON.stringify(client.frames)).not.toContain(body.id)
  return ms
}

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject('task', { title: { type: 'text' } })
})

afterAll(() => host.stop())

describe('pushes stop within a second', () => {
  it('of a session signed out, revoked by its user, and revoked by an administrator', async () => {
    const { id } = await host.account('ann')
    const out = await host.signIn('ann')
    expect(await timeToClose(out, () => host.as(out, 'POST', '/auth/sign-out', {}))).toBeLessThan(1_000)
    const own = await host.signIn('ann')
    expect(await timeToClose(own, () => host.as(own, 'POST', '/auth/revoke-sessions', {}))).toBeLessThan(1_000)
    const forced = await host.signIn('ann')
    const revoke = () => host.post('/auth/admin/revoke-user-sessions', { userId: id })
    expect(await timeToClose(forced, revoke)).toBeLessThan(1_000)
  })

  it('of a user who is shut out', async () => {
    const { id } = await host.account('ben')
    const token = await host.signIn('ben')
    expect(await timeToClose(token, () => host.post('/auth/admin/ban-user', { userId: id }))).toBeLessThan(1_000)
  })

  it('of a key that is taken back', async () => {
    await host.account('cid')
    const session = await host.signIn('cid')
    const made = await host.as(session, 'POST', '/keys', { name: 'k' })
    expect(made.status).toBe(201)
    const remove = () => host.as(session, 'DELETE', `/keys/${made.body.id}`)
    expect(await timeToClose(made.body.key, remove)).toBeLessThan(1_000)
  })

  it('of a browser session that was opened with a one-time code', async () => {
    const { url } = host.host
    const opened = await fetch(`${url}/_console/session`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ code: host.host.mintCode() }),
    })
    const headers = { cookie: opened.headers.getSetCookie()[0]!.split(';')[0]!, origin: url }
    const client = await openSocket(url, { headers })
    await client.until(({ type }) => type === 'ready')
    const ended = await fetch(`${url}/_console/session`, {
      method: 'DELETE',
      headers: { ...headers, 'x-requested-with': 'test' },
    })
    expect(ended.status).toBe(200)
    const startedAt = performance.now()
    expect(await client.closed).toBe(4401)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })

  it('of rights that are taken back, while the session goes on', async () => {
    const { id } = await host.account('dot')
    const token = await host.signIn('dot')
    const client = await open(token)
    await client.subscribe('task')
    const first = await host.post('/data/task', { title: 'heard' })
    await client.until((frame) => frame.event?.recordId === first.body.id)
    const given = { profile: 'guest', roles: [], permissionSets: [] }
    expect((await host.put(`/permissions/assignments/${id}`, given)).status).toBe(200)
    const second = await host.post('/data/task', { title: 'unheard' })
    client.send({ type: 'ping', id: 'end' })
    await client.until((frame) => frame.id === 'end')
    expect(JSON.stringify(client.frames)).not.toContain(second.body.id)
    await client.close()
  })
})

describe('tickets', () => {
  it('belong to the credential that asked for them', async () => {
    await host.account('eve')
    await host.account('fay')
    const [eve, fay] = [await host.signIn('eve'), await host.signIn('fay')]
    const { body } = await host.as(eve, 'POST', '/realtime/connect', {})
    const protocols = ['cairn.v1', `cairn.ticket.${body.ticket}`]
    const stolen = await openSocket(host.host.url, { headers: { authorization: `Bearer ${fay}` }, protocols })
    expect(await stolen.closed).toBe(4401)
    expect(stolen.frames).toEqual([])
    // A try of somebody else uses it up as well.
    const late = await openSocket(host.host.url, { protocols })
    expect(await late.closed).toBe(4401)
  })

  it('end with the session that asked for them', async () => {
    await host.account('gus')
    const token = await host.signIn('gus')
    const { body } = await host.as(token, 'POST', '/realtime/connect', {})
    await host.as(token, 'POST', '/auth/sign-out', {})
    const client = await openSocket(host.host.url, { protocols: ['cairn.v1', `cairn.ticket.${body.ticket}`] })
    expect(await client.closed).toBe(4401)
  })

  it('open connections of their own session only, and only that session may use those', async () => {
    await host.account('hal')
    await host.account('ivy')
    const [hal, ivy] = [await host.signIn('hal'), await host.signIn('ivy')]
    const own = await host.as(hal, 'POST', '/realtime/connect', { transport: 'polling', channels: ['task'] })
    const path = `/realtime/poll?timeoutSeconds=0&connectionId=${own.body.connectionId}`
    expect((await host.as(ivy, 'GET', path)).status).toBe(404)
    const { connectionId } = own.body
    expect((await host.as(ivy, 'POST', '/realtime/subscribe', { channel: 'task', connectionId })).status).toBe(404)
    const [{ subscriptionId }] = own.body.subscriptions
    expect((await host.as(ivy, 'POST', '/realtime/unsubscribe', { subscriptionId })).status).toBe(404)
    await host.as(ivy, 'POST', '/realtime/disconnect', { connectionId })
    expect((await host.as(hal, 'GET', path)).status).toBe(200)
  })
})

describe('a cookie', () => {
  it('opens a socket from a page of ours alone', async () => {
    await host.account('jan')
    const answer = await fetch(`${host.host.url}/api/v1/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: host.host.url },
      body: JSON.stringify({ email: 'jan@example.org', password: 'correct horse battery' }),
    })
    const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!
    const page = await openSocket(host.host.url, { headers: { cookie, origin: host.host.url } })
    await page.until(({ type }) => type === 'ready')
    await expect(openSocket(host.host.url, { headers: { cookie } })).rejects.toMatchObject({
      status: 403,
      body: { error: { code: 'origin_forbidden' } },
    })
    await expect(
      openSocket(host.host.url, { headers: { cookie, origin: 'https://evil.example' } }),
    ).rejects.toMatchObject({ status: 403 })
    const stream = openStream(`${host.host.url}/api/v1/realtime/sse?channels=task`, { cookie })
    await stream.until(({ type }) => type === 'ready')
    stream.close()
    await page.close()
  })
})
