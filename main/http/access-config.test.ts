import { describe, expect, it } from 'vitest'
import { readAccessConfig } from './access-config.ts'

const listen = { address: '0.0.0.0', certificate: 'c', key: 'k' }
const baseUrl = 'https://cairn.example:7443'
const mutualTls = {
  enabled: true,
  clientCertRequired: true,
  trustedCAs: ['ca.pem'],
  certificateValidation: 'strict',
}

describe('readAccessConfig', () => {
  it('listens on loopback only unless told otherwise', async () => {
    const access = await readAccessConfig({}, {})
    expect(access.publicListen).toBeNull()
    expect(access.baseUrl).toBeUndefined()
    expect(access.cookies).toEqual({ prefix: 'cairn', secure: false })
    expect(access.cookieRule).toBe(true)
    expect((await readAccessConfig({ listen: { address: '127.0.0.1' } }, {})).publicListen).toBeNull()
    expect((await readAccessConfig({ listen: { address: '::1' } }, {})).publicListen).toBeNull()
  })

  it('refuses an address beyond loopback without certificate or key', async () => {
    for (const address of ['0.0.0.0', '::', '192.168.1.5', '::ffff:192.168.1.5']) {
      const reading = readAccessConfig({ listen: { address } }, { baseUrl })
      await expect(reading, address).rejects.toThrow('with TLS only: host.listen.certificate is missing')
    }
    const { key: _key, ...withoutKey } = listen
    await expect(readAccessConfig({ listen: withoutKey }, { baseUrl })).rejects.toThrow('host.listen.key is missing')
  })

  it('asks for the name it is reached under where the address does not say it', async () => {
    await expect(readAccessConfig({ listen }, {})).rejects.toThrow('auth.baseUrl')
    await expect(readAccessConfig({ listen }, { baseUrl: 'http://cairn.example' })).rejects.toThrow('https://')
    expect((await readAccessConfig({ listen: { ...listen, address: '192.168.1.5' } }, {})).baseUrl).toBe(
      'https://192.168.1.5:7443',
    )
    expect((await readAccessConfig({ listen: { ...listen, address: 'fd00::5', port: 443 } }, {})).baseUrl).toBe(
      'https://[fd00::5]',
    )
  })

  it('names what is wrong', async () => {
    const wrong: [Record<string, unknown>, Record<string, unknown>, string][] = [
      [{ listen: { ...listen, address: 'cairn.example' } }, { baseUrl }, 'host.listen.address: Expected an IP address'],
      [{ listen: { ...listen, port: 0 } }, { baseUrl }, 'host.listen.port'],
      [{ listen: { ...listen, cert: 'x' } }, { baseUrl }, 'cert'],
      [{}, { baseUrl: 5 }, 'auth.baseUrl is not a text'],
      [{}, { baseUrl: 'https://*.example.com' }, 'auth.baseUrl'],
      [{}, { trustedOrigins: 'https://a.example' }, 'auth.trustedOrigins is not a list'],
      [{}, { trustedOrigins: ['https://a.example', 7] }, 'auth.trustedOrigins.1 is not a text'],
      [{}, { trustedOrigins: ['https://a.example/x'] }, 'auth.trustedOrigins.0: "https://a.example/x"'],
      [{}, { advanced: { cookiePrefix: 'a;b' } }, 'auth.advanced.cookiePrefix'],
      [{}, { advanced: { disableCSRFCheck: 'yes' } }, 'auth.advanced.disableCSRFCheck'],
      [{ listen }, { baseUrl, mutualTls: { enabled: true } }, 'auth.mutualTls.trustedCAs'],
      [{ listen }, { baseUrl, mutualTls: { ...mutualTls, trustedCAs: [] } }, 'auth.mutualTls.trustedCAs is empty'],
      [{ listen }, { baseUrl, mutualTls: { ...mutualTls, crlUrl: 'ftp://a.example/c' } }, 'auth.mutualTls.crlUrl'],
      [{ listen }, { baseUrl, mutualTls: { ...mutualTls, allowedCNs: [] } }, 'auth.mutualTls.allowedCNs'],
      [{ listen }, { baseUrl, mutualTls: { ...mutualTls, pinning: { enabled: true, pins: [] } } }, 'without a pin'],
      [
        { listen },
        { baseUrl, mutualTls: { ...mutualTls, pinning: { enabled: true, pins: ['sha256/x'] } } },
        'auth.mutualTls.pinning.pins.0',
      ],
    ]
    for (const [host, auth, message] of wrong)
      await expect(readAccessConfig(host, auth), message).rejects.toThrow(message)
  })

  it('lets wildcards cover names of one owner only', async () => {
    const { trustedOrigins } = await readAccessConfig({}, { trustedOrigins: ['https://*.Example.com', 'app://other'] })
    expect(trustedOrigins).toEqual(['https://*.example.com', 'app://other'])
    for (const suffix of ['co.uk', 'github.io', 'com', 'localhost', 'a.localhost', '127.0.0.1']) {
      await expect(readAccessConfig({}, { trustedOrigins: [`https://*.${suffix}`] }), suffix).rejects.toThrow(
        'auth.trustedOrigins',
      )
    }
  })

  it('warns of what weakens the host or does nothing', async () => {
    const warningsOf = async (host: Record<string, unknown>, auth: Record<string, unknown>): Promise<string> =>
      (await readAccessConfig(host, auth)).warnings.join('\n')
    expect(await warningsOf({}, { mutualTls })).toContain('has no effect')
    expect(await warningsOf({ listen: { address: '127.0.0.1', port: 7443 } }, {})).toContain('host.listen (127.0.0.1)')
    expect(await warningsOf({}, { advanced: { disableCSRFCheck: true } })).toContain('disableCSRFCheck')
    expect(
      await warningsOf({ listen }, { baseUrl, mutualTls: { ...mutualTls, certificateValidation: 'none' } }),
    ).toContain('"none"')
    const relaxed = { ...mutualTls, certificateValidation: 'relaxed', allowedCNs: ['a'] }
    expect(await warningsOf({ listen }, { baseUrl, mutualTls: relaxed })).toContain('allowedCNs')
    expect(await warningsOf({ listen }, { baseUrl, mutualTls })).toBe('')
  })
})
