// Attaches a session of the relay to one link: messages become frames, and what the session says becomes messages. Knows
// when a peer is too slow, no meaning of what it says.
import type { Logger } from '#main/kernel/logger.ts'
import type { LinkEnd } from '#main/replication/channel/link-close.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { decodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import type { Relay } from '../relay.ts'
import { createRelaySession } from '../relay-session.ts'
import { createOutgoing } from './outgoing.ts'

/** Label of the keying material that AUTH signs. */
const authLabel = 'cairn-sync-auth'

/** How long a peer may stay without being let in, and how long its last frames may take to leave. */
const admissionMs = 10_000
const lastWordsMs = 5_000

/** Serves a device over a link until either side ends it. */
export function serveLink(relay: Relay, link: PeerLink, log: Logger): void {
  const timers = new Set<NodeJS.Timeout>()
  const peer = { address: link.address, fingerprint: link.peer }
  let ending: string | undefined

  const later = (milliseconds: number, job: () => void): (() => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      job()
    }, milliseconds)
    timers.add(timer)
    return () => {
      clearTimeout(timer)
      timers.delete(timer)
    }
  }
  const outgoing = createOutgoing({
    send: (message) => link.send(message),
    failed(error) {
      log.warn({ ...peer, err: error }, 'A connection was given up.')
      link.close('failed')
    },
  })
  const end = (code: string): void => {
    if (ending !== undefined) return
    ending = code
    const close = (): void => link.close(reasonFor(code))
    outgoing.finish(close)
    later(lastWordsMs, close)
  }
  const session = createRelaySession(relay, {
    channelHash: link.secret(authLabel),
    send: (frames) => outgoing.push(frames),
    close: end,
    later: (milliseconds, job) => void later(milliseconds, job),
  })
  const refuse = (code: string, detail?: string): void => {
    session.close()
    outgoing.push([{ kind: 'ERR', code, ...(detail !== undefined && { detail }) }])
    end(code)
  }
  // Every certificate gets as far as this, so whoever only holds the connection must not hold it for long.
  const admitted = later(admissionMs, () => refuse('not_admitted'))

  const answer = (message: Uint8Array): void => {
    try {
      const frames = session.receive(decodeFrame(message))
      // The first word of the relay is its HELLO, and it says it to nobody it has not let in.
      if (isGreeting(frames)) {
        admitted()
        log.info(peer, 'A device is connected.')
      }
      outgoing.push(frames)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      refuse(error.code === 'unsupported' ? 'protocol_unsupported' : `wire_${error.code}`, error.message)
    }
  }

  link.onClose(({ reason, here }) => {
    session.close()
    for (const timer of timers) clearTimeout(timer)
    log.info({ ...peer, reason, here, ...(ending !== undefined && { ending }) }, 'A connection has ended.')
  })
  link.onMessage((message) => {
    try {
      answer(message)
    } catch (error) {
      log.error({ ...peer, err: error }, 'A connection failed.')
      throw error
    }
    return outgoing.untilLow()
  })
}

function isGreeting(frames: readonly Frame[]): boolean {
  return frames[0]?.kind === 'HELLO'
}

function reasonFor(code: string): Exclude<LinkEnd, 'lost'> {
  if (code === 'revoked' || code === 'not_admitted' || code === 'workspace_unknown' || code === 'token_invalid')
    return 'unpaired'
  return code === 'unavailable' ? 'failed' : 'protocol'
}
