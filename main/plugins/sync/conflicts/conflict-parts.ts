// What conflicts and problems work with, named once: ports that the engine of sync fills. Types only.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { Json } from '#main/replication/core/types.ts'
import type { ConflictPlace } from './conflict-store.ts'

/** A record and its object as it is now. */
export interface SchemaPlace extends ConflictPlace {
  readonly schema: ObjectSchema
}

/** The documents behind records, as a decision touches them. What it writes travels in the caller's name. */
export interface ConflictDocuments {
  /** Makes a value the only one of a field: nothing concurrent stands beside it any more. */
  settleField(tx: Tx, ctx: RequestContext, place: SchemaPlace, field: string, value: Json): void
  /** Says that all beginnings of a long text were seen: it stays as it stands. */
  settleText(tx: Tx, ctx: RequestContext, place: ConflictPlace, field: string): void
  /** Says that a record stays deleted although it was edited meanwhile. */
  keepDeleted(tx: Tx, ctx: RequestContext, place: ConflictPlace): void
}

/** Documents of metadata, as decisions about them need them. */
export interface ConflictItems {
  /** Whether this machine may change metadata of the workspace. */
  mayChange(): boolean
  /** Makes a value the only one of an entry; it travels in the caller's name. */
  settle(tx: Tx, ctx: RequestContext, document: { type: string; uid: string }, key: string, value: Json): void
  /** Removes an item once more that is removed: what was written to it up to now was seen. */
  keepRemoved(tx: Tx, ctx: RequestContext, document: { type: string; uid: string }): void
  /** Resolves when items are as their documents say, or wait with a reason. */
  follow(): Promise<void>
}

/** Envelopes that lie aside, as people act on them. */
export interface ProblemActions {
  /** Tries again to apply an envelope; it stays where it lies when that fails. */
  retry(inc: number, seq: number): Promise<void>
  /** Gives an envelope up: it counts as applied and is not listed any more. */
  discard(inc: number, seq: number): Promise<void>
  /** The bytes of an envelope's body; null when they are not stored. */
  body(inc: number, seq: number): Uint8Array | null
}

/** What the engine of sync gives while sync is on. */
export interface ConflictEngine {
  readonly documents: ConflictDocuments
  readonly problems: ProblemActions
  readonly items?: ConflictItems | undefined
  /** Id of this machine, as the roster names it. */
  readonly device: string
  /** The name of a machine; undefined when it is not in the roster. */
  deviceName(device: string): string | undefined
  /** The machine an incarnation belongs to. */
  deviceOf(inc: number): string | undefined
  /** The id a person has here, whom documents name. */
  localId(id: string): string
  /** The name of a user of another machine. */
  userName(id: string): string | undefined
}

/** What conflicts work with. */
export interface ConflictParts extends Pick<PluginHost, 'read' | 'write' | 'clock' | 'log'> {
  readonly data: DataService
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'objectSchemas' | 'exchange' | 'get'>
  /** The history of records; absent where the host keeps none. */
  feed(): Pick<FeedService, 'noteKept' | 'change' | 'travelling'> | undefined
  authorizer(): PluginHost['authorizer']
  /** The name of a user of this machine. */
  userName(id: string): string | undefined
  /** The engine; null while sync is off. */
  engine(): ConflictEngine | null
  readonly dataDir: string
}
