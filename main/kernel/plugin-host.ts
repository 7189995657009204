// Registers plugins in order, gives each its view of the host, and takes everything down in reverse order.
// Knows no capability: what plugins offer stays opaque here.
import { setTimeout as pause } from 'node:timers/promises'
import type { ErrorTable } from '#shared/errors.ts'
import type { AnyRoute, RouteTable } from '#shared/route.ts'
import type { Authorizer } from './authorize.ts'
import { denyingAuthorizer } from './authorize.ts'
import type { Clock } from './clock.ts'
import type { RequestContext } from './context.ts'
import type { Database, DatabaseHealth } from './database.ts'
import type { EventBus } from './events.ts'
import type { IdentityProvider } from './identity.ts'
import { noIdentities } from './identity.ts'
import type { Ids } from './ids.ts'
import type { Logger } from './logger.ts'
import { orderPlugins } from './plugin-order.ts'
import type {
  HostFacts,
  JobSchedule,
  OutboxConsumer,
  PluginCatalogue,
  PluginDefinition,
  PluginHost,
  RegisteredPlugin,
} from './plugin.ts'
import type { Ports } from './ports.ts'
import type { ServiceId, ServiceRegistry } from './services.ts'
import { createServices } from './services.ts'
import type { SocketRoute } from './sockets.ts'
import type { Traffic } from './traffic.ts'
import type { AuditSink } from './audit-sink.ts'
import { noAuditSink } from './audit-sink.ts'

/** A route with the plugin that mounted it; `handler` takes the parsed parts of the request. */
export interface MountedRoute {
  readonly plugin: string
  readonly contract: AnyRoute
  readonly handler: (ctx: RequestContext, input: never) => unknown
}

/** What plugins are loaded into. */
export interface PluginEnvironment {
  readonly database: Database
  readonly bus: EventBus
  readonly outbox: { consume(consumer: string, definition: OutboxConsumer): void }
  readonly jobs: { job(name: string, schedule: JobSchedule, fn: (signal: AbortSignal) => Promise<void> | void): void }
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly ports: Ports
  readonly facts: HostFacts
  readonly traffic: Traffic
}

/** The registered plugins of one host. */
export interface LoadedPlugins {
  readonly routes: readonly MountedRoute[]
  readonly sockets: readonly SocketRoute[]
  readonly catalogue: PluginCatalogue
  authorizer(): Authorizer
  identities(): IdentityProvider
  auditSink(): AuditSink
  permissionEpoch(): number
  service<K extends ServiceId>(id: K): ServiceRegistry[K] | undefined
  /** Has done what is to be done while connections are open; resolves after {@link closeMs} at the latest. */
  beforeClose(): Promise<void>
  /** Runs every dispose function, newest first; all run even when one fails, and the first failure is thrown. */
  stop(): Promise<void>
}

/** How long a stop waits for what plugins do before connections end. */
const closeMs = 2_000

/**
 * Registers all plugins; the order of migrations is the caller's business and comes first.
 * @throws Error naming both sides when a route or service is claimed twice, or a needed one is missing. Plugins that
 * were registered before the failure are disposed.
 */
export async function loadPlugins(
  plugins: readonly PluginDefinition[],
  environment: PluginEnvironment,
): Promise<LoadedPlugins> {
  const services = createServices()
  const routes: MountedRoute[] = []
  const sockets: SocketRoute[] = []
  const claimed = new Map<string, string>()
  const registered: RegisteredPlugin[] = []
  const errorTables: { plugin: string; table: ErrorTable }[] = []
  const disposers: (() => void | Promise<void>)[] = []
  const closers: (() => Promise<void>)[] = []
  let isStopped = false
  /** What a plugin is still opening while the host stops is put away as soon as it is there. */
  const dispose = (fn: () => void | Promise<void>): void => {
    if (isStopped) void (async () => fn())().catch(() => undefined)
    else disposers.push(fn)
  }
  const loadedListeners: (() => void)[] = []
  const features = new Map<string, () => boolean>()
  const statuses = new Map<string, NonNullable<PluginDefinition['status']>>()
  let authorizer = denyingAuthorizer
  let authorizerSetBy: string | undefined
  let identities = noIdentities
  let identitiesSetBy: string | undefined
  let auditSink = noAuditSink
  let auditSinkSetBy: string | undefined
  let permissionEpoch = 1

  const catalogue: PluginCatalogue = {
    plugins: () => registered,
    routes: () => routes,
    errorTables: () => errorTables,
  }

  const claim = (plugin: string, contract: AnyRoute): void => {
    for (const place of [{ mount: contract.mount, path: contract.path }, ...(contract.aliases ?? [])]) {
      const key = `${contract.method} ${place.mount} ${place.path.replace(/:[^/]+/g, ':')}`
      const other = claimed.get(key)
      if (other !== undefined) {
        throw new Error(`Plugins "${other}" and "${plugin}" both claim ${contract.method} ${place.path}.`)
      }
      claimed.set(key, plugin)
    }
  }

  const viewFor = (plugin: PluginDefinition): PluginHost => {
    const { database, bus, outbox, jobs, clock, ids, ports, facts, traffic } = environment
    return {
      service<K extends ServiceId>(id: K): ServiceRegistry[K] {
        if (!(plugin.requires ?? []).includes(id)) {
          throw new Error(`Plugin "${plugin.id}" asks for service "${id}" without naming it in requires.`)
        }
        if (!services.has(id)) throw new Error(`Plugin "${plugin.id}" requires service "${id}", which nobody provides.`)
        return services.get(id) as ServiceRegistry[K]
      },
      optionalService<K extends ServiceId>(id: K) {
        if (!(plugin.optional ?? []).includes(id)) {
          throw new Error(`Plugin "${plugin.id}" asks for service "${id}" without naming it in optional.`)
        }
        return () => services.get(id) as ServiceRegistry[K] | undefined
      },
      provide: (id, service) => services.provide(id, service),
      handle<T extends RouteTable>(contract: T, handlers: Readonly<Record<keyof T, unknown>>) {
        for (const [key, route] of Object.entries(contract)) {
          claim(plugin.id, route)
          const handler = handlers[key]
          if (typeof handler !== 'function') throw new Error(`Route "${key}" of plugin "${plugin.id}" has no handler.`)
          routes.push({ plugin: plugin.id, contract: route, handler: handler as MountedRoute['handler'] })
        }
      },
      showFeature: (isOn) => void features.set(plugin.id, isOn),
      showStatus: (status) => void statuses.set(plugin.id, status),
      socket(route) {
        if (sockets.some(({ path }) => path === route.path)) throw new Error(`The socket ${route.path} is taken.`)
        sockets.push(route)
      },
      read: database.read,
      write: database.write,
      writeStepwise: database.writeStepwise,
      heavy: database.heavy,
      isBusy: traffic.isBusy,
      database,
      on: (type, listener, options) => {
        dispose(bus.on(type, listener, options?.priority ?? 100))
      },
      onCommitted: (type, listener) => {
        dispose(bus.onCommitted(type, listener))
      },
      consume: (consumer, definition) => outbox.consume(`${plugin.id}.${consumer}`, definition),
      job: (name, schedule, fn) => jobs.job(`${plugin.id}.${name}`, schedule, fn),
      get authorizer() {
        return authorizer
      },
      setAuthorizer(value) {
        if (authorizerSetBy !== undefined) {
          throw new Error(`Plugins "${authorizerSetBy}" and "${plugin.id}" both set the authorizer.`)
        }
        authorizer = value
        authorizerSetBy = plugin.id
      },
      setIdentities(value) {
        if (identitiesSetBy !== undefined)
          throw new Error(`Plugins "${identitiesSetBy}" and "${plugin.id}" both set the identities.`)
        identities = value
        identitiesSetBy = plugin.id
      },
      setAuditSink(value) {
        if (auditSinkSetBy !== undefined)
          throw new Error(`Plugins "${auditSinkSetBy}" and "${plugin.id}" both set the audit sink.`)
        auditSink = value
        auditSinkSetBy = plugin.id
      },
      raisePermissionEpoch: () => {
        permissionEpoch += 1
      },
      permissionEpoch: () => permissionEpoch,
      lastEventId: () => bus.lastId(),
      clock,
      ids,
      log: environment.log.child({ plugin: plugin.id }) as Logger,
      secrets: ports.secrets,
      notify: ports.notify,
      spawn: ports.spawn,
      onLoaded: (fn) => {
        loadedListeners.push(fn)
      },
      dispose,
      beforeClose: (fn) => void closers.push(fn),
      options: facts,
      catalogue,
    }
  }

  const stop = async (): Promise<void> => {
    isStopped = true
    let failure: unknown
    for (const fn of disposers.splice(0).toReversed()) {
      try {
        await fn()
      } catch (error) {
        failure ??= error
      }
    }
    if (failure !== undefined) throw failure
  }

  try {
    for (const plugin of orderPlugins(plugins)) {
      await plugin.register(viewFor(plugin))
      registered.push({
        id: plugin.id,
        version: plugin.version,
        discovery: plugin.discovery,
        status: () => statusOf(plugin, statuses.get(plugin.id) ?? plugin.status, environment.database.health()),
        hasFeature: () => features.get(plugin.id)?.() ?? true,
      })
      if (plugin.errors !== undefined) errorTables.push({ plugin: plugin.id, table: plugin.errors })
    }
    for (const fn of loadedListeners) fn()
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }

  return {
    routes,
    sockets,
    catalogue,
    authorizer: () => authorizer,
    identities: () => identities,
    auditSink: () => auditSink,
    permissionEpoch: () => permissionEpoch,
    service: <K extends ServiceId>(id: K) => services.get(id) as ServiceRegistry[K] | undefined,
    beforeClose: () =>
      Promise.race([Promise.allSettled(closers.map((fn) => fn())), pause(closeMs, undefined, { ref: false })]).then(
        () => undefined,
      ),
    stop,
  }
}

/** A plugin with tables depends on a database that takes writes; its own status comes first (D-18). */
function statusOf(
  plugin: PluginDefinition,
  ownStatus: PluginDefinition['status'],
  health: DatabaseHealth,
): ReturnType<RegisteredPlugin['status']> {
  const own = ownStatus?.() ?? { status: 'available' }
  if (own.status !== 'available' || health === 'ok' || (plugin.migrations ?? []).length === 0) return own
  const message =
    health === 'disk_full' ? 'The disk is full: reading and deleting work.' : 'The database takes no writes just now.'
  return { status: 'degraded', message }
}
