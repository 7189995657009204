// What assistants did last, for the people whose keys they came with. Kept in memory: what has to be known later is in the
// audit, which also says who may read it.
import type { RequestContext } from '#main/kernel/context.ts'

/** A call of a tool. */
export interface RecentAct {
  readonly keyId: string
  /** Instant, ISO 8601. */
  readonly at: string
  readonly tool: string
  /** The object it named; null for none. */
  readonly object: string | null
  readonly refused: boolean
}

/** The acts of one host. */
export interface RecentActs {
  /** Notes a call that came with a key; others are nobody's connection. */
  add(ctx: RequestContext, call: { readonly tool: string; readonly args: unknown; readonly refused: boolean }): void
  /** The acts of a user's keys, the latest first. */
  of(userId: string): readonly RecentAct[]
}

/** Acts kept of each user, and users of whom any are kept. */
const maxActs = 100
const maxUsers = 200

/** Makes them. @param now milliseconds */
export function createRecentActs(now: () => number): RecentActs {
  const byUser = new Map<string, RecentAct[]>()
  return {
    add({ actor, credential, credentialId }, { tool, args, refused }) {
      if (credential !== 'api-key' || credentialId === undefined) return
      const object = (args as { readonly object?: unknown } | null | undefined)?.object
      const act: RecentAct = {
        keyId: credentialId,
        at: new Date(now()).toISOString(),
        tool,
        object: typeof object === 'string' ? object.slice(0, 63) : null,
        refused,
      }
      const acts = [act, ...(byUser.get(actor.id) ?? [])].slice(0, maxActs)
      // The user who acted last stands last, so that the first one is forgotten.
      byUser.delete(actor.id)
      if (byUser.size >= maxUsers) byUser.delete(byUser.keys().next().value!)
      byUser.set(actor.id, acts)
    },
    of: (userId) => byUser.get(userId) ?? [],
  }
}
