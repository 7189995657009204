// One device's connection to a relay, without the connection: frames in, frames out. The order of frames is decided
// here; what is stored, who is admitted and how fast, elsewhere. Never reads the body of an envelope.
import type { Head, SealedEnvelope, Vector } from '#main/replication/core/types.ts'
import { decodeEnvelope, envelopeSize } from '#main/replication/wire/envelope-codec.ts'
import type { Frame, FrameOf } from '#main/replication/wire/frames.ts'
import { protocols } from '#main/replication/wire/frames.ts'
import { envelopeLimit, windowLimit } from '#main/replication/wire/limits.ts'
import { createJoiner } from '#main/replication/wire/pieces.ts'
import { isChannelProven } from '#main/replication/wire/proofs.ts'
import type { AdmissionWord } from '#main/replication/wire/proofs.ts'
import { mergeVectors } from '#main/replication/wire/vector-codec.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import type { ArrivalOutcome, RelayWorkspace } from './append-run.ts'
import type { Inbox } from './inbox.ts'
import { createInbox } from './inbox.ts'
import type { Outbox } from './outbox.ts'
import { createOutbox } from './outbox.ts'
import type { Relay } from './relay.ts'
import type { Member } from './rooms.ts'

/** The connection as the session sees it. */
export interface RelayPeer {
  /** 32 bytes that only the two ends of this connection know. */
  readonly channelHash: Uint8Array
  /** Sends frames in their order, after everything sent or answered before. */
  send(frames: readonly Frame[]): void
  /** Ends the connection once what was sent has left. */
  close(code: string): void
  /** Calls back after so many milliseconds, unless the session was closed. */
  later(milliseconds: number, job: () => void): void
}

/** One device's connection. */
export interface RelaySession {
  /** Takes a frame and answers those to send now. What follows a commit is sent through the peer. Never throws. */
  receive(frame: Frame): Frame[]
  /** The connection has ended: nothing is sent from now on. What was begun is stored all the same. */
  close(): void
}

/** What a device may have unsettled: its window, and one envelope that goes alone. */
const inboxLimit = windowLimit + envelopeLimit

/** Bytes of what is passed on that count as one envelope: 200 of them are as much as a device hears in a second. */
const liveBytes = 20 * 1024

/** What a piece of work weighs besides its envelopes: without it, empty ones could pile up for nothing. */
const workBytes = 16

interface Open {
  readonly workspace: RelayWorkspace
  readonly inbox: Inbox
  readonly outbox: Outbox
  readonly member: Member
  /** Names the device where its envelopes are counted. */
  readonly device: string
  leave(): void
}

/** Starts the session of one connection; the device speaks first. */
export function createRelaySession(relay: Relay, peer: RelayPeer): RelaySession {
  const { store, admission, rooms, rates, now } = relay
  const joiner = createJoiner()
  let hello: FrameOf<'HELLO'> | undefined
  let open: Open | undefined
  /** Incarnations of which something was refused for good: what follows is not asked for until they move on. */
  const stuck = new Map<number, number>()
  let isClosed = false

  const close = (): void => {
    isClosed = true
    open?.inbox.close()
    open?.leave()
  }
  const end = (code: string, detail?: string): Frame[] => {
    if (isClosed) return []
    close()
    peer.send([failure(code, detail)])
    peer.close(code)
    return []
  }
  const sendNow = (frames: readonly Frame[]): void => {
    if (!isClosed && frames.length > 0) peer.send(frames)
  }

  const greet = (frame: FrameOf<'HELLO'>): Frame[] => {
    if (hello) return end('out_of_order')
    if (frame.protoMin > protocols.max || frame.protoMax < protocols.min) return end('protocol_unsupported')
    hello = frame
    return []
  }

  const authenticate = (frame: FrameOf<'AUTH'>): Frame[] => {
    if (!hello || open) return end('out_of_order')
    if (!isChannelProven(frame, peer.channelHash, 'client')) return end('signature_invalid')
    const { ws, epoch, vector } = hello
    const verdict = admission.admit({ ws, epoch, key: frame.key, ...(frame.token && { token: frame.token }) })
    if (!verdict.ok) return end(verdict.code)
    const { workspace } = verdict
    const outbox = createOutbox(store, workspace.id, vector)
    const key = new Uint8Array(frame.key)
    const device = `${workspace.id}:${Buffer.from(key).toString('base64url')}`
    const inbox = createInbox({ limit: inboxLimit, device, rates, later: (wait, job) => peer.later(wait, job) })
    const member: Member = {
      key,
      wake: () => sendNow(outbox.next()),
      deliver: (passed) => sendNow([passed]),
      end: (code) => void end(code),
    }
    open = { workspace, inbox, outbox, member, device, leave: rooms.enter(workspace.id, member) }
    return [helloOf(workspace), ...outbox.next()]
  }

  const helloOf = ({ id, ws, epoch }: RelayWorkspace): FrameOf<'HELLO'> => ({
    kind: 'HELLO',
    protoMin: protocols.min,
    protoMax: protocols.max,
    ws,
    epoch,
    device: 'relay',
    inc: 0,
    time: now(),
    appVersion: relay.version,
    schemaRev: 0,
    vector: store.vector(id),
  })

  /** @param sent by incarnation, the last envelope the device has sent: what the relay has may be more */
  const tell = ({ outbox, workspace }: Open, sent: Vector, outcome: ArrivalOutcome | undefined): void => {
    if (outcome === undefined) return void end('unavailable')
    const { refused, wants, durable } = outcome
    outbox.has(new Map([...durable].map(([inc, seq]) => [inc, Math.min(seq, sent.get(inc) ?? 0)])))
    for (const [inc, seq] of durable) if (seq > (stuck.get(inc) ?? Infinity)) stuck.delete(inc)
    for (const { item } of refused) stuck.set(item.inc, durable.get(item.inc) ?? 0)
    const vector = new Map([...durable].filter(([, seq]) => seq > 0))
    sendNow([
      ...(vector.size > 0 ? [{ kind: 'ACK', vector } as const] : []),
      ...refused.map(({ code, item }) => ({ kind: 'ERR', code, item }) as const),
      ...refused.flatMap(({ code, item }) => (code === 'fork' ? headOf(workspace, item.inc, durable) : [])),
      ...wants.filter(({ inc }) => !stuck.has(inc)).map((range) => ({ kind: 'WANT', ...range }) as const),
    ])
  }

  /** What whoever wrote it has signed: the word of a relay alone does not tell it that its number was used twice. */
  const headOf = ({ id }: RelayWorkspace, inc: number, durable: Vector): readonly Frame[] => {
    const head = store.after(id, inc, (durable.get(inc) ?? 0) - 1)?.heads.at(-1)
    return head === undefined ? [] : [{ kind: 'ENV', envelopes: [], head }]
  }

  const keep = (to: Open, envelopes: readonly SealedEnvelope[], head?: Head): Frame[] => {
    const bytes = envelopes.reduce((sum, envelope) => sum + envelopeSize(envelope), workBytes)
    const places = [...envelopes, ...(head ? [head] : [])]
    const sent = places.reduce<Vector>((all, { inc, seq }) => mergeVectors(all, new Map([[inc, seq]])), new Map())
    const isTaken = to.inbox.add({
      cost: Math.max(1, envelopes.length),
      bytes,
      start(settled) {
        store.append({ workspace: to.workspace, envelopes, ...(head && { head }) }, (outcome) => {
          settled()
          tell(to, sent, outcome)
        })
      },
    })
    return isTaken ? [] : end('window_exceeded')
  }

  const bar = (to: Open, id: number): Frame[] => {
    const reply: Frame = { kind: 'BARRIER', id, reply: true }
    const isTaken = to.inbox.add({
      cost: 1,
      bytes: workBytes,
      start(settled) {
        store.barrier((isDurable) => {
          settled()
          if (isDurable) sendNow([reply])
          else end('unavailable')
        })
      },
    })
    return isTaken ? [] : end('window_exceeded')
  }

  const admit = (to: Open, word: FrameOf<AdmissionWord>): Frame[] => {
    const refusal = admission.say(to.workspace, word)
    if (word.kind === 'NARROW') {
      if (refusal === undefined) rooms.close(to.workspace.id, word.key, 'rights')
      // The answer is that to the REVOKE that follows.
      return []
    }
    if (refusal) return [failure(refusal)]
    if (word.kind === 'REVOKE') rooms.close(to.workspace.id, word.key, 'revoked')
    return isClosed ? [] : [word]
  }

  const receiveOpen = (to: Open, frame: Frame): Frame[] => {
    switch (frame.kind) {
      case 'ENV':
        return keep(to, frame.envelopes, frame.head)
      case 'ENVPART': {
        const whole = joiner.add(frame)
        return whole ? keep(to, [decodeEnvelope(whole)]) : []
      }
      case 'ACK':
        to.outbox.acknowledged(frame.vector)
        return to.outbox.next()
      case 'WANT':
        return to.outbox.want(frame) ? to.outbox.next() : [failure('too_many_wants')]
      case 'BARRIER':
        return frame.reply ? [] : bar(to, frame.id)
      case 'GRANT':
      case 'REVOKE':
      case 'NARROW':
        return admit(to, frame)
      case 'LIVE':
      case 'AWARE':
        // They may be lost, so what is above the rate is lost here instead of filling the memory of a slow reader.
        if (rates.take(`${to.device}:live`, Math.ceil((frame.update.length + 1) / liveBytes)) === 0)
          rooms.pass(to.workspace.id, to.member, frame)
        return []
      case 'DIGESTHASH':
      case 'DIGEST':
      case 'BUCKET':
      case 'DOCSYNC':
        // These are about documents; a relay has none.
        return [failure('unsupported', frame.kind)]
      case 'HELLO':
      case 'AUTH':
        return end('out_of_order')
      case 'PING':
        return [{ kind: 'PONG', id: frame.id }]
      case 'PONG':
      case 'DONE':
      case 'PLACE':
      case 'ERR':
      case 'unknown':
        return []
    }
  }

  return {
    receive(frame) {
      if (isClosed) return []
      try {
        if (open) return receiveOpen(open, frame)
        if (frame.kind === 'HELLO') return greet(frame)
        if (frame.kind === 'AUTH') return authenticate(frame)
        return frame.kind === 'PING' ? [{ kind: 'PONG', id: frame.id }] : end('out_of_order')
      } catch (error) {
        if (error instanceof WireError) return end(`wire_${error.code}`, error.message)
        relay.onFailure(error)
        return end('unavailable')
      }
    },
    close,
  }
}

function failure(code: string, detail?: string): FrameOf<'ERR'> {
  return { kind: 'ERR', code, ...(detail !== undefined && { detail }) }
}
