// The keys of a device: stable over restarts, private on disk, never replaced in silence.
import { X509Certificate } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFileSecrets } from '#main/kernel/file-secrets.ts'
import { deviceOf } from '../core/device-id.ts'
import { DeviceKeysUnreadable, isSignedBy, loadDeviceKeys } from './device-keys.ts'
import { fingerprintOf, parseFingerprint, readableFingerprint } from './fingerprint.ts'

let dir: string
let file: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-device-'))
  file = join(dir, 'device.json')
})

afterEach(() => rmSync(dir, { recursive: true }))

const secrets = (name = 'secret.key') => createFileSecrets(join(dir, name))

describe('loadDeviceKeys', () => {
  it('gives the same device after a restart', async () => {
    const first = await loadDeviceKeys(file, secrets())
    const second = await loadDeviceKeys(file, secrets())
    expect(second.device).toBe(first.device)
    expect(second.fingerprint).toBe(first.fingerprint)
    expect(second.channel).toEqual(first.channel)
    expect(second.signKey).toEqual(first.signKey)
    expect(isSignedBy(first.signKey, Buffer.from('head'), second.sign(Buffer.from('head')))).toBe(true)
  })

  it('gives another device in another folder', async () => {
    const first = await loadDeviceKeys(file, secrets())
    const second = await loadDeviceKeys(join(dir, 'other.json'), secrets())
    expect(second.device).not.toBe(first.device)
    expect(second.fingerprint).not.toBe(first.fingerprint)
  })

  it('makes a self-signed P-256 certificate that names nobody and never ends', async () => {
    const { channel, fingerprint } = await loadDeviceKeys(file, secrets())
    const certificate = new X509Certificate(channel.certificate)
    expect(certificate.subject).toBe('CN=cairn')
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(certificate.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' })
    expect(certificate.validToDate.getUTCFullYear()).toBe(9999)
    expect(certificate.validFromDate.getUTCFullYear()).toBe(2000)
    expect(fingerprint).toBe(certificate.fingerprint256.replaceAll(':', '').toLowerCase())
  })

  it('keeps the private keys sealed in a private file', async () => {
    const { channel } = await loadDeviceKeys(file, secrets())
    const text = readFileSync(file, 'utf8')
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(text).not.toContain('PRIVATE')
    expect(text).not.toContain(channel.privateKey.split('\n')[1])
  })

  it('refuses a file it cannot open and leaves it as it is', async () => {
    await loadDeviceKeys(file, secrets())
    const kept = readFileSync(file, 'utf8')
    await expect(loadDeviceKeys(file, secrets('another.key'))).rejects.toThrow(DeviceKeysUnreadable)
    for (const damaged of ['', '{', kept.slice(0, -20), kept.replace('sealed', 'opened')]) {
      writeFileSync(file, damaged)
      chmodSync(file, 0o600)
      await expect(loadDeviceKeys(file, secrets())).rejects.toThrow(DeviceKeysUnreadable)
      expect(readFileSync(file, 'utf8')).toBe(damaged)
    }
  })

  it('refuses the certificate of another device', async () => {
    await loadDeviceKeys(file, secrets())
    await loadDeviceKeys(join(dir, 'other.json'), secrets())
    const own = JSON.parse(readFileSync(file, 'utf8')) as object
    const { certificate } = JSON.parse(readFileSync(join(dir, 'other.json'), 'utf8')) as { certificate: string }
    writeFileSync(file, JSON.stringify({ ...own, certificate }))
    await expect(loadDeviceKeys(file, secrets())).rejects.toThrow(DeviceKeysUnreadable)
  })

  it('refuses a link in place of the file', async () => {
    symlinkSync(join(dir, 'elsewhere.json'), file)
    await expect(loadDeviceKeys(file, secrets())).rejects.toThrow(/Not a regular file/)
  })
})

describe('isSignedBy', () => {
  it('is false for other bytes, other keys and broken lengths', async () => {
    const keys = await loadDeviceKeys(file, secrets())
    const other = await loadDeviceKeys(join(dir, 'other.json'), secrets())
    const signature = keys.sign(Buffer.from('head'))
    expect(signature).toHaveLength(64)
    expect(isSignedBy(keys.signKey, Buffer.from('tail'), signature)).toBe(false)
    expect(isSignedBy(other.signKey, Buffer.from('head'), signature)).toBe(false)
    expect(isSignedBy(keys.signKey.subarray(1), Buffer.from('head'), signature)).toBe(false)
    expect(isSignedBy(keys.signKey, Buffer.from('head'), signature.subarray(1))).toBe(false)
  })

  it('knows a device by its signing key', async () => {
    const keys = await loadDeviceKeys(file, secrets())
    expect(deviceOf(keys.signKey)).toBe(keys.device)
    expect(keys.device).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('fingerprints', () => {
  it('are shown in groups and read back however they were typed', () => {
    const fingerprint = fingerprintOf(Buffer.from('certificate'))
    const shown = readableFingerprint(fingerprint)
    expect(shown).toMatch(/^([0-9A-F]{8} ){7}[0-9A-F]{8}$/)
    expect(parseFingerprint(shown)).toBe(fingerprint)
    expect(parseFingerprint(` ${shown.replaceAll(' ', '-').toLowerCase()}\n`)).toBe(fingerprint)
  })

  it('are not read from anything else', () => {
    for (const text of ['', 'AB', 'g'.repeat(64), 'a'.repeat(63), 'a'.repeat(65)])
      expect(parseFingerprint(text)).toBeUndefined()
  })
})
