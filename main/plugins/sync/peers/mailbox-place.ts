// A mailbox as people read and type it: `wss://host:port/k7qf-2m9x-4tzd-81ab`, the relay and the name of the mailbox. Pure.
import type { PeerAddress } from '#main/replication/channel/peer-dial.ts'
import { boxBytes } from '#main/replication/wire/mailbox-words.ts'
import { formatAddress, parseRelayUrl } from './addresses.ts'

/** Digits and letters without those that are taken for each other. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz'
const nameLength = (boxBytes * 8) / 5

/** The name of a mailbox in groups of four. */
export function formatBox(box: Uint8Array): string {
  let rest = box.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let name = ''
  for (let at = 0; at < nameLength; at += 1) {
    name = letters[Number(rest % 32n)]! + name
    rest /= 32n
  }
  return name.replaceAll(/.{4}(?=.)/g, '$&-')
}

/** The name of a mailbox as somebody typed it; undefined when it is none. */
export function parseBox(text: string): Uint8Array | undefined {
  const plain = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
  const values = [...plain].map((letter) => letters.indexOf(letter))
  if (values.length !== nameLength || values.includes(-1)) return undefined
  let rest = values.reduce((sum, value) => sum * 32n + BigInt(value), 0n)
  const box = new Uint8Array(boxBytes)
  for (let at = boxBytes - 1; at >= 0; at -= 1) {
    box[at] = Number(rest % 256n)
    rest /= 256n
  }
  return box
}

/** A relay and a mailbox of it. */
export interface TypedMailbox {
  readonly relay: PeerAddress
  readonly box: Uint8Array
}

/** Writes both, as they are shown below a code. */
export function formatMailbox({ relay, box }: TypedMailbox): string {
  return `wss://${formatAddress(relay)}/${formatBox(box)}`
}

/** Reads both, also without `wss://`; undefined for anything else. */
export function parseMailbox(text: string): TypedMailbox | undefined {
  const found = /^(?:wss:\/\/)?([^/]+)\/([^/]+)$/i.exec(text.trim())
  if (found === null) return undefined
  const relay = parseRelayUrl(`wss://${found[1]!}`)
  const box = parseBox(found[2]!)
  return relay === undefined || box === undefined ? undefined : { relay, box }
}
