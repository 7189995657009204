// One socket in a room: what it may do at this moment, what it may send, and how much waits for it. Knows no document.
import type { ChangeSource } from '#shared/events.ts'
import { liveTextCloseCodes } from '#shared/live-text.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Caller } from '#main/kernel/identity.ts'
import type { PlatformSocket } from '#main/kernel/sockets.ts'
import type { TextReach } from './access.ts'
import type { Editor } from './keeper.ts'

/** Bytes that may wait for one socket. */
const maxBufferedBytes = 4 * 1024 * 1024

/** Messages and bytes a socket may send in a second. */
const maxPerSecond = { messages: 1_000, bytes: 4 * 1024 * 1024 } as const

/** A client closes a socket that was silent for thirty seconds; something is said in half of that. */
const silenceMs = 12_000

/** How often it is asked whether anybody is there, and how often in vain. */
const pingMs = 30_000
const maxUnanswered = 2

/** How old the last look at a credential and at rights may be: what is taken back is felt within a second (safety D5). */
const recheckMs = 700

/** Whom a socket belongs to. */
export interface MemberStart {
  readonly socket: PlatformSocket
  readonly clientId: number
  readonly caller: Caller
  readonly name: string
  readonly source: ChangeSource
  readonly isReadOnly: boolean
  recheck(): Caller | null
}

/** What a member is judged by. */
export interface MemberParts {
  /** Milliseconds of a clock that nobody sets. */
  now(): number
  /** A text that changes when any right may have changed. */
  stamp(): string
  contextOf(caller: Caller, requestId: string, source: ChangeSource): RequestContext
  reach(ctx: RequestContext): TextReach
}

/** One socket in a room. */
export interface Member {
  readonly clientId: number
  readonly userId: string
  readonly name: string
  readonly isReadOnly: boolean
  readonly editor: Editor
  readonly isClosed: boolean
  send(bytes: Uint8Array): void
  close(code: number, reason: string): void
  /** Whether it may still be here as it came in; ends it when not. Asked at most about once a second unless `atOnce`. */
  holds(atOnce?: boolean): boolean
  /** Counts a message; ends the member that sends too many. */
  counts(bytes: number): boolean
  /** Called a few times a second. @param sign what is sent when nothing was sent for long */
  beat(sign: () => Uint8Array): void
}

/** Makes a member. */
export function createMember(parts: MemberParts, start: MemberStart): Member {
  const { socket, source } = start
  const { actor, credentialId } = start.caller
  let { caller } = start
  let isClosed = false
  let checkedAt = parts.now()
  let stamp = parts.stamp()
  let sentAt = parts.now()
  let pingedAt = parts.now()
  let unanswered = 0
  let window = { from: parts.now(), messages: 0, bytes: 0 }

  const editor: Editor = {
    key: `${actor.id} ${credentialId}`,
    userId: actor.id,
    context: (requestId, work) => ({ ...parts.contextOf(caller, requestId, source), work }),
  }

  socket.onPong(() => {
    unanswered = 0
  })
  socket.onClose(() => {
    isClosed = true
  })

  const self: Member = {
    clientId: start.clientId,
    userId: actor.id,
    name: start.name,
    isReadOnly: start.isReadOnly,
    editor,
    get isClosed() {
      return isClosed
    },
    send(bytes) {
      if (isClosed) return
      if (socket.bufferedBytes() > maxBufferedBytes) {
        self.close(liveTextCloseCodes.tooSlow, 'too slow')
        return
      }
      sentAt = parts.now()
      socket.send(bytes)
    },
    close(code, reason) {
      if (isClosed) return
      isClosed = true
      socket.close(code, reason)
    },
    holds(atOnce = false) {
      if (isClosed) return false
      const now = parts.now()
      const isFresh = Math.abs(now - checkedAt) < recheckMs && stamp === parts.stamp()
      if (!atOnce && isFresh) return true
      const found = start.recheck()
      if (found === null || found.actor.id !== actor.id || found.credentialId !== credentialId) {
        self.close(liveTextCloseCodes.unauthenticated, 'the credential holds no more')
        return false
      }
      caller = found
      checkedAt = now
      stamp = parts.stamp()
      const reach = parts.reach(parts.contextOf(caller, 'live-text', source))
      if (reach === 'none') self.close(liveTextCloseCodes.forbidden, 'not allowed any more')
      else if ((reach === 'read') !== start.isReadOnly) self.close(liveTextCloseCodes.rightsChanged, 'rights changed')
      return !isClosed
    },
    counts(bytes) {
      const now = parts.now()
      if (now - window.from >= 1_000) window = { from: now, messages: 0, bytes: 0 }
      window.messages += 1
      window.bytes += bytes
      if (window.messages <= maxPerSecond.messages && window.bytes <= maxPerSecond.bytes) return true
      self.close(liveTextCloseCodes.policy, 'too many messages')
      return false
    },
    beat(sign) {
      if (!self.holds()) return
      const now = parts.now()
      if (now - sentAt >= silenceMs) self.send(sign())
      if (now - pingedAt < pingMs) return
      pingedAt = now
      if (unanswered >= maxUnanswered) self.close(liveTextCloseCodes.goingAway, 'no answer')
      else {
        unanswered += 1
        socket.ping()
      }
    },
  }
  return self
}
