// A device that keeps itself connected to a relay over the real channel: sends what the relay lacks, keeps what comes,
// acknowledges it. Knows the wire and the dialler, no document.
import type { SealedEnvelope, Vector } from '#main/replication/core/types.ts'
import { createPeerDialler } from '#main/replication/channel/peer-dialler.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { createSendWindow } from '#main/replication/wire/credit.ts'
import { decodeEnvelope, envelopeSize } from '#main/replication/wire/envelope-codec.ts'
import { decodeFrame, encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame, FrameOf } from '#main/replication/wire/frames.ts'
import { packRun } from '#main/replication/wire/pack-run.ts'
import { createJoiner } from '#main/replication/wire/pieces.ts'
import { proveChannel } from '#main/replication/wire/proofs.ts'
import { mergeVectors } from '#main/replication/wire/vector-codec.ts'
import type { TestDevice } from './channel-devices.ts'
import type { RelayDevice } from './relay-device.ts'

/** Where a relay is and who it is. */
export interface RelayPlace {
  readonly fingerprint: string
  readonly port: number
}

/** A device with a relay. */
export interface RelayClient {
  readonly device: RelayDevice
  /** What has come from others, in its order. */
  readonly received: readonly SealedEnvelope[]
  /** Envelopes that came although the device had said it has them. */
  twice(): number
  /** What the relay has acknowledged. */
  acknowledged(): number
  /** What the relay said it has, at each connection. */
  readonly greetings: readonly FrameOf<'HELLO'>[]
  readonly errors: readonly string[]
  readonly links: readonly PeerLink[]
  /** Writes a run and sends it as the window allows. */
  write(count: number, bodyBytes?: number): void
  /** Sends a frame over the open connection. */
  say(frame: Frame): void
  stop(): void
}

/** The first two frames of a connection over a real link. */
export function greetOver(link: PeerLink, device: RelayDevice, vector: Vector, token?: string): Frame[] {
  const [hello] = device.greeting({ vector })
  const auth = proveChannel(device.signer, link.secret('cairn-sync-auth'), 'client')
  return [hello, { ...auth, ...(token !== undefined && { token }) }]
}

/** Begins to keep a device connected to a relay. */
export function createRelayClient(
  place: RelayPlace,
  options: { readonly device: RelayDevice; readonly identity: TestDevice; readonly token?: string },
): RelayClient {
  const { device, identity } = options
  const received: SealedEnvelope[] = []
  const greetings: FrameOf<'HELLO'>[] = []
  const errors: string[] = []
  const links: PeerLink[] = []
  const window = createSendWindow()
  let has: Vector = new Map()
  let twice = 0
  let acknowledged = 0
  /** The first run that the relay may lack, once it has said what it has. */
  let next: number | undefined
  let joiner = createJoiner()
  let link: PeerLink | undefined
  let sending = Promise.resolve()

  const say = (...frames: readonly Frame[]): void => {
    const to = link
    for (const frame of frames)
      sending = sending.then(async () => {
        await to?.send(encodeFrame(frame))
      })
  }
  const pump = (): void => {
    for (let run = device.log[next ?? Infinity]; run; run = device.log[next!]) {
      const bytes = run.envelopes.reduce((sum, envelope) => sum + envelopeSize(envelope), 0)
      if (!window.admits(bytes)) return
      for (const envelope of run.envelopes) window.sent(envelope, envelopeSize(envelope))
      say(...packRun(run.envelopes, [run.head]))
      next! += 1
    }
  }
  const startAt = (seq: number): number => {
    const index = device.log.findIndex(({ head }) => head.seq >= seq)
    return index === -1 ? device.log.length : index
  }
  const keep = (envelopes: readonly SealedEnvelope[]): void => {
    for (const envelope of envelopes) {
      const { inc, seq, body } = envelope
      if (seq <= (has.get(inc) ?? 0)) twice += 1
      else received.push({ ...envelope, body: new Uint8Array(body) })
      has = mergeVectors(has, new Map([[inc, seq]]))
    }
    if (envelopes.length > 0) say({ kind: 'ACK', vector: has })
  }
  const take = (frame: Frame): void => {
    if (frame.kind === 'HELLO') {
      greetings.push(frame)
      next = startAt((frame.vector.get(device.inc) ?? 0) + 1)
    } else if (frame.kind === 'ENV') keep(frame.envelopes)
    else if (frame.kind === 'ENVPART') {
      const whole = joiner.add(frame)
      if (whole) keep([decodeEnvelope(whole)])
    } else if (frame.kind === 'ACK') {
      acknowledged = Math.max(acknowledged, frame.vector.get(device.inc) ?? 0)
      window.acknowledged(frame.vector)
    } else if (frame.kind === 'WANT') next = Math.min(next ?? 0, startAt(frame.from))
    else if (frame.kind === 'ERR') errors.push(frame.code)
    pump()
  }

  const dialler = createPeerDialler({
    identity: identity.identity,
    peer: place.fingerprint,
    addresses: () => [{ host: '127.0.0.1', port: place.port }],
    onLink(opened) {
      link = opened
      links.push(opened)
      next = undefined
      window.reset()
      joiner = createJoiner()
      say(...greetOver(opened, device, mergeVectors(has, new Map(endOf(device))), options.token))
      opened.onMessage((message) => take(decodeFrame(message)))
    },
  })
  return {
    device,
    received,
    greetings,
    errors,
    links,
    twice: () => twice,
    acknowledged: () => acknowledged,
    write(count, bodyBytes) {
      device.write(count, bodyBytes)
      pump()
    },
    say,
    stop: () => dialler.stop(),
  }
}

function endOf(device: RelayDevice): [number, number][] {
  const last = device.log.at(-1)?.head.seq
  return last === undefined ? [] : [[device.inc, last]]
}
