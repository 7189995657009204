// Sockets over the listener other machines reach: the same guards, its own name, and no credential of this machine.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCertificateAuthority, hasOpenssl } from '../support/certificate-authority.ts'
import { beginHost } from '../support/create-test-host.ts'
import { findFreePort } from '../support/free-port.ts'
import { setOwnerPassword, signInOwner } from '../support/owner-password.ts'
import { openSocket } from '../support/realtime-client.ts'

describe.skipIf(!hasOpenssl)('sockets beyond loopback', () => {
  it('open for accounts, under the one name', async () => {
    const ca = createCertificateAuthority('Test root')
    const own = ca.issue('cairn.example', { use: 'server' })
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-public-'))
    writeFileSync(join(dataDir, 'own.pem'), own.cert)
    writeFileSync(join(dataDir, 'own.key'), own.key)
    await setOwnerPassword(dataDir)
    const listen = { address: '0.0.0.0', port: await findFreePort(), certificate: 'own.pem', key: 'own.key' }
    const auth = { baseUrl: 'https://cairn.example' }
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ host: { listen }, auth }))
    const host = await beginHost({ dataDir, port: 0, durable: false })
    try {
      const url = `https://127.0.0.1:${host.publicPort}`
      const session = await signInOwner(host.url)
      const open = (headers: Record<string, string>) =>
        openSocket(url, { ca: ca.cert, servername: 'cairn.example', headers: { host: 'cairn.example', ...headers } })
      const client = await open({ authorization: `Bearer ${session}` })
      await client.subscribe('room:far')
      const first = await open({})
      first.send({ type: 'auth', token: session })
      await first.until(({ type }) => type === 'ready')
      // The token of this machine is nothing out there, by header or by frame.
      await expect(open({ authorization: `Bearer ${host.token}` })).rejects.toMatchObject({ status: 401 })
      const early = await open({})
      early.send({ type: 'auth', token: host.token })
      expect(await early.closed).toBe(4401)
      await expect(open({ authorization: `Bearer ${session}`, host: '127.0.0.1' })).rejects.toMatchObject({
        status: 403,
        body: { error: { code: 'origin_forbidden', details: { reason: 'host' } } },
      })
      const foreign = { authorization: `Bearer ${session}`, origin: 'https://evil.example' }
      await expect(open(foreign)).rejects.toMatchObject({ status: 403 })
      await first.close()
      const stopping = host.stop()
      expect(await client.closed).toBe(1001)
      await stopping
    } finally {
      await host.stop()
      ca.dispose()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }, 40_000)
})
