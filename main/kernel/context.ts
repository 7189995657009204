// Who asks, on which request, and how it may be cancelled. Knows no HTTP.
import type { Actor, ChangeSource, NarrowKey } from '#shared/events.ts'
import type { Tx } from './database.ts'
import type { CredentialKind, CredentialScope } from './identity.ts'
import type { CredentialCheck } from './sockets.ts'

/** Names a write that may be repeated, and the body it was made with (D-42). */
export interface EffectKey {
  readonly name: string
  readonly digest: string
  /** Milliseconds. */
  readonly startedAt: number
  /**
   * Keeps what the write answers in its own transaction, so that no end of the process can part the two. For the work of the
   * request itself, which knows its answer by then; an answer that is another one in the end is kept after it.
   */
  readonly keep?: (tx: Tx, answer: unknown) => void
  /** How far an interrupted call with the key had come, as it kept it; absent where it kept nothing, and where there was none. */
  readonly part?: string
  /** Keeps in a transaction how far the work is; a repeat after an interruption gets it as {@link part}. */
  readonly keepPart?: (tx: Tx, part: string) => void
}

/** The context every service call carries. */
export interface RequestContext {
  readonly actor: Actor
  readonly credential: CredentialKind
  /** Tells credentials of one kind apart without revealing them; absent for the host's own work. */
  readonly credentialId?: string
  /** What the credential may do at most; absent: everything the actor may do (D-30). */
  readonly scope?: CredentialScope
  /** The user behind an impersonated session. */
  readonly impersonatorId?: string
  /** The caller's active organization; null when organizations are off (D-41). */
  readonly organizationId: string | null
  /** Work of the host that keeps to the organization like a user does: its rights end there, and only there. */
  readonly isWalled?: true
  /** Rises whenever any right may have changed; caches keyed by it are dropped. */
  readonly permissionEpoch: number
  /** BCP-47 tag resolved from Accept-Language, else the workspace's. */
  readonly locale: string
  readonly requestId: string
  readonly source: ChangeSource
  /** What the changelog names in place of the source, for what is written here and now but stands for something else. */
  readonly entrySource?: ChangeSource
  /** Aborted when the client goes away or the time limit of the request is reached. */
  readonly signal: AbortSignal
  /** False: record-triggered automations do not start for the changes of this call; absent means true (D-68). */
  readonly runAutomations?: false
  /** Nothing of this call stays: what scripts write on its way is tried and rolled back too (D-63). */
  readonly validateOnly?: true
  /** Names a piece of work that is stored in several writes: what tells people of changes tells of it once. */
  readonly work?: string
  /** The user whose call this is, where the system writes what follows from it. */
  readonly onBehalfOf?: string
  /** The narrowed key behind what is done without a request of its own. */
  readonly key?: NarrowKey
  /** The event that caused this call, and how many causes lie before it (D-206). */
  readonly causeEventId?: number
  readonly depth: number
  /** Set while a repeatable write runs: its transaction stores this together with the effect. */
  readonly effectKey?: EffectKey
  /** Judges credentials after the request too; set for contracts with `keepsCredential`. */
  readonly credentials?: CredentialCheck
  /** Deprecated features the request used, since when where that is known; the host turns them into headers (D-202). */
  readonly deprecations: { name: string; use: string; since?: string }[]
}

/** The id of the local owner (D-29); a fixed UUID so that records made before accounts exist keep their author. */
export const localOwnerId = '00000000-0000-7000-8000-000000000001'

/** The one actor of a host without accounts. */
export const localOwner: Actor = Object.freeze({ type: 'user', id: localOwnerId, name: 'owner' })

const never = new AbortController().signal

const systemActor: Actor = Object.freeze({ type: 'system', id: 'system' })

/** The context of a call for what the system writes because of it (D-61). */
export function asSystem({ isWalled: _walled, ...ctx }: RequestContext): RequestContext {
  return {
    ...ctx,
    actor: systemActor,
    ...(ctx.actor.type === 'user' ? { onBehalfOf: ctx.actor.id } : {}),
  }
}

/** A context for work the host starts itself: jobs, migrations, seeds. */
export function internalContext(requestId: string, source: ChangeSource = 'system'): RequestContext {
  return {
    actor: systemActor,
    credential: 'internal',
    organizationId: null,
    permissionEpoch: 0,
    locale: 'en',
    requestId,
    source,
    signal: never,
    depth: 0,
    deprecations: [],
  }
}
