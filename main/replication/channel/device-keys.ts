// The keys of this device: Ed25519 for what it signs, a certificate for the channel. They live outside of the database
// in one private file, sealed by the host's secret store. Knows no roster and no socket.
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { readPrivateFile, writeFileAtomic } from '#main/kernel/atomic-file.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import { deviceOf } from '../core/device-id.ts'
import { fingerprintOf } from './fingerprint.ts'
import { makeChannelIdentity } from './self-signed.ts'
import type { ChannelIdentity } from './self-signed.ts'

/** The keys of a device, ready for use. */
export interface DeviceKeys {
  /** 32 hexadecimal digits derived from the signing key: another key is another device. */
  readonly device: string
  /** The public Ed25519 key, 32 bytes. */
  readonly signKey: Uint8Array
  /** Ed25519 signature of the bytes, 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array
  /** What the device shows on the channel. */
  readonly channel: ChannelIdentity
  /** SHA-256 of the certificate, 64 hexadecimal digits. */
  readonly fingerprint: string
}

/** The key file is there and cannot be used: it is damaged, or the secret store cannot open what it sealed. */
export class DeviceKeysUnreadable extends Error {
  constructor(cause?: unknown) {
    super('The keys of this device cannot be read.', { cause })
    this.name = 'DeviceKeysUnreadable'
  }
}

const storedSchema = z.strictObject({ version: z.literal(1), certificate: z.string(), sealed: z.string() })
const secretSchema = z.strictObject({ signing: z.string(), channel: z.string() })

/** What DER puts before the 32 bytes of a public Ed25519 key (RFC 8410). */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Loads the keys of this device and makes them when the file is not there. The same file gives the same device.
 * @throws DeviceKeysUnreadable when the file is there and cannot be used; it is never replaced, since a device with new
 * keys is a stranger to all its peers
 */
export async function loadDeviceKeys(file: string, secrets: SecretStore): Promise<DeviceKeys> {
  const text = readPrivateFile(file)
  if (text === undefined) return makeDeviceKeys(file, secrets)
  try {
    const { certificate, sealed } = storedSchema.parse(JSON.parse(text))
    const { signing, channel } = secretSchema.parse(JSON.parse(await secrets.open(sealed)))
    const key = createPrivateKey({ key: Buffer.from(signing, 'base64'), format: 'der', type: 'pkcs8' })
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(channel)))
      throw new Error('The certificate belongs to another key.')
    return keysOf(key, { certificate, privateKey: channel })
  } catch (error) {
    throw new DeviceKeysUnreadable(error)
  }
}

async function makeDeviceKeys(file: string, secrets: SecretStore): Promise<DeviceKeys> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const channel = await makeChannelIdentity()
  const signing = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const sealed = await secrets.seal(JSON.stringify({ signing, channel: channel.privateKey }))
  const stored = { version: 1, certificate: channel.certificate, sealed }
  writeFileAtomic(file, `${JSON.stringify(stored)}\n`)
  return keysOf(privateKey, channel)
}

function keysOf(key: KeyObject, channel: ChannelIdentity): DeviceKeys {
  const signKey = new Uint8Array(
    createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(ed25519Prefix.length),
  )
  return {
    device: deviceOf(signKey),
    signKey,
    sign: (bytes) => new Uint8Array(sign(null, bytes, key)),
    channel,
    fingerprint: fingerprintOf(new X509Certificate(channel.certificate).raw),
  }
}

/** Whether a signature is the one of that key over the bytes; false also for a key or signature of a wrong length. */
export function isSignedBy(signKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (signKey.byteLength !== 32 || signature.byteLength !== 64) return false
  const der = Buffer.concat([ed25519Prefix, signKey])
  return verify(null, bytes, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
}
