// The shape of a plugin and of the host it sees. Mechanism only: no capability is named here.
import type { ErrorTable } from '#shared/errors.ts'
import type { PlatformEvent } from '#shared/events.ts'
import type { AnyRoute, RouteInput, RouteResult, RouteTable } from '#shared/route.ts'
import type { Authorizer } from './authorize.ts'
import type { Clock } from './clock.ts'
import type { RequestContext } from './context.ts'
import type { Database, HeavyReads, Reads, Tx, Write, WriteStepwise } from './database.ts'
import type { HubFacts } from './hub-facts.ts'
import type { IdentityProvider, OwnerSessions } from './identity.ts'
import type { Ids } from './ids.ts'
import type { Logger } from './logger.ts'
import type { KillableChild, Notifier, SecretStore } from './ports.ts'
import type { ByteStream, RawJson, Reply } from './reply.ts'
import type { Restored } from './restore-note.ts'
import type { ServiceId, ServiceRegistry } from './services.ts'
import type { SocketRoute } from './sockets.ts'
import type { AuditSink } from './audit-sink.ts'

/** One numbered step of a plugin's tables. Released steps are frozen: their checksum is recorded. */
export interface Migration {
  readonly number: number
  readonly name: string
  /** SQL statements, run in order inside the upgrade's transaction. */
  readonly sql: string
  /** Data work that SQL text cannot express; never imports current services or schemas. */
  readonly run?: (tx: Pick<Tx, 'all' | 'get' | 'run'>) => void
}

/** What discovery says of the plugin (D-17). */
export interface DiscoveryEntry {
  /** Key of `services`. */
  readonly service: string
  /** Key of `routes` and the path under the prefix, when it has one. */
  readonly routeKey?: string
  readonly route?: string
  /** Further keys of `routes` with their paths. */
  readonly moreRoutes?: Readonly<Record<string, string>>
  /** Key of `features`. */
  readonly feature?: string
  /** Keys of `capabilities` the plugin switches on. */
  readonly capabilities?: readonly string[]
}

/** What a handler may return for a contract. */
export type HandlerResult<R extends AnyRoute> =
  | RouteResult<R>
  | Reply<RouteResult<R> | ByteStream | RawJson>
  | ByteStream
  | RawJson

/** A handler for every route of a table; a missing or misspelt one is a compile error. */
export type Handlers<T extends RouteTable> = {
  readonly [K in keyof T]: (
    ctx: RequestContext,
    input: RouteInput<T[K]>,
  ) => HandlerResult<T[K]> | Promise<HandlerResult<T[K]>>
}

/** An in-transaction listener: synchronous, may write through the same `tx`, vetoes by throwing. */
export type EventListener = (event: PlatformEvent, tx: Tx, ctx: RequestContext) => void

/** A durable consumer with its own cursor (D-205): at least once, in order, idempotent by event id. */
export interface OutboxConsumer {
  /** Asked inside the transaction for each event; must answer from memory. */
  wants(event: PlatformEvent): boolean
  /** The run an event is in: wanted events in a row with the same key may be handed over at once. Null, or absent: none. */
  runOf?(event: PlatformEvent): string | null
  /** @param more events of the same run that came after it, in order; all are handled, or all come again */
  handle(event: PlatformEvent, more: readonly PlatformEvent[]): Promise<void>
}

/** When a job runs: a cron line (five fields, workspace time zone) or an interval. */
export type JobSchedule = { readonly cron: string } | { readonly everySeconds: number }

/** What a plugin sees of the host. */
export interface PluginHost {
  /** A service named in `requires`. @throws Error at start when it is not named there or not provided. */
  service<K extends ServiceId>(id: K): ServiceRegistry[K]
  /** A service named in `optional`; the getter answers undefined when that plugin is absent. Call it at use, not at start. */
  optionalService<K extends ServiceId>(id: K): () => ServiceRegistry[K] | undefined
  provide<K extends ServiceId>(id: K, service: ServiceRegistry[K]): void
  /** Mounts the routes; they vanish with the plugin (D-16). */
  handle<T extends RouteTable>(contract: T, handlers: Handlers<T>): void
  /** Shows the feature of the discovery entry only while this holds; without it the feature shows as long as the plugin runs. */
  showFeature(isOn: () => boolean): void
  /** Says how the plugin does, in place of `status` of its definition, where that hangs on what the plugin was given. */
  showStatus(status: NonNullable<PluginDefinition['status']>): void
  /** Answers WebSockets at a path. @throws Error when the path is taken */
  socket(route: SocketRoute): void
  readonly read: Reads
  readonly write: Write
  readonly writeStepwise: WriteStepwise
  readonly heavy: HeavyReads
  /** Whether somebody asked for something a moment ago: long work then takes smaller steps. */
  isBusy(): boolean
  readonly database: Pick<
    Database,
    'file' | 'schemaEpoch' | 'version' | 'health' | 'onDisk' | 'backupTo' | 'statementCount' | 'longDdl'
  >
  /**
   * Listens inside the transaction. Lower priority runs first (default 100), then plugin order. `*` hears every event,
   * `auth.*` every one whose type begins with `auth.`.
   */
  on(eventType: string, listener: EventListener, options?: { priority?: number }): void
  /** Listens after COMMIT, in event order, in memory, best effort. */
  onCommitted(eventType: string, listener: (event: PlatformEvent) => void): void
  /** Registers a durable consumer. */
  consume(consumer: string, definition: OutboxConsumer): void
  /** Registers a persistent schedule; a run missed while the host was off is caught up once. */
  job(name: string, schedule: JobSchedule, fn: (signal: AbortSignal) => Promise<void> | void): void
  /** The authorizer in force; `permissions` sets it. */
  readonly authorizer: Authorizer
  setAuthorizer(authorizer: Authorizer): void
  /** Says whom credentials belong to; `auth` does. */
  setIdentities(identities: IdentityProvider): void
  /** Hears of refused requests and used keys; `audit` does. */
  setAuditSink(auditSink: AuditSink): void
  /** Adds 1 to the permission epoch: cached rights and ETags are dropped. */
  raisePermissionEpoch(): void
  /** The permission epoch of this moment, for contexts that outlive a request. */
  permissionEpoch(): number
  /** The id of the newest event, or the one before the first of this start. */
  lastEventId(): number
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly secrets: SecretStore
  readonly notify: Notifier
  spawn(entryFile: string, options: { name: string; args?: readonly string[] }): KillableChild
  /** Runs at stop, in reverse order of registration; at once where the host has stopped meanwhile. */
  dispose(fn: () => void | Promise<void>): void
  /**
   * Has something done before connections end at a stop, and before a planned handover, while all can be stored still.
   * It may come twice; nobody waits longer than two seconds for it.
   */
  beforeClose(fn: () => Promise<void>): void
  /** Called once when every plugin is registered: services of those that come later are there by then. */
  onLoaded(fn: () => void): void
  /** What the host was started with. */
  readonly options: HostFacts
  /** What other plugins declared; complete once all have registered. */
  readonly catalogue: PluginCatalogue
}

/** Facts about the running host that plugins may show or need. */
export interface HostFacts {
  readonly dataDir: string
  /** Whether the database is the one this machine closed last: surely, not surely, or surely a copy of an earlier one. */
  readonly databaseOrigin: 'left' | 'doubtful' | 'copied'
  readonly version: string
  /** Where the packages that come with the program lie, a folder for each. */
  readonly packagesDir: string
  readonly environment: 'production' | 'sandbox' | 'development'
  /** The API prefix, default `/api/v1` (D-01). */
  readonly prefix: string
  /** Path of the application shell, default `/_console` (D-40). */
  readonly uiBasePath: string
  /** Base address without trailing slash, once the server listens. */
  baseUrl(): string
  /** Undefined but at the first start after a restore, and once plugins have registered it reads no more. */
  readonly restored: Restored | undefined
  /**
   * Stores what waits and refuses writes from then on: before a restart that is then requested.
   * @returns takes it back
   * @throws service_unavailable where there can be no such restart
   */
  holdWrites(): Promise<() => void>
  /** Ends this host and starts it again on the same data directory (restore of a backup). */
  requestRestart(prepare: () => Promise<void>): void
  /** The browser sessions the host opened for the local owner. */
  readonly ownerSessions: OwnerSessions
  /** The workspace is kept by several machines, and this one leads; null where it is on one machine alone. */
  readonly hub: HubFacts | null
  /** The settings of `config.json` that belong to a plugin. */
  config(plugin: string): Readonly<Record<string, unknown>>
}

/** A plugin that was registered. */
export interface RegisteredPlugin {
  readonly id: string
  readonly version: string
  readonly discovery: DiscoveryEntry | undefined
  status(): { status: 'available' | 'degraded' | 'unavailable'; message?: string }
  /** Whether the feature of the discovery entry is on. */
  hasFeature(): boolean
}

/** All plugins and routes of the host. */
export interface PluginCatalogue {
  plugins(): readonly RegisteredPlugin[]
  routes(): readonly { plugin: string; contract: AnyRoute }[]
  errorTables(): readonly { plugin: string; table: ErrorTable }[]
}

/** A capability: a plain value the composition root lists. */
export interface PluginDefinition {
  /** Folder, contract file, table prefix and service id at once. */
  readonly id: string
  readonly version: string
  readonly requires?: readonly string[]
  readonly optional?: readonly string[]
  readonly discovery?: DiscoveryEntry
  readonly contract?: RouteTable
  readonly errors?: ErrorTable
  /** System permissions the plugin introduces (D-48). */
  readonly permissions?: readonly string[]
  readonly migrations?: readonly Migration[]
  /** Event types the plugin raises. */
  readonly emits?: readonly string[]
  readonly status?: () => { status: 'available' | 'degraded' | 'unavailable'; message?: string }
  /** Loads the modules that a first use would load; called where nobody waits for anything yet. */
  readonly preload?: () => Promise<unknown>
  register(host: PluginHost): void | Promise<void>
}

/** Declares a plugin. */
export function definePlugin<const T extends PluginDefinition>(plugin: T): T {
  return Object.freeze(plugin)
}
