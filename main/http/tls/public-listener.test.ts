// The listener other machines reach, over real TLS: names, credentials, client certificates, changed files.
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  createCertificateAuthority,
  hasOpenssl,
  moment,
  servePki,
} from '../../../test/support/certificate-authority.ts'
import type { CertificateAuthority, IssuedCertificate } from '../../../test/support/certificate-authority.ts'
import { createTestServer, echoRoute, itemRoute } from '../../../test/support/create-test-server.ts'
import type { TestServer } from '../../../test/support/create-test-server.ts'
import { callTls } from '../../../test/support/tls-call.ts'
import type { TlsAnswer, TlsCall } from '../../../test/support/tls-call.ts'
import { systemClock } from '#main/kernel/clock.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Caller, IdentityProvider } from '#main/kernel/identity.ts'
import type { MutualTls } from '../access-config.ts'
import { createAuthenticator } from '../authenticate.ts'
import type { HttpServerOptions } from '../server.ts'

const member: Caller = {
  actor: { type: 'user', id: '018f0000-0000-7000-8000-000000000002', name: 'member' },
  credential: 'session',
  organizationId: null,
  credentialId: 'session-2',
  byCookie: false,
}
/** One account, found by a bearer token. */
const identities: IdentityProvider = {
  byBearer: (token) => (token === 'member-token' ? member : null),
  byApiKey: () => null,
  byCookie: (header) => (header.includes('cairn.session_token=member') ? { ...member, byCookie: true } : undefined),
}

describe.skipIf(!hasOpenssl)('the listener other machines reach', () => {
  let ca: CertificateAuthority
  let own: IssuedCertificate
  let client: IssuedCertificate
  const open: (() => Promise<void> | void)[] = []

  beforeAll(() => {
    ca = createCertificateAuthority('Test root')
    own = ca.issue('cairn.example', { use: 'server' })
    client = ca.issue('laptop', { subject: '/OU=Sales/CN=laptop' })
  })
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close()
  })
  afterAll(() => ca.dispose())

  interface Started extends TestServer {
    port: number
    localPort: number
    call(call?: Partial<TlsCall>): Promise<TlsAnswer>
  }

  async function start(
    mutualTls: Partial<MutualTls> | null = null,
    options: Partial<HttpServerOptions> & { certificate?: string; key?: string; clock?: Clock } = {},
  ): Promise<Started> {
    const { certificate = own.cert, key = own.key, ...rest } = options
    const whole: MutualTls | null =
      mutualTls === null
        ? null
        : {
            enabled: true,
            clientCertRequired: true,
            trustedCAs: [ca.certFile],
            certificateValidation: 'strict',
            ...mutualTls,
          }
    const made = await createTestServer([itemRoute, echoRoute], {
      baseUrl: 'https://cairn.example',
      trustedOrigins: ['https://*.partner.example'],
      publicListen: {
        address: '0.0.0.0',
        port: 0,
        certificate,
        key,
        mutualTls: whole,
        folder: '/',
        watchIntervalMs: 20,
      },
      clock: systemClock,
      ...rest,
    })
    open.push(() => made.server.close())
    const { port: localPort } = await made.server.listen(0)
    const port = (await made.server.listenPublic())!
    return {
      ...made,
      port,
      localPort,
      call: (call = {}) =>
        callTls({ port, path: '/api/v1/items/a', headers: ['Host', 'cairn.example'], ca: ca.cert, ...call }),
    }
  }

  /** A server that knows the account beside the local owner. */
  async function startWithAccount(mutualTls: Partial<MutualTls> | null = null): Promise<Started & { token: string }> {
    const sessions = new Map([['console', 's1']])
    const token = 'connection-token-of-this-test'
    const authenticate = createAuthenticator({
      connectionToken: token,
      findSession: (text) =>
        sessions.has(text) ? { id: 's1', actor: { type: 'user', id: '00000000-0000-7000-8000-000000000001' } } : null,
      identities: () => identities,
    })
    return { ...(await start(mutualTls, { authenticate })), token }
  }

  const host = ['Host', 'cairn.example']

  describe('without client certificates', () => {
    it('serves accounts under the name of baseUrl, and refuses every other name', async () => {
      const { call, port, localPort } = await startWithAccount()
      const bearer = ['Authorization', 'Bearer member-token']
      expect((await call({ headers: [...host, ...bearer] })).status).toBe(200)
      for (const name of [
        'cairn.example:443',
        'CAIRN.example',
        'cairn.example.',
        'evil.example',
        `cairn.example:${port}`,
        `localhost:${port}`,
        `127.0.0.1:${port}`,
        `127.0.0.1:${localPort}`,
        `localhost:${localPort}`,
        '127.0.0.1',
        '0.0.0.0',
        'user@cairn.example',
        'a.partner.example',
        '',
      ]) {
        expect((await call({ headers: ['Host', name, ...bearer] })).code, name).toBe('origin_forbidden')
      }
      expect((await call({ headers: [...host, ...host, ...bearer] })).status).not.toBe(200)
    })

    it('knows its own origin and the trusted ones, not those of loopback', async () => {
      const { call, localPort } = await startWithAccount()
      const write = (origin: string): Promise<TlsAnswer> =>
        call({
          method: 'POST',
          path: '/api/v1/echo',
          headers: [
            ...host,
            'Cookie',
            'cairn.session_token=member',
            'Origin',
            origin,
            'Content-Type',
            'application/json',
          ],
          body: '{}',
        })
      for (const origin of ['https://cairn.example', 'https://a.partner.example', 'app://cairn']) {
        expect((await write(origin)).status, origin).toBe(200)
      }
      for (const origin of [
        `http://127.0.0.1:${localPort}`,
        `http://localhost:${localPort}`,
        'http://cairn.example',
        'https://cairn.example:8443',
        'https://evilpartner.example',
        'https://partner.example',
        'https://a.b.partner.example',
        'https://a.partner.example.evil.example',
        'null',
      ]) {
        expect((await write(origin)).code, origin).toBe('origin_forbidden')
      }
    })

    it('answers a request that expects what nobody offers as if it expected nothing (D-327)', async () => {
      const { call } = await startWithAccount()
      const headers = [...host, 'Authorization', 'Bearer member-token', 'Expect', 'foo']
      expect((await call({ headers })).status).toBe(200)
      const json = [...headers, 'Content-Type', 'application/json']
      expect((await call({ method: 'POST', path: '/api/v1/echo', headers: json, body: '{}' })).status).toBe(200)
    })

    it('does not take what belongs to loopback: connection token, one-time codes, their sessions, the proof', async () => {
      const started = await startWithAccount()
      const { call, token, mintCode } = started
      const local = await fetch(`http://127.0.0.1:${started.localPort}/api/v1/items/a`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(local.status).toBe(200)
      expect((await call({ headers: [...host, 'Authorization', `Bearer ${token}`] })).status).toBe(401)
      expect((await call({ headers: [...host, 'Cookie', 'cairn.session_token=console'] })).status).toBe(401)
      const code = mintCode()
      const exchange = await call({
        method: 'POST',
        path: '/_console/session',
        headers: [...host, 'Origin', 'https://cairn.example', 'Content-Type', 'application/json'],
        body: JSON.stringify({ code }),
      })
      expect([exchange.status, exchange.headers['set-cookie']]).toEqual([404, undefined])
      expect((await call({ path: `/_console/proof?nonce=${'n'.repeat(32)}` })).status).toBe(404)
      const mint = {
        method: 'POST',
        path: '/_console/session/code',
        headers: [...host, 'Authorization', 'Bearer member-token'],
      }
      expect((await call(mint)).status).toBe(404)
    })

    it('speaks TLS 1.2 and later only, and never plain HTTP', async () => {
      const { port } = await start()
      const text = await new Promise<string>((resolve) => {
        let got = ''
        const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: cairn.example\r\n\r\n'))
        socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')))
        socket.on('error', () => resolve(got))
        socket.on('close', () => resolve(got))
      })
      expect(text).not.toContain('HTTP/1.1 200')
      const { connect: connectTls } = await import('node:tls')
      const outcome = await new Promise<string>((resolve) => {
        const socket = connectTls({
          port,
          host: '127.0.0.1',
          maxVersion: 'TLSv1.1',
          minVersion: 'TLSv1',
          rejectUnauthorized: false,
        })
        socket.on('secureConnect', () => resolve('connected'))
        socket.on('error', () => resolve('refused'))
      })
      expect(outcome).toBe('refused')
    })

    it('answers what the parser refused with the error of the protocol', async () => {
      const { port } = await start()
      const { connect: connectTls } = await import('node:tls')
      const text = await new Promise<string>((resolve) => {
        let got = ''
        const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () =>
          socket.write('GET\r\n\r\n'),
        )
        socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')))
        socket.on('error', () => resolve(got))
        socket.on('close', () => resolve(got))
      })
      expect(text).toContain('400 Bad Request')
      expect(text).toContain('"code":"validation_error"')
    })

    it('uses a new certificate as soon as its files are whole, and keeps the old one until then', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'cairn-tls-'))
      open.push(() => rmSync(folder, { recursive: true, force: true }))
      const [certificate, key] = [join(folder, 'own.pem'), join(folder, 'own.key')]
      writeFileSync(certificate, own.cert)
      writeFileSync(key, own.key)
      const { port, lines } = await start(null, { certificate, key })
      const served = async (): Promise<string> => {
        const { connect: connectTls } = await import('node:tls')
        return new Promise((resolve, reject) => {
          const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
            resolve(socket.getPeerX509Certificate()!.fingerprint256)
            socket.destroy()
          })
          socket.on('error', reject)
        })
      }
      const next = ca.issue('cairn.example', { use: 'server' })
      const [before, after] = [own, next].map(({ cert }) => new X509Certificate(cert).fingerprint256)
      expect(await served()).toBe(before)
      writeFileSync(certificate, next.cert)
      await expect.poll(() => lines.join()).toContain('The changed certificates are not used.')
      expect(await served()).toBe(before)
      writeFileSync(key, next.key)
      await expect.poll(served).toBe(after)
    })

    it('does not start with certificates that cannot be used', async () => {
      const other = ca.issue('other.example', { use: 'server' })
      await expect(start(null, { key: other.key })).rejects.toThrow('does not belong to')
      await expect(start(null, { certificate: 'nowhere.pem' })).rejects.toThrow(
        'host.listen.certificate cannot be read',
      )
      await expect(start(null, { key: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----' })).rejects.toThrow(
        'host.listen.key cannot be used',
      )
      await expect(start({ trustedCAs: ['nowhere.pem'] })).rejects.toThrow('auth.mutualTls.trustedCAs.0 cannot be read')
    })
  })

  describe('with client certificates', () => {
    const bearer = [...host, 'Authorization', 'Bearer member-token']

    it('lets a trusted certificate through to the credential, and nobody without one', async () => {
      const { call } = await startWithAccount({})
      expect((await call({ ...client, headers: bearer })).status).toBe(200)
      expect((await call({ ...client })).code).toBe('unauthenticated')
      const without = await call({ headers: bearer })
      expect([without.status, without.code, without.reason]).toEqual([401, 'unauthenticated', 'certificate_missing'])
      for (const path of ['/healthz', '/_console/', '/api/v1/unknown', '/']) {
        expect((await call({ path })).reason, path).toBe('certificate_missing')
      }
    })

    it('refuses strangers, expired and future certificates, wrong purposes and self-made ones in strict and relaxed', async () => {
      const stranger = createCertificateAuthority('Test root')
      open.push(() => stranger.dispose())
      const day = 86_400_000
      const bad = {
        stranger: stranger.issue('laptop'),
        expired: ca.issue('laptop', {
          from: moment(new Date(Date.now() - 9 * day)),
          to: moment(new Date(Date.now() - day)),
        }),
        future: ca.issue('laptop', { from: moment(new Date(Date.now() + day)) }),
        server: ca.issue('laptop', { use: 'server' }),
      }
      for (const certificateValidation of ['strict', 'relaxed'] as const) {
        const { call, lines } = await startWithAccount({ certificateValidation })
        for (const [name, certificate] of Object.entries(bad)) {
          const answer = await call({ ...certificate, headers: bearer })
          expect([answer.status, answer.reason], name).toEqual([401, 'certificate_refused'])
        }
        expect(lines.join()).toContain('A client certificate was refused.')
      }
    })

    it('takes a chain over an intermediate authority', async () => {
      const middle = ca.intermediate('Test middle')
      open.push(() => middle.dispose())
      const below = middle.issue('phone')
      const { call } = await startWithAccount({})
      expect((await call({ cert: below.cert + middle.cert, key: below.key, headers: bearer })).status).toBe(200)
      expect((await call({ ...below, headers: bearer })).reason).toBe('certificate_refused')
    })

    it('wants presence only in "none", and asks nobody where certificates are not required', async () => {
      const stranger = createCertificateAuthority('Stranger')
      open.push(() => stranger.dispose())
      const foreign = stranger.issue('laptop')
      const none = await startWithAccount({ certificateValidation: 'none', trustedCAs: [] })
      expect((await none.call({ ...foreign, headers: bearer })).status).toBe(200)
      expect((await none.call({ headers: bearer })).reason).toBe('certificate_missing')
      const free = await startWithAccount({ clientCertRequired: false })
      expect((await free.call({ headers: bearer })).status).toBe(200)
      expect((await free.call({ ...foreign, headers: bearer })).reason).toBe('certificate_refused')
    })

    it('checks common names and units in strict, and not in relaxed', async () => {
      const statusOf = async (mutualTls: Partial<MutualTls>, certificate = client): Promise<number> =>
        (await (await startWithAccount(mutualTls)).call({ ...certificate, headers: bearer })).status
      expect(await statusOf({ allowedCNs: ['laptop'], allowedOUs: ['Sales', 'Support'] })).toBe(200)
      expect(await statusOf({ allowedCNs: ['Laptop'] })).toBe(401)
      expect(await statusOf({ allowedCNs: ['laptop'], allowedOUs: ['Support'] })).toBe(401)
      expect(await statusOf({ allowedOUs: ['Sales'] }, ca.issue('laptop'))).toBe(401)
      const double = ca.issue('double', { subject: '/CN=laptop/CN=admin' })
      expect(await statusOf({ allowedCNs: ['laptop'] }, double)).toBe(401)
      expect(await statusOf({ certificateValidation: 'relaxed', allowedCNs: ['Laptop'] })).toBe(200)
    })

    it('checks the pinned key in strict', async () => {
      const key = new X509Certificate(client.cert).publicKey.export({ type: 'spki', format: 'der' })
      const pin = createHash('sha256').update(key).digest('base64')
      const other = createHash('sha256').update('another key').digest('base64')
      for (const [pins, status] of [
        [[`sha256/${pin}`], 200],
        [[other, pin], 200],
        [[`sha256/${other}`], 401],
      ] as const) {
        const { call } = await startWithAccount({ pinning: { enabled: true, pins: [...pins] } })
        expect((await call({ ...client, headers: bearer })).status).toBe(status)
      }
    })

    it('judges a kept connection again when its certificate has expired', async () => {
      const brief = ca.issue('brief', { to: moment(new Date(Date.now() + 4_000)) })
      const { call } = await startWithAccount({})
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      open.push(() => agent.destroy())
      expect((await call({ ...brief, headers: bearer, agent })).status).toBe(200)
      await expect
        .poll(async () => (await call({ ...brief, headers: bearer, agent })).reason, { timeout: 8_000, interval: 500 })
        .toBe('certificate_refused')
    })
  })

  describe('revocation', () => {
    const bearer = [...host, 'Authorization', 'Bearer member-token']

    it('refuses what a revocation list names, keeps the list until its next update, and fails closed without one', async () => {
      const lost = ca.issue('lost')
      ca.revoke(lost)
      let list: Buffer | undefined = ca.revocationList()
      const pki = await servePki(() => list)
      open.push(() => pki.close())
      const { call } = await startWithAccount({ crlUrl: `${pki.url}/root.crl` })
      expect((await call({ ...client, headers: bearer })).status).toBe(200)
      expect((await call({ ...lost, headers: bearer })).reason).toBe('certificate_refused')
      list = undefined
      expect((await call({ ...client, headers: bearer })).status).toBe(200)
      expect(pki.requests).toEqual(['/root.crl'])
      const later = await startWithAccount({ crlUrl: `${pki.url}/root.crl` })
      expect((await later.call({ ...client, headers: bearer })).reason).toBe('certificate_refused')
      expect((await later.call({ ...client, headers: bearer })).reason).toBe('certificate_refused')
      expect(pki.requests).toHaveLength(2)
      // Relaxed does not ask.
      const relaxed = await startWithAccount({ crlUrl: `${pki.url}/root.crl`, certificateValidation: 'relaxed' })
      expect((await relaxed.call({ ...lost, headers: bearer })).status).toBe(200)
      expect(pki.requests).toHaveLength(2)
    })

    it('takes no list that has ended, is damaged, is of a stranger or signed by one', async () => {
      const stranger = createCertificateAuthority('Test root')
      open.push(() => stranger.dispose())
      const good = ca.revocationList()
      const damaged = Buffer.from(good)
      damaged[damaged.length - 3]! ^= 1
      for (const [name, list] of Object.entries({
        ended: ca.revocationList(-1),
        damaged,
        // The same name, another key.
        stranger: stranger.revocationList(),
        nonsense: Buffer.from('not a list'),
        large: Buffer.alloc(5_000_000, 48),
        empty: Buffer.alloc(0),
      })) {
        const pki = await servePki(() => list)
        open.push(() => pki.close())
        const { call } = await startWithAccount({ crlUrl: pki.url })
        expect((await call({ ...client, headers: bearer })).reason, name).toBe('certificate_refused')
      }
    })

    it('asks a responder, keeps its answer, and refuses what it does not call good', async () => {
      const lost = ca.issue('lost')
      ca.revoke(lost)
      const delegate = ca.issue('responder', { use: 'responder' })
      let signer: IssuedCertificate | undefined
      const pki = await servePki((_path, body) => ca.status(body, signer))
      open.push(() => pki.close())
      for (signer of [undefined, delegate]) {
        pki.requests.length = 0
        const { call } = await startWithAccount({ ocspUrl: pki.url })
        expect((await call({ ...client, headers: bearer })).status).toBe(200)
        expect((await call({ ...client, headers: bearer })).status).toBe(200)
        expect(pki.requests).toHaveLength(1)
        expect((await call({ ...lost, headers: bearer })).reason).toBe('certificate_refused')
      }
    })

    it('takes no answer signed by somebody else, to another request, of another kind, or none', async () => {
      const stranger = createCertificateAuthority('Test root')
      open.push(() => stranger.dispose())
      const unentitled = ca.issue('laptop 2')
      let replayed: Buffer | undefined
      const answers: Record<string, (body: Buffer) => Buffer | undefined> = {
        stranger: (body) => ca.status(body, { ...stranger.issue('responder', { use: 'responder' }) }),
        unentitled: (body) => ca.status(body, unentitled),
        replayed: (body) => (replayed ??= ca.status(body)),
        damaged(body) {
          const bytes = ca.status(body)
          // Within the signed part; the certificate at the end is not.
          bytes[80]! ^= 1
          return bytes
        },
        nonsense: () => Buffer.from('good'),
        // The protocol's "try later".
        later: () => Buffer.from('30030a0103', 'hex'),
        none: () => undefined,
      }
      for (const [name, answer] of Object.entries(answers)) {
        const pki = await servePki((_path, body) => answer(body))
        open.push(() => pki.close())
        if (name === 'replayed') {
          const first = await startWithAccount({ ocspUrl: pki.url })
          expect((await first.call({ ...client, headers: bearer })).status).toBe(200)
        }
        const { call } = await startWithAccount({ ocspUrl: pki.url })
        expect((await call({ ...client, headers: bearer })).reason, name).toBe('certificate_refused')
      }
    })
  })
})
