// Links that are mailed: of each kind an account has one that counts, the newest, and it counts once. Rows hold digests.
// Knows no route.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import { deleteLink, hasLink, putLink, takeLink } from './link-store.ts'
import { digestOf } from './session-lookup.ts'

/** What a link is for. One that proves an address and one that changes it are of one kind: each says which address holds. */
export type LinkKind = 'reset-password' | 'address' | 'magic-link'

/** A link that is about to be sent. */
export interface NewLink {
  readonly kind: LinkKind
  /** Id of the user; for `magic-link` the address, as the account may not exist yet. */
  readonly account: string
  readonly token: string
  /** How long it counts. */
  readonly seconds: number
}

/** The links of one host. */
export interface Links {
  /** Makes a link the one that counts; an older one of its kind and account is void. */
  issue(link: NewLink): Promise<void>
  /** Whether a token is that of a link that counts. */
  counts(kind: LinkKind, token: string): boolean
  /**
   * Uses a link up and answers whose it was; undefined when it does not count.
   * @param also done in the same transaction where it counts
   */
  take(kind: LinkKind, token: string, also?: (tx: Tx, account: string) => void): Promise<string | undefined>
}

/**
 * Makes the links.
 * @source D-37; safety N3
 */
export function createLinks({ read, write, clock }: { read: Reads; write: Write; clock: Clock }): Links {
  return {
    async issue({ kind, account, token, seconds }) {
      const expiresAt = new Date(clock.now() + seconds * 1000).toISOString()
      await write('auth.link', (tx) =>
        putLink(tx, { kind, account: accountOf(account), digest: digestOf(token), expiresAt }),
      )
    },
    counts: (kind, token) => hasLink(read, kind, digestOf(token), clock.iso()),
    take: (kind, token, also) =>
      write('auth.take-link', (tx) => {
        const account = takeLink(tx, kind, digestOf(token), clock.iso())
        if (account !== undefined) also?.(tx, account)
        return account
      }),
  }
}

/** Voids the link of a kind that an account has. */
export function voidLink(tx: Tx, kind: LinkKind, account: string): void {
  deleteLink(tx, kind, accountOf(account))
}

function accountOf(account: string): string {
  return account.trim().toLowerCase()
}
