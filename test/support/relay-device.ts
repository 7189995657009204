// A device as a relay sees it: a key, an incarnation, a log with its chain and its heads. What an envelope holds follows
// from its place, so that anybody can tell whether it came through unchanged. Knows the wire, no relay.
import type { KeyObject } from 'node:crypto'
import { generateKeyPairSync } from 'node:crypto'
import type { Head, SealedEnvelope } from '#main/replication/core/types.ts'
import type { ChainPoint } from '#main/replication/wire/chain.ts'
import { chainStart, nextPoint, signHead } from '#main/replication/wire/chain.ts'
import type { Signer } from '#main/replication/wire/device-key.ts'
import { signerOf } from '#main/replication/wire/device-key.ts'
import type { FrameOf } from '#main/replication/wire/frames.ts'
import { protocols } from '#main/replication/wire/frames.ts'
import { proveChannel } from '#main/replication/wire/proofs.ts'

/** Id of the workspace that test devices share. */
export const testWorkspace = new Uint8Array(16).fill(7)

/** Hash of the connection that test devices have. */
export const testChannel = new Uint8Array(32).fill(3)

/** A written run and the head at its end. */
export interface WrittenRun {
  readonly envelopes: readonly SealedEnvelope[]
  readonly head: Head
}

/** A device of a test. */
export interface RelayDevice {
  readonly inc: number
  readonly keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  readonly signer: Signer
  /** Public key as it travels. */
  readonly key: Uint8Array
  /** Everything written so far, one run after the other. */
  readonly log: readonly WrittenRun[]
  /** Writes a run of so many envelopes. */
  write(count: number, bodyBytes?: number): WrittenRun
  /** The first two frames of a connection. */
  greeting(change?: Partial<FrameOf<'HELLO'>> & { readonly token?: string }): [FrameOf<'HELLO'>, FrameOf<'AUTH'>]
}

/** The envelope that every test device writes at a place. */
export function envelopeAt(inc: number, seq: number, bodyBytes = 40): SealedEnvelope {
  const place = Buffer.from(`${inc}:${seq};`)
  return { inc, seq, epoch: 1, seal: 0, body: new Uint8Array(Buffer.alloc(bodyBytes, place)) }
}

/** Makes a device with an empty log. */
export function createRelayDevice(inc: number, keys = generateKeyPairSync('ed25519')): RelayDevice {
  const signer = signerOf(keys.privateKey)
  const log: WrittenRun[] = []
  let point: ChainPoint = chainStart()
  return {
    inc,
    keys,
    signer,
    key: signer.signKey,
    log,
    write(count, bodyBytes) {
      const first = point.seq + 1
      const envelopes = Array.from({ length: count }, (_, index) => envelopeAt(inc, first + index, bodyBytes))
      for (const envelope of envelopes) point = nextPoint(point, testWorkspace, envelope)
      const run = { envelopes, head: signHead(signer, testWorkspace, inc, point) }
      log.push(run)
      return run
    },
    greeting({ token, ...change } = {}) {
      const hello: FrameOf<'HELLO'> = {
        kind: 'HELLO',
        protoMin: protocols.min,
        protoMax: protocols.max,
        ws: testWorkspace,
        epoch: 1,
        device: `device-${inc}`,
        inc,
        time: 0,
        appVersion: '1.0.0',
        schemaRev: 0,
        vector: new Map(),
        ...change,
      }
      return [hello, { ...proveChannel(signer, testChannel, 'client'), ...(token && { token }) }]
    },
  }
}
