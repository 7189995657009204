// What steps are done with and what the oracle looks at: a host of this process or of another one. Knows no step.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { FeedCore } from '#main/plugins/feed/service.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { Replica } from '#main/plugins/sync/engine/replica.ts'
import type { Journal } from './host-journal.ts'
import type { Rights } from './rights.ts'

/** A machine of a schedule. */
export interface Machine {
  readonly name: string
  /** The incarnation it writes under. */
  readonly inc: number
  readonly plugin: { readonly read: Reads }
  readonly data: Pick<DataService, 'create' | 'update' | 'remove' | 'restore' | 'write' | 'bulk'>
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'objectSchemas' | 'get' | 'save' | 'remove'> & {
    readonly exchange: Pick<MetadataService['exchange'], 'names' | 'committed'>
  }
  /** Writes what people say of records. */
  readonly feed: {
    readonly gate: Pick<FeedCore['gate'], 'feed'>
    readonly items: Pick<FeedCore['items'], 'create' | 'change' | 'remove'>
    readonly marks: Pick<FeedCore['marks'], 'react' | 'unreact' | 'pin' | 'unpin'>
  }
  readonly engine: { readonly replica: Pick<Replica, 'vector' | 'digest' | 'backlog'> }
  /** Who writes here, by id. */
  readonly people: readonly string[]
  /** The person of a machine that is no administrator's. */
  readonly member?: Member | undefined
  /** A call of somebody who writes here. */
  ctx(person?: string): RequestContext
  /** Lets the next write of a record fail after everything of it was written, so that its transaction is taken back. */
  failNext(recordId: string | null): void
  /** Brings the newest back that a change of an object put aside. */
  bringBack(object: string): Promise<void>
  /** The id of an object of the model, whether it is there or not. */
  uidOf(object: string): string
  /** The name that a field of the model has here now. */
  fieldName(object: string, field: string): string
}

/** A person of narrower rights, on a machine of their own. */
export interface Member {
  readonly rights: Rights
  /** Whether their own machine knows the rights too: then nothing forbidden is written in the first place. */
  readonly isKnownAtHome: boolean
}

/** Machines at rest, and what was written on them. */
export interface AtRest {
  readonly machines: readonly Machine[]
  readonly journal: Journal
  /** Whether clocks may be wrong; then stamps decide what came later. */
  readonly skewed: boolean
  /** Whether an older database came back on the machine that gives numbers. */
  readonly isCounterLost: boolean
  /** People of narrower rights by the machine that is theirs. */
  readonly members: ReadonlyMap<string, Member>
}
