// How a device is named. Apart from its keys: a host that does not take part reads what it knew of others, and loads no
// certificates for it.
import { createHash } from 'node:crypto'

/** The id of the device that holds a public signing key: the first 16 bytes of its SHA-256, in hexadecimal digits. */
export function deviceOf(signKey: Uint8Array): string {
  return createHash('sha256').update(signKey).digest('hex').slice(0, 32)
}
