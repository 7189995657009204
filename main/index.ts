// The public door of the host: starts everything in order and stops it in reverse. The only file the shell imports.
import type { PlatformError } from '#shared/errors.ts'
import path from 'node:path'
import { createDatabase } from '#main/database/create-database.ts'
import type { HostDatabase } from '#main/database/create-database.ts'
import { unavailable, writesRefused } from '#main/database/engine-errors.ts'
import { checkBesideTraffic } from '#main/database/live-check.ts'
import type { OpenLog } from '#main/database/log-sync.ts'
import { createMigrationBackup } from '#main/database/migration-backup.ts'
import { migrateDatabase } from '#main/database/migrator.ts'
import { openRestored } from '#main/database/restored.ts'
import { judgeDatabase } from '#main/database/start-check.ts'
import type { DatabaseFound } from '#main/database/start-check.ts'
import { openStateFile } from '#main/database/state-file.ts'
import {
  isHubFolder,
  openDataDir,
  readConfig,
  removeConnectionFile,
  writeConfig,
  writeConnectionFile,
} from '#main/data-dir.ts'
import type { Config, DataDir } from '#main/data-dir.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { readAccessConfig } from '#main/http/access-config.ts'
import type { AccessConfig } from '#main/http/access-config.ts'
import { createAuthenticator } from '#main/http/authenticate.ts'
import { createCredentialRefusal } from '#main/http/credential-refusal.ts'
import { createConsoleSessions, createOneTimeCodes } from '#main/http/console-session.ts'
import { allGuards } from '#main/http/guard.ts'
import type { Guards } from '#main/http/guard.ts'
import { createLocaleResolver } from '#main/http/locale.ts'
import type { AnswerGate } from '#main/http/pipeline.ts'
import { defaultRateLimits } from '#main/http/rate-limit.ts'
import type { RateLimits } from '#main/http/rate-limit.ts'
import { proofFor } from '#main/http/running-host.ts'
import { sessionCookieName } from '#main/http/session-cookie.ts'
import type { ArrivalLimits } from '#main/http/arrival.ts'
import { createHttpServer } from '#main/http/server.ts'
import type { HttpServer, HttpServerOptions } from '#main/http/server.ts'
import { createAnswerStore } from '#main/kernel/answer-store.ts'
import { systemClock } from '#main/kernel/clock.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { isDiskFull } from '#main/kernel/disk-full.ts'
import { ballastBytes, openDiskSpace } from '#main/kernel/disk-space.ts'
import { createEventBus } from '#main/kernel/events.ts'
import type { EventBus } from '#main/kernel/events.ts'
import type { HubFacts } from '#main/kernel/hub-facts.ts'
import { createFileSecrets } from '#main/kernel/file-secrets.ts'
import { createIds } from '#main/kernel/ids.ts'
import { createJobs } from '#main/kernel/jobs.ts'
import { kernelMigrations } from '#main/kernel/kernel-migrations.ts'
import { openLogFile } from '#main/kernel/log-file.ts'
import { createLogger } from '#main/kernel/logger.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { returnMemoryInPauses, createTraffic } from '#main/kernel/traffic.ts'
import { createOutbox } from '#main/kernel/outbox.ts'
import { loadPlugins } from '#main/kernel/plugin-host.ts'
import { removeRestoreNote } from '#main/kernel/restore-note.ts'
import type { LoadedPlugins } from '#main/kernel/plugin-host.ts'
import { orderPlugins } from '#main/kernel/plugin-order.ts'
import type { HostFacts, PluginDefinition } from '#main/kernel/plugin.ts'
import type { Ports } from '#main/kernel/ports.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import { defaultPrefix } from '#shared/api-prefix.ts'
import { copyReadOnlyDir, isReadOnly } from '#main/read-only-dir.ts'
import { programDir, programVersion } from '#main/program-version.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'

// What the desktop shell needs of the host beside starting it.
export { DatabaseRefused } from '#main/database/start-check.ts'
export { DataDirInUse, locateDataDir, readConnectionFile } from '#main/data-dir.ts'
export { shellPolicy } from '#main/http/console.ts'
export { verifyHost } from '#main/http/running-host.ts'
export type { KillableChild, Notifier, Opener, Ports, ProcessSpawner, SecretStore } from '#main/kernel/ports.ts'

/** The port a host tries first. */
export const defaultPort = 7420

/** The space people are asked for: the ballast and something to work in. */
const freeMegabytes = 32

/** What is known of a database that is not looked at first. */
const unjudged: DatabaseFound = {
  ...{ log: null, birth: null, closed: null, isUrgent: true, isEarlier: false },
  origin: 'left',
}

/** How a host is started. */
export interface HostOptions {
  readonly dataDir: string
  /** The port to listen on, 0 for any free one. Undefined: the default port, or the one chosen at an earlier start. */
  readonly port?: number
  /** Replaces parts of the headless surroundings; the desktop shell passes its own. */
  readonly ports?: Partial<Ports>
  readonly clock?: Clock
  /** False gives up durability for speed: only for throw-away data of tests. */
  readonly durable?: boolean
  /** Bytes kept for the day the disk is full; throw-away data keeps none. */
  readonly ballastBytes?: number
  /** Hears in a sentence when the disk is full, and when there is space again. */
  readonly onDiskSpace?: (sentence: string) => void
  /** Gives memory back to the system in pauses; for a process that is the host alone. Default false. */
  readonly returnsMemory?: boolean
  /** Checks every answer against its contract: tests and development. */
  readonly validateResponses?: boolean
  /** Default: every plugin. */
  readonly plugins?: readonly PluginDefinition[]
  /** Folder of the built renderer; default `dist/renderer` beside the program. */
  readonly consoleDir?: string
  /** Where the packages that come with the program lie; default `packages` beside its package.json. */
  readonly packagesDir?: string
  /** How long requests may take to arrive; tests shorten it. */
  readonly arrival?: ArrivalLimits
  /** Safety twins switch single guards off. */
  readonly guards?: Guards
  /** The workspace is kept by several machines, and this one leads. */
  readonly hub?: LeadingNode
  /** By which other machines sign the requests they pass on to this one. Default: nobody passes on. */
  readonly passKey?: Buffer
}

/** What a host needs of the hub it leads. */
export interface LeadingNode {
  /** The data folder, held already. */
  readonly dataDir: DataDir
  /** Keeps the log of the database in the hub. */
  readonly openLog: OpenLog
  readonly answerGate: AnswerGate
  readonly facts: HubFacts
  /**
   * Called when everything is ready: the ports are the node's, and from now on the server answers there.
   * @returns the port on loopback, and that of the listener other machines reach, where the node has one
   */
  open(server: HttpServer): Promise<{ readonly port: number; readonly publicPort: number | null }>
}

/** The folder belongs to a hub and was to be opened without it; nothing was changed. */
export class HubFolder extends Error {
  constructor(dir: string) {
    super(
      `The workspace in ${path.resolve(dir)} is kept by a hub: opened alone, it would go on without the other machines. Nothing was changed. Start it as a node: npm run serve -- --hub postgres://... --data "${path.resolve(dir)}"`,
    )
    this.name = 'HubFolder'
  }
}

/** A host that answers requests. */
export interface RunningHost {
  /** Address on loopback, without trailing slash: what the connection token and one-time codes are for. */
  readonly url: string
  readonly port: number
  /** Port of the listener other machines reach; null without one. */
  readonly publicPort: number | null
  /** The API prefix (D-01). */
  readonly prefix: string
  readonly uiBasePath: string
  /** The connection token of this start (D-29). */
  readonly token: string
  readonly dataDir: string
  /** True when the data folder cannot be written: reads are served, writes refused, nothing is kept. */
  readonly isReadOnly: boolean
  readonly server: HttpServer
  readonly database: HostDatabase
  readonly plugins: LoadedPlugins
  readonly bus: EventBus
  /** A new one-time code for a browser (D-208). */
  mintCode(): string
  /** Drains, checkpoints, closes and removes the connection file; later calls wait for the first. */
  stop(): Promise<void>
  /** Resolves when the host has stopped; `restart` asks the caller to start it again. */
  readonly stopped: Promise<'stopped' | 'restart'>
}

/** An explicit port is taken by another program. */
export class PortInUse extends Error {
  readonly port: number

  constructor(port: number) {
    super(`Port ${port} is in use by another program. Choose another one with --port.`)
    this.name = 'PortInUse'
    this.port = port
  }
}

/**
 * Starts a host on a data folder.
 * @throws DataDirInUse when another process holds the folder, PortInUse when an explicit port is taken, MigrationRefused
 * when the database belongs to a newer program, DatabaseRefused when it is not the one that was left or is damaged, Error when a
 * plugin cannot be loaded, or for want of space on the disk. Nothing stays open after a throw.
 */
export async function startHost(options: HostOptions): Promise<RunningHost> {
  const cleanup: (() => void | Promise<void>)[] = []
  try {
    return await assemble(options, cleanup)
  } catch (error) {
    for (const step of cleanup.toReversed()) await step()
    if (isDiskFull(error)) throw noRoomToStart(options.dataDir, error)
    throw error
  }
}

async function assemble(options: HostOptions, cleanup: (() => void | Promise<void>)[]): Promise<RunningHost> {
  const startedAt = (options.clock ?? systemClock).iso()
  const { hub } = options
  if (hub === undefined && isHubFolder(options.dataDir)) throw new HubFolder(options.dataDir)
  const readOnly = hub === undefined && isReadOnly(options.dataDir)
  const dataDir = hub?.dataDir ?? (readOnly ? copyReadOnlyDir(options.dataDir) : openDataDir(options.dataDir))
  cleanup.push(() => dataDir.release())
  const durable = options.durable ?? true
  // Set once there is a log.
  let tellDiskSpace: ((isFull: boolean) => void) | undefined
  // Before anything else is written: on a full disk the ballast gives way, so that there is room for the start.
  const space = openDiskSpace({
    file: dataDir.file('ballast'),
    bytes: options.ballastBytes ?? (durable && !readOnly ? ballastBytes : 0),
    onChange: (isFull) => tellDiskSpace?.(isFull),
  })
  cleanup.push(() => space.close())
  const config = readConfig(dataDir.path)
  const access = await readAccessConfig(config.of('host'), config.of('auth'))
  const logFile = openLogFile(dataDir.file('logs'))
  cleanup.push(() => logFile.close())
  const log = createLogger({ destination: logFile, level: textOf(config, 'logLevel') ?? 'info' })
  const clock = options.clock ?? systemClock
  const ids = createIds(clock)
  const ports: Ports = { ...headlessPorts(dataDir), ...options.ports }
  const bus = createEventBus({ clock, log })
  const { prefix, uiBasePath } = access
  tellDiskSpace = (isFull) => {
    const sentence = isFull ? diskFullSentence(dataDir.path) : 'There is space on the disk again; everything goes on.'
    if (isFull) log.error({}, sentence)
    else log.info({}, sentence)
    ports.notify({ title: isFull ? 'The disk is full' : 'There is space again', body: sentence })
    options.onDiskSpace?.(sentence)
  }
  if (space.isFull()) tellDiskSpace(true)

  // The file of a hub is what its log says; it is looked through beside the traffic.
  const found =
    hub === undefined
      ? await judgeDatabase(readOnly ? options.dataDir : dataDir.path, dataDir.file('database'))
      : unjudged
  if (found.isEarlier)
    log.warn(
      {},
      'The database is an earlier one of this workspace, put back by hand; what was written later is not in it.',
    )
  const state = openStateFile(dataDir.file('database'))
  cleanup.push(() => state.close())
  state.note({ state: 'open', birth: found.birth, log: found.log })

  const wanted = options.plugins ?? [...corePlugins, ...optionalPlugins]
  // A copy that speaks to other machines in the name of the original would contradict it later.
  const plugins = orderPlugins(readOnly ? wanted.filter(({ id }) => id !== 'sync') : wanted)
  await migrateDatabase({
    file: dataDir.file('database'),
    plugins: [
      { id: 'kernel', migrations: kernelMigrations },
      ...plugins.map((plugin) => ({ id: plugin.id, migrations: plugin.migrations ?? [] })),
    ],
    knownPlugins: [...corePlugins, ...optionalPlugins].map((plugin) => plugin.id),
    backup: createMigrationBackup({ dataDir: dataDir.path, clock, ids, version: programVersion }),
    clock,
    log,
    durable,
    ...(hub === undefined ? {} : { openLog: hub.openLog }),
  })
  const stored = await createDatabase({
    file: dataDir.file('database'),
    bus,
    clock,
    log,
    ports,
    durable,
    space,
    state,
    ...(hub === undefined ? {} : { openLog: hub.openLog }),
  })
  cleanup.push(() => stored.close())

  const answers = await createAnswerStore({ database: stored, bus, secrets: ports.secrets })
  const database = answers.marking(stored)
  const outbox = createOutbox({ database, bus, clock, log })
  const jobs = createJobs({
    database,
    clock,
    ids,
    log,
    timezone: () => loaded?.service('settings')?.get('timezone') ?? 'UTC',
  })
  let server: HttpServer | undefined
  let restart: ((prepare: () => Promise<void>) => void) | undefined
  const sessions = createConsoleSessions(clock, ids)
  const restored = openRestored(dataDir.path, log)
  cleanup.push(() => restored?.close())
  const facts: HostFacts = {
    dataDir: dataDir.path,
    databaseOrigin: found.origin,
    restored,
    version: programVersion,
    packagesDir: options.packagesDir ?? path.join(programDir, 'packages'),
    environment: environmentOf(config),
    prefix,
    uiBasePath,
    baseUrl: () => server?.baseUrl() ?? '',
    async holdWrites() {
      if (readOnly) throw refusedWrites(options.dataDir)
      // Another database in its place would not be what the log says.
      if (hub !== undefined) throw refusedRestart()
      if (restart === undefined) throw unavailable()
      await loaded?.beforeClose()
      return database.holdWrites()
    },
    requestRestart: (prepare) => restart?.(prepare),
    ownerSessions: sessions,
    hub: hub?.facts ?? null,
    config: (plugin) => config.of(plugin),
  }
  let loaded: LoadedPlugins | undefined
  const traffic = createTraffic()
  loaded = await loadPlugins(plugins, { database, bus, outbox, jobs, clock, ids, log, ports, facts, traffic })
  restored?.close()
  removeRestoreNote(dataDir.path)
  const active = loaded
  cleanup.push(() => active.stop())

  const token = ids.token(32)
  const codes = createOneTimeCodes(clock, ids)
  const settings = active.service('settings')
  const running = await createHttpServer({
    routes: active.routes,
    sockets: active.sockets,
    version: programVersion,
    prefix,
    uiBasePath,
    consoleDir: options.consoleDir ?? path.join(programDir, 'dist', 'renderer'),
    authenticate: createAuthenticator({
      connectionToken: token,
      findSession: sessions.find,
      cookieName: sessionCookieName(access.cookies),
      identities: active.identities,
    }),
    refuseCredential: createCredentialRefusal(active.identities),
    codes,
    sessions,
    prove: (nonce) => proofFor(token, nonce),
    log,
    clock,
    answers,
    ids,
    authorizer: active.authorizer,
    permissionEpoch: active.permissionEpoch,
    seesRecord: (ctx, object, id) => active.service('data')?.reach(ctx, { object, id, action: 'read' }) === 'open',
    arrived: traffic.arrived,
    ...(hub === undefined ? {} : { answerGate: hub.answerGate }),
    ...(options.passKey === undefined ? {} : { passKey: options.passKey }),
    auditSink: active.auditSink,
    ...(settings === undefined ? {} : workspaceChoices(settings, active)),
    errorTables: () => active.catalogue.errorTables().map(({ table }) => table),
    ...reachedThrough(access, dataDir),
    ...(options.arrival === undefined ? {} : { arrival: options.arrival }),
    validateResponses: options.validateResponses ?? false,
    guards: guardsOf(options.guards ?? allGuards, config, log),
  })
  server = running
  cleanup.push(() => running.close())
  if (access.publicListen !== null) requireOwnerPassword(access.publicListen.address, hasOwnerPassword(active))
  const opened = await hub?.open(running)
  const port = opened?.port ?? (await listen(running, options.port, config, dataDir))
  const publicPort = opened?.publicPort ?? (await running.listenPublic())
  const url = running.localUrl()
  const keepMemory = options.returnsMemory === true ? returnMemoryInPauses(traffic) : undefined
  const endChecks = checkBesideTraffic({ database, found, traffic, log, isAwaited: hub !== undefined })
  writeConnectionFile(dataDir.path, {
    ...{ url, token, pid: process.pid, version: programVersion, startedAt },
    ...(prefix === defaultPrefix ? {} : { prefix }),
    ...(uiBasePath === '/_console' ? {} : { uiBasePath }),
  })
  if (readOnly) {
    database.refuseWrites(refusedWrites(options.dataDir))
    log.warn({}, refusedWrites(options.dataDir).message)
  } else {
    await outbox.start()
    await jobs.start()
    space.started()
  }
  for (const warning of access.warnings) log.warn({}, warning)
  const { baseUrl } = running
  log.info(
    { url, ...(publicPort === null ? {} : { baseUrl: baseUrl(), publicPort }), version: programVersion },
    'The host is running.',
  )

  let settle: (reason: 'stopped' | 'restart') => void = () => undefined
  const stopped = new Promise<'stopped' | 'restart'>((resolve) => {
    settle = resolve
  })
  let stopping: Promise<void> | undefined
  const stop = (prepare?: () => Promise<void>): Promise<void> =>
    (stopping ??= (async () => {
      keepMemory?.()
      endChecks()
      removeConnectionFile(dataDir.path)
      const endWork = async (): Promise<void> => {
        await jobs.stop()
        await outbox.stop()
      }
      // A node may have handed over: the next one does what waits here, so it ends before what is on its way to be answered.
      const ending = hub === undefined ? undefined : endWork()
      await running.close(active.beforeClose)
      await (ending ?? endWork())
      // Whatever a plugin could not put away: the database is closed, and the folder given free.
      await active.stop().catch((error: unknown) => log.error({ err: error }, 'A plugin did not stop as it should.'))
      await database.close()
      state.close()
      await space.close()
      // A restart whose preparation fails starts again on the state as it is.
      await prepare?.().catch((error: unknown) => log.error({ err: error }, 'The restart could not be prepared.'))
      log.info({}, 'The host has stopped.')
      logFile.close()
      dataDir.release()
      settle(prepare === undefined ? 'stopped' : 'restart')
    })())
  restart = (prepare) => {
    // The answer to the request that asked for the restart leaves first.
    setTimeout(() => void stop(prepare), 50)
  }

  return {
    url,
    port,
    publicPort,
    prefix,
    uiBasePath,
    token,
    dataDir: readOnly ? path.resolve(options.dataDir) : dataDir.path,
    isReadOnly: readOnly,
    server: running,
    database,
    plugins: active,
    bus,
    mintCode: () => codes.mint(),
    stop: () => stop(),
    stopped,
  }
}

/** Listens on the wanted port; the default one gives way to the next twenty, then to any free one, and is remembered. */
async function listen(
  server: HttpServer,
  wanted: number | undefined,
  config: Config,
  dataDir: DataDir,
): Promise<number> {
  if (wanted !== undefined) {
    const taken = await tryListen(server, wanted)
    if (taken === null) throw new PortInUse(wanted)
    return taken.port
  }
  const kept = config.of('host')['port']
  const first = typeof kept === 'number' && Number.isInteger(kept) && kept > 0 && kept < 65_536 ? kept : defaultPort
  const candidates = [first, ...Array.from({ length: 20 }, (_, index) => defaultPort + index + 1), 0]
  for (const port of candidates) {
    const listening = await tryListen(server, port)
    if (listening === null) continue
    if (listening.port !== first) {
      writeConfig(dataDir.path, { ...config.values, host: { ...config.of('host'), port: listening.port } })
    }
    return listening.port
  }
  throw new PortInUse(first)
}

async function tryListen(server: HttpServer, port: number): Promise<{ port: number } | null> {
  try {
    return await server.listen(port)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null
    throw error
  }
}

/** Language and rate limits follow the options of the workspace; derived values are kept until an option changes. */
function workspaceChoices(
  settings: SettingsService,
  plugins: Pick<LoadedPlugins, 'service'>,
): Pick<HttpServerOptions, 'resolveLocale' | 'localizeError' | 'rateLimits'> {
  const languages = plugins.service('i18n')
  const metadata = plugins.service('metadata')
  let seen: unknown
  let seenEpoch = -1
  let locales = { fallback: 'en', supported: ['en'] }
  let limits: RateLimits = defaultRateLimits
  const refresh = (): void => {
    const options = settings.all()
    const epoch = metadata?.epoch() ?? 0
    if (options === seen && epoch === seenEpoch) return
    seen = options
    seenEpoch = epoch
    const delivered = languages?.locales().map(({ code }) => code) ?? ['en']
    locales = { fallback: options.locale, supported: [...new Set([options.locale, ...delivered])] }
    limits = { ...defaultRateLimits, ...options.rateLimits }
  }
  const resolveLocale = createLocaleResolver(() => {
    refresh()
    return locales
  })
  return {
    resolveLocale,
    localizeError(code, acceptLanguage) {
      if (languages === undefined || acceptLanguage === undefined) return undefined
      const locale = resolveLocale(acceptLanguage)
      return locale.split('-')[0] === 'en' ? undefined : languages.errorText(code, locale)
    },
    rateLimits: () => {
      refresh()
      return limits
    },
  }
}

/** What the server needs to know of how the host is reached. */
function reachedThrough(
  access: AccessConfig,
  dataDir: DataDir,
): Pick<HttpServerOptions, 'baseUrl' | 'trustedOrigins' | 'publicListen' | 'cookies' | 'cookieRule'> {
  const { baseUrl, trustedOrigins, publicListen, cookies, cookieRule } = access
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(publicListen === null ? {} : { publicListen: { ...publicListen, folder: dataDir.path } }),
    trustedOrigins,
    cookies,
    cookieRule,
  }
}

/** Whether the local owner signs in with a password; without accounts nobody does. */
function hasOwnerPassword(plugins: Pick<LoadedPlugins, 'service'>): boolean {
  return plugins.service('auth')?.hasOwnerPassword() ?? false
}

function diskFullSentence(dir: string): string {
  return `The disk that holds ${dir} is full. Everything stored is kept; reading and deleting go on, other changes are refused. Free at least ${freeMegabytes} MB on that disk: Cairn notices it and goes on by itself.`
}

function noRoomToStart(dir: string, cause: unknown): Error {
  const sentence = `the disk that holds ${path.resolve(dir)} is full. Everything stored is kept as it was; free at least ${freeMegabytes} MB on that disk, then start Cairn again.`
  return new Error(sentence, { cause })
}

function requireOwnerPassword(address: string, has: boolean): void {
  if (has) return
  throw new Error(
    `Other machines reach ${address}, and the owner of this workspace has no password yet. Remove host.listen from config.json, start Cairn, set a password, then try again.`,
  )
}

/** The option `disableCSRFCheck` lifts the rule for cookies and no other (D-31). */
function guardsOf(guards: Guards, config: Config, log: Logger): Guards {
  const advanced = config.of('auth')['advanced']
  const lifted = typeof advanced === 'object' && advanced !== null && 'disableCSRFCheck' in advanced
  if (!lifted || advanced.disableCSRFCheck !== true) return guards
  log.warn({}, 'The option auth.advanced.disableCSRFCheck is on: a cookie alone authorises writes.')
  return { ...guards, cookieWrite: () => null }
}

function refusedRestart(): PlatformError {
  return writesRefused(
    'hub',
    'The workspace is kept by a hub, so no backup is put in its place here. Nothing was changed. To go back in time: npm run cairn -- hub restore --help.',
  )
}

function refusedWrites(dataDir: string): PlatformError {
  return writesRefused(
    'read_only',
    `The data folder ${path.resolve(dataDir)} cannot be written, so Cairn shows what is there and changes nothing. Give it the right to write the folder and the files in it, then start it again.`,
  )
}

function headlessPorts(dataDir: DataDir): Ports {
  return {
    spawn: forkSpawner,
    secrets: createFileSecrets(path.join(dataDir.path, 'secret.key')),
    // Without a desktop there is nobody to show a notice to, and no program to open an address in.
    notify: () => undefined,
    open: () => undefined,
  }
}

function environmentOf(config: Config): HostFacts['environment'] {
  const value = textOf(config, 'environment')
  return value === 'sandbox' || value === 'development' ? value : 'production'
}

function textOf(config: Config, key: string): string | undefined {
  const value = config.of('host')[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}
