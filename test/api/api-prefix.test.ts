// A host whose API hangs elsewhere (D-01): routes, documents, addresses it tells others, its page and its command line.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConnectionFile } from '#main/data-dir.ts'
import { makeBackupOf, mintCodeOf, verifyHost } from '#main/http/running-host.ts'
import type { RunningHost } from '#main/index.ts'
import { beginHost } from '../support/create-test-host.ts'

const prefix = '/service/v2'
const page = '<!doctype html><html><head><title>Cairn</title></head><body></body></html>'
const folder = mkdtempSync(join(tmpdir(), 'cairn-prefix-'))
const consoleDir = join(folder, 'console')
let host: RunningHost

/** Starts a host with these parts of config.json. */
function start(name: string, config: Record<string, unknown>): Promise<RunningHost> {
  const dataDir = join(folder, name)
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  return beginHost({ dataDir, consoleDir, port: 0, durable: false, validateResponses: true })
}

async function send(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${host.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
  return { status: answer.status, text, body: isJson ? JSON.parse(text) : undefined }
}

beforeAll(async () => {
  mkdirSync(consoleDir)
  writeFileSync(join(consoleDir, 'index.html'), page)
  host = await start('moved', {
    host: { prefix },
    auth: { uiBasePath: '/desk', plugins: { oidcProvider: true } },
  })
})
afterAll(async () => {
  await host.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('a host with another prefix', () => {
  it('serves every route below it, the aliases of D-01 as written, and nothing below the usual one', async () => {
    const fields = { title: { type: 'text' } }
    expect((await send('PUT', `${prefix}/meta/object/task`, { name: 'task', fields })).status).toBe(200)
    const { status, body } = await send('POST', `${prefix}/data/task`, { title: 'One' })
    expect([status, body.record.title]).toEqual([201, 'One'])
    for (const base of [prefix, '/api'])
      expect((await send('GET', `${base}/data/task/${body.id}/feed`)).status, base).toBe(200)
    for (const path of ['/api/v1', '/api/v1/data/task', '/api/v1/openapi.json'])
      expect((await send('GET', path)).status, path).toBe(404)
  })

  it('says so in discovery, in its documents, in the registry and in every address it gives', async () => {
    for (const path of [prefix, '/.well-known/cairn']) {
      const { routes, services, schemaDiscovery } = (await send('GET', path)).body
      expect(routes).toMatchObject({ data: `${prefix}/data`, auth: `${prefix}/auth`, discovery: `${prefix}/discovery` })
      expect(services.metadata.route).toBe(`${prefix}/meta`)
      expect(schemaDiscovery.openapi).toBe(`${host.url}${prefix}/openapi.json`)
    }
    const { paths } = (await send('GET', `${prefix}/openapi.json`)).body
    expect(Object.keys(paths)).toContain(`${prefix}/data/{object}`)
    const docs = { text: (await send('GET', `${prefix}/docs`)).text.replaceAll('<wbr>', '') }
    expect(docs.text).toContain(`${prefix}/data/{object}`)
    const registry = await send('GET', `${prefix}/registry`)
    const openid = await send('GET', `/.well-known/openid-configuration${prefix}/auth`)
    expect(openid.body.token_endpoint).toBe(`${host.url}${prefix}/auth/oauth2/token`)
    const connected = await send('POST', `${prefix}/realtime/connect`, { transport: 'websocket' })
    expect(connected.body.url).toContain(`${prefix}/realtime`)
    for (const { text } of [docs, registry, openid, connected]) expect(text).not.toContain('/api/v1')
  })

  it('forwards to the library of accounts below it', async () => {
    const made = { email: 'ada@example.org', name: 'Ada', password: 'a long enough password', role: 'user' }
    expect((await send('POST', `${prefix}/auth/admin/create-user`, made)).status).toBe(200)
    const signedIn = await send('POST', `${prefix}/auth/sign-in/email`, { email: made.email, password: made.password })
    expect([signedIn.status, signedIn.body.user.name]).toEqual([200, 'Ada'])
    await send('POST', `${prefix}/auth/request-password-reset`, { email: made.email })
    const waiting = async () => (await send('GET', `${prefix}/auth/outbox`)).body.messages as { content: string }[]
    await expect.poll(async () => (await waiting()).length, { timeout: 10_000 }).toBe(1)
    expect((await waiting())[0]!.content).toContain(`${host.url}${prefix}/auth/reset-password/`)
  })

  it('tells its page, and other programs of its user, where the API is', async () => {
    const shown = await send('GET', '/desk/')
    expect(shown.text).toBe(page.replace('</head>', `<meta name="cairn-api-prefix" content="${prefix}" /></head>`))
    const connection = readConnectionFile(host.dataDir)!
    expect(connection).toMatchObject({ url: host.url, prefix, uiBasePath: '/desk' })
    expect(await verifyHost(connection)).toBe(true)
    expect(await mintCodeOf(connection)).toMatch(`${host.url}/desk/#`)
    expect((await makeBackupOf(connection)).sizeBytes).toBeGreaterThan(0)
  })
})

it('leaves page and connection file alone where nothing is configured', async () => {
  const usual = await start('usual', {})
  try {
    expect(await (await fetch(`${usual.url}/_console/`)).text()).toBe(page)
    expect(readFileSync(join(usual.dataDir, 'connection.json'), 'utf8')).not.toContain('prefix')
  } finally {
    await usual.stop()
  }
})

it.each(['api', '/', '/api/', '/a b', '/a//b', '/../x', '/_console/api', '/_console', '/healthz', 7])(
  'refuses the prefix %s with its name',
  async (given) => {
    await expect(start('refused', { host: { prefix: given } })).rejects.toThrow('host.prefix')
  },
)
