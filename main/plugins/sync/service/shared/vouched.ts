// What a machine says to the others through a relay, which only passes it on: signed, so that a relay can neither make it
// nor change it, and counted, so that it can say nothing twice. Knows bytes and devices, no room.
import { hash } from 'node:crypto'
import { numberBytes, signMessage, verifyMessage } from '#main/replication/wire/device-key.ts'
import type { Signer } from '#main/replication/wire/device-key.ts'
import { signatureBytes } from '#main/replication/wire/limits.ts'
import type { Devices } from '../../engine/replica.ts'

/** The frames that are passed on. */
export type VouchedKind = 'LIVE' | 'AWARE'

/** What words are made and judged with. */
export interface VouchingParts {
  readonly workspace: { readonly id: Uint8Array; readonly epoch: number }
  readonly device: string
  readonly signer: Signer
  readonly devices: Pick<Devices, 'find'>
  /** The time by a clock that all machines of the relay go by. */
  now(): number
}

/** A word and who said it. */
export interface VouchedWord {
  readonly device: string
  readonly body: Uint8Array
}

/** Makes and judges the words of one machine. */
export interface Vouching {
  sign(kind: VouchedKind, doc: string, body: Uint8Array): Uint8Array
  /**
   * What another machine of the workspace said. `stale`: not its newest word, or nobody's who is known here; `forged`:
   * not its word.
   */
  judge(kind: VouchedKind, doc: string, bytes: Uint8Array): VouchedWord | 'stale' | 'forged'
}

const deviceBytes = 16
const stampBytes = 8
const headBytes = signatureBytes + deviceBytes + stampBytes

/** Bytes a word has beside what it says. */
export const vouchedOverhead = headBytes

/** How old a word may be: of a machine that was not heard before, a relay may say again what is not older. */
const freshMs = 5 * 60_000

/** Makes them. */
export function createVouching({ workspace, device, signer, devices, now }: VouchingParts): Vouching {
  let saidAt = 0
  const heardAt = new Map<string, number>()

  const messageOf = (kind: VouchedKind, doc: string, said: Uint8Array): Uint8Array[] => [
    workspace.id,
    numberBytes(workspace.epoch),
    Uint8Array.of(kind === 'LIVE' ? 1 : 2),
    hash('sha256', doc, 'buffer'),
    said,
  ]

  return {
    sign(kind, doc, body) {
      const time = now()
      // Of a clock that was put right since, the next words would be far ahead.
      saidAt = Math.max(Math.abs(saidAt - time) > freshMs ? 0 : saidAt + 1, time)
      const said = Buffer.concat([Buffer.from(device, 'hex'), numberBytes(saidAt), body])
      return Buffer.concat([signMessage(signer, 'live', messageOf(kind, doc, said)), said])
    },
    judge(kind, doc, bytes) {
      if (bytes.byteLength < headBytes) return 'forged'
      const said = Buffer.from(bytes.subarray(signatureBytes))
      const from = said.toString('hex', 0, deviceBytes)
      const known = from === device ? undefined : devices.find(from)
      if (known === undefined || known.isRevoked) return 'stale'
      const stamp = Number(said.readBigUInt64BE(deviceBytes))
      const time = now()
      const heard = heardAt.get(from) ?? 0
      const isPast = stamp <= heard && heard <= time + freshMs
      if (isPast || Math.abs(stamp - time) > freshMs) return 'stale'
      const sig = bytes.subarray(0, signatureBytes)
      if (!verifyMessage(known.publicKey, 'live', messageOf(kind, doc, said), sig)) return 'forged'
      heardAt.set(from, stamp)
      return { device: from, body: said.subarray(deviceBytes + stampBytes) }
    },
  }
}
