// Sign-in of the local owner from a browser: one-time codes and the sessions they open. In memory: a restart ends all.
// Knows no request.
import { hash, timingSafeEqual } from 'node:crypto'
import { localOwner } from '#main/kernel/context.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { OwnerSessions } from '#main/kernel/identity.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { FindSession } from './authenticate.ts'

/** Life of a one-time code (D-208). */
export const codeLifeMs = 10 * 60_000

/** Wrong guesses after which an open code is void (D-208). */
export const maxWrongGuesses = 5

/** Life of a browser session (D-39). */
export const sessionLifeSeconds = 7 * 24 * 60 * 60

/** Sessions kept at most; the oldest ends first. */
const maxSessions = 1_000

/** Open codes kept at most; the oldest is void first. */
const maxCodes = 20

/** Codes that open one browser session each. */
export interface OneTimeCodes {
  /** A new code of 192 random bits, good once within ten minutes. */
  mint(): string
  /** Uses a code up; false when it is wrong, used, too old or void. The fifth wrong guess voids an open code. */
  redeem(code: string): boolean
}

/** Makes the codes of one host. Only digests are kept. */
export function createOneTimeCodes(clock: Clock, ids: Ids): OneTimeCodes {
  let open: { digest: Buffer; endsAt: number; wrongGuesses: number }[] = []
  return {
    mint() {
      const code = ids.token(24)
      open.push({ digest: digestOf(code), endsAt: clock.now() + codeLifeMs, wrongGuesses: 0 })
      if (open.length > maxCodes) open.shift()
      return code
    },
    redeem(code) {
      const digest = digestOf(code)
      const now = clock.now()
      open = open.filter((entry) => entry.endsAt > now)
      // Every open code is compared, so that the time taken says nothing about them.
      const matches = open.map((entry) => timingSafeEqual(entry.digest, digest))
      const found = matches.indexOf(true)
      if (found !== -1) {
        open.splice(found, 1)
        return true
      }
      for (const entry of open) entry.wrongGuesses += 1
      open = open.filter((entry) => entry.wrongGuesses < maxWrongGuesses)
      return false
    },
  }
}

/** The browser sessions of one host. */
export interface ConsoleSessions extends OwnerSessions {
  /** Opens a session of the local owner and answers its token, which is kept nowhere. */
  open(): string
  readonly find: FindSession
  /** Ends the session a token names; unknown tokens are ignored. */
  end(token: string): void
}

/** Makes an empty set of sessions; each ends seven days after it was opened. */
export function createConsoleSessions(clock: Clock, ids: Ids): ConsoleSessions {
  const sessions = new Map<string, { id: string; endsAt: number }>()
  return {
    open() {
      const token = ids.token()
      const now = clock.now()
      for (const [key, session] of sessions) {
        if (session.endsAt <= now || sessions.size >= maxSessions) sessions.delete(key)
      }
      sessions.set(keyOf(token), { id: ids.uuid(), endsAt: now + sessionLifeSeconds * 1000 })
      return token
    },
    // The map is keyed by digest: looking one up tells nothing about the token itself.
    find(token) {
      const session = sessions.get(keyOf(token))
      if (session === undefined || session.endsAt <= clock.now()) return null
      return { id: session.id, actor: localOwner }
    },
    end(token) {
      sessions.delete(keyOf(token))
    },
    endById(id) {
      for (const [key, session] of sessions) if (session.id === id) sessions.delete(key)
    },
    endAll(exceptId) {
      const before = sessions.size
      for (const [key, { id }] of sessions) if (id !== exceptId) sessions.delete(key)
      return before - sessions.size
    },
  }
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

function keyOf(token: string): string {
  return hash('sha256', token, 'base64url')
}
