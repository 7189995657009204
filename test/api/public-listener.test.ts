// A host that other machines reach: what it asks for before it listens there, and what it says to whom.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readConnectionFile } from '#main/data-dir.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import type { RunningHost } from '#main/index.ts'
import { createCertificateAuthority, hasOpenssl } from '../support/certificate-authority.ts'
import type { CertificateAuthority, IssuedCertificate } from '../support/certificate-authority.ts'
import { beginHost } from '../support/create-test-host.ts'
import { findFreePort } from '../support/free-port.ts'
import { setOwnerPassword, signInOwner } from '../support/owner-password.ts'
import { callTls } from '../support/tls-call.ts'

describe.skipIf(!hasOpenssl)('a host beyond loopback', () => {
  let ca: CertificateAuthority
  let own: IssuedCertificate
  let dataDir: string
  let host: RunningHost | undefined

  beforeAll(() => {
    ca = createCertificateAuthority('Test root')
    own = ca.issue('cairn.example', { use: 'server' })
  })
  afterEach(async () => {
    await host?.stop()
    host = undefined
    rmSync(dataDir, { recursive: true, force: true })
  })
  afterAll(() => ca.dispose())

  async function start(
    config: Record<string, unknown>,
    accounts: 'none' | 'without password' | 'with password' = 'with password',
  ): Promise<RunningHost> {
    dataDir = mkdtempSync(join(tmpdir(), 'cairn-public-'))
    // Relative paths start from the data folder.
    writeFileSync(join(dataDir, 'own.pem'), own.cert)
    writeFileSync(join(dataDir, 'own.key'), own.key)
    if (accounts === 'with password') await setOwnerPassword(dataDir)
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
    const plugins = [...corePlugins, ...optionalPlugins].filter(({ id }) => accounts !== 'none' || id !== 'auth')
    host = await beginHost({ dataDir, port: 0, durable: false, plugins })
    return host
  }

  const files = { certificate: 'own.pem', key: 'own.key' }
  const auth = { baseUrl: 'https://cairn.example' }
  const listenOn = async (): Promise<Record<string, unknown>> => ({
    address: '0.0.0.0',
    port: await findFreePort(),
    ...files,
  })

  it('does not listen there without certificate, without name and without a password of the owner', async () => {
    const listen = await listenOn()
    const { certificate: _certificate, ...bare } = listen
    await expect(start({ host: { listen: bare }, auth })).rejects.toThrow(
      'TLS only: host.listen.certificate is missing',
    )
    await expect(start({ host: { listen } })).rejects.toThrow('auth.baseUrl')
    for (const accounts of ['none', 'without password'] as const) {
      await expect(start({ host: { listen }, auth }, accounts)).rejects.toThrow('has no password yet')
      expect(readConnectionFile(dataDir)).toBeUndefined()
    }
    await expect(start({ host: { listen: { ...listen, key: 'none.key' } }, auth })).rejects.toThrow('host.listen.key')
  })

  it('says which port is taken', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => {
      other.listen(0, '0.0.0.0', resolve)
    })
    const { port } = other.address() as AddressInfo
    const listen = { address: '0.0.0.0', port, ...files }
    await expect(start({ host: { listen }, auth })).rejects.toThrow(
      `port ${port} (host.listen): another program uses it`,
    )
    other.close()
  })

  it('serves the same routes twice: plainly on loopback, with TLS and accounts beyond', async () => {
    const { port, publicPort, token, url } = await start({ host: { listen: await listenOn() }, auth })
    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect(readConnectionFile(dataDir)?.url).toBe(url)
    const local = await fetch(`${url}/api/v1/meta`, { headers: { authorization: `Bearer ${token}` } })
    const ownerSession = await signInOwner(url)
    const headers = ['Host', 'cairn.example', 'Authorization', `Bearer ${ownerSession}`]
    const remote = await callTls({ port: publicPort!, path: '/api/v1/meta', headers, ca: ca.cert })
    expect(local.status).toBe(200)
    expect(remote.status).toBe(200)
    expect(JSON.parse(remote.text)).toEqual(await local.json())
    const withToken = ['Host', 'cairn.example', 'Authorization', `Bearer ${token}`]
    expect((await callTls({ port: publicPort!, path: '/api/v1/meta', headers: withToken })).status).toBe(401)
    const anonymous = await callTls({ port: publicPort!, path: '/healthz', headers: ['Host', 'cairn.example'] })
    expect(anonymous.status).toBe(200)
  })

  it('asks for client certificates where that is configured, on that listener only', async () => {
    const mutualTls = {
      enabled: true,
      clientCertRequired: true,
      trustedCAs: [ca.cert],
      certificateValidation: 'strict',
      allowedCNs: ['laptop'],
    }
    const { publicPort, url } = await start({ host: { listen: await listenOn() }, auth: { ...auth, mutualTls } })
    const call = { port: publicPort!, path: '/healthz', headers: ['Host', 'cairn.example'] }
    expect((await callTls(call)).reason).toBe('certificate_missing')
    expect((await callTls({ ...call, ...ca.issue('laptop') })).status).toBe(200)
    expect((await callTls({ ...call, ...ca.issue('desktop') })).reason).toBe('certificate_refused')
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })

  it('logs what weakens it, and lifts the cookie rule but no other when told so', async () => {
    const mutualTls = { enabled: true, clientCertRequired: true, trustedCAs: [], certificateValidation: 'none' }
    const advanced = { disableCSRFCheck: true, cookiePrefix: 'acme', useSecureCookies: true }
    const { publicPort, url, mintCode } = await start({
      host: { listen: await listenOn() },
      auth: { ...auth, mutualTls, advanced },
    })
    const log = readFileSync(join(dataDir, 'logs', 'cairn.log'), 'utf8')
    expect(log).toContain('disableCSRFCheck is on')
    expect(log).toContain('any client certificate passes')
    const exchange = await fetch(`${url}/_console/session`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ code: mintCode() }),
    })
    const cookie = exchange.headers.get('set-cookie')!
    expect(cookie).toMatch(
      /^__Secure-acme\.session_token=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
    )
    const write = async (headers: Record<string, string>): Promise<number> => {
      const answer = await fetch(`${url}/api/v1/settings`, {
        method: 'PATCH',
        headers: { cookie: cookie.split(';')[0]!, 'content-type': 'application/json', ...headers },
        body: '{}',
      })
      return answer.status
    }
    expect(await write({})).toBe(200)
    expect(await write({ origin: 'https://evil.example' })).toBe(403)
    expect(await write({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    const evil = ['Host', 'evil.example', 'Cookie', `acme.session_token=${await signInOwner(url)}`]
    expect((await callTls({ port: publicPort!, path: '/healthz', headers: evil, ...ca.issue('any') })).code).toBe(
      'origin_forbidden',
    )
  })
})
