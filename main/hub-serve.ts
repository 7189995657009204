// The command `serve --hub`: follows the leader of a workspace, and is its host once this node leads. Composes the room of
// the hub, the data folder and the host; holds no capability.
import { hkdfSync } from 'node:crypto'
import { hostname } from 'node:os'
import path from 'node:path'
import { platformError } from '#shared/errors.ts'
import { openDataDir, dataDirNames, readConfig } from '#main/data-dir.ts'
import type { DataDir } from '#main/data-dir.ts'
import { readAccessConfig } from '#main/http/access-config.ts'
import { preloadPlugins } from '#main/host.ts'
import { openStandbyDoor } from '#main/http/standby-door.ts'
import type { Attached, HttpServer } from '#main/http/server.ts'
import type { StandbyDoor, StandbyDoorOptions } from '#main/http/standby-door.ts'
import type { HubNode, Led } from '#main/hub/node.ts'
import { defaultPort, PortInUse, startHost } from '#main/index.ts'
import type { LeadingNode, RunningHost } from '#main/index.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'
import { openLogFile } from '#main/kernel/log-file.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { readHubKey } from '#main/hub-choice.ts'
import type { HubChoice } from '#main/hub-choice.ts'

/** A node as the command line describes it. */
export interface HubServeOptions extends HubChoice {
  readonly dataDir: string
  readonly port: number | undefined
  /** Where others reach this node; default its address on loopback. */
  readonly address: string | undefined
}

/** The exit code of a node whose time as leader is over: whatever starts it starts it again. */
const overCode = 3
/** How long a host may take to start on a busy machine. */
const startMs = 15_000
/** How long a planned handover waits for requests that run. */
const drainMs = 2_000

/**
 * Runs a node until SIGINT or SIGTERM, and answers the exit code.
 * @throws DataDirInUse; Error with words when the node cannot begin or go on
 */
export async function serveHub(options: HubServeOptions): Promise<number> {
  const key = readHubKey(options.keyFile ?? path.join(options.dataDir, dataDirNames.hubKey))
  const dataDir = openDataDir(options.dataDir)
  const logFile = openLogFile(path.join(dataDir.file('logs'), 'hub'))
  const log = createLogger({ destination: logFile })
  const passKey = Buffer.from(hkdfSync('sha256', key, '', 'cairn-hub-pass', 32))
  const [{ createHubNode }, { watchNext }] = await Promise.all([
    import('#main/hub/node.ts'),
    import('#main/hub/head-watch.ts'),
  ])
  let node: HubNode | undefined
  let door: StandbyDoor | undefined
  let isStopped = false
  let isAsked = false
  let stop = (): void => undefined
  const stopBy = (how: () => void): void => {
    stop = how
    if (isAsked) how()
  }
  const onSignal = (): void => {
    isAsked = true
    stop()
  }
  /** Where whoever leads answers; null while nobody knows. */
  let leader = (): string | null => null

  const addressAt = (port: number): string => options.address ?? `http://127.0.0.1:${port}`
  const say = (port: number): void =>
    void process.stdout.write(`This node follows, at ${addressAt(port)}  data: ${dataDir.path}\n`)

  /** Follows, and leads. @returns whether it has handed over and is to follow again */
  const turn = async ({ port, publicPort, serve }: StandbyDoor): Promise<boolean> => {
    const local = `http://127.0.0.1:${port}`
    const address = addressAt(port)
    const handed = Promise.withResolvers<true>()
    let host: RunningHost | undefined
    let attached: Attached | null = null
    let endWatch = (): void => undefined
    const following = createHubNode({
      url: options.url,
      workspace: options.workspace,
      key,
      ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
      file: dataDir.file('database'),
      name: hostname(),
      address,
      log,
      acceptsLoss: options.acceptsLoss,
      startMs,
      async drain() {
        if (host === undefined) return () => undefined
        // What comes from now on waits in the door for the next leader.
        const [before, next] = [leader, watchNext(following, address)]
        leader = next.address
        endWatch = () => next.end()
        serve(null)
        await host.plugins.beforeClose()
        const resume = await host.server.drain(drainMs)
        return () => {
          endWatch()
          leader = before
          resume()
          serve(attached)
        }
      },
      onEnd(reason) {
        if (isStopped) return
        if (reason.name === 'HandedOver' && host !== undefined) {
          handed.resolve(true)
          return
        }
        // Nothing may be answered any more: not even what is on its way out.
        log.error({ err: reason }, 'The time of this node as leader is over.')
        process.stderr.write(`${reason.message} This node ends; started again, it follows.\n`)
        process.exit(overCode)
      },
    })
    node = following
    const before = leader
    leader = () => following.seen()?.address ?? before()
    // While it follows nobody waits for it; a leader would hold its answers, and its lease, for as long.
    const preloaded = preloadPlugins().catch((error: unknown) =>
      log.warn({ err: error }, 'Plugins load when first used.'),
    )
    stopBy(() => void following.close())
    const led = await following.lead()
    if (led === null) return false
    // What came before this node led is answered by its own host.
    leader = () => local
    stop = () => undefined
    await preloaded
    host = await hostOf(dataDir, led, port, passKey, (server) => {
      attached = server.attach(port)
      serve(attached)
      return { port, publicPort }
    }).catch(async (error: unknown) => {
      isStopped = true
      await handOn(led)
      throw error
    })
    const running = host
    stopBy(() => void running.stop())
    process.stdout.write(
      `Cairn is running at ${host.url}${host.uiBasePath}/#${host.mintCode()}  data: ${host.dataDir}\n`,
    )
    const isHanded = await Promise.race([handed.promise, host.stopped.then(() => false)])
    if (!isHanded) {
      isStopped = true
      await handOn(led)
      return false
    }
    say(port)
    host.database.refuseWrites(platformError('service_unavailable', { reason: 'standby', retryAfterSeconds: 1 }))
    await host.stop()
    await following.close()
    // From here on the node that follows again knows who leads.
    endWatch()
    return true
  }

  try {
    door = await openDoor(dataDir, options.port ?? defaultPort, { leader: () => leader(), key: passKey, log })
    const { port } = door
    process.once('SIGINT', onSignal)
    process.once('SIGTERM', onSignal)
    say(port)
    while (await turn(door)) log.info({}, 'This node has handed the workspace over, and follows again.')
    return 0
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
    await node?.close()
    door?.close()
    logFile.close()
    dataDir.release()
  }
}

async function openDoor(
  dataDir: DataDir,
  port: number,
  parts: Pick<StandbyDoorOptions, 'leader' | 'key' | 'log'>,
): Promise<StandbyDoor> {
  const config = readConfig(dataDir.path)
  const access = await readAccessConfig(config.of('host'), config.of('auth'))
  const { baseUrl, trustedOrigins, publicListen } = access
  for (const warning of access.warnings) process.stderr.write(`${warning}\n`)
  try {
    return await openStandbyDoor({
      ...parts,
      port,
      trustedOrigins,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(publicListen === null ? {} : { publicListen: { ...publicListen, folder: dataDir.path } }),
      ids: createIds(systemClock),
      clock: systemClock,
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw new PortInUse(port)
    throw error
  }
}

function hostOf(
  dataDir: DataDir,
  led: Led,
  port: number,
  passKey: Buffer,
  serve: (server: HttpServer) => Awaited<ReturnType<LeadingNode['open']>>,
): Promise<RunningHost> {
  return startHost({
    dataDir: dataDir.path,
    port,
    returnsMemory: true,
    passKey,
    onDiskSpace: (sentence) => void process.stderr.write(`${sentence}\n`),
    hub: {
      // The lock stays with this command, which goes on with the folder's file until the workspace is handed on.
      dataDir: { ...dataDir, release: () => undefined },
      openLog: led.openLog,
      answerGate: led.answerGate,
      facts: { report: led.report, files: led.shared },
      async open(server) {
        await led.storeFiles()
        await led.ready()
        return serve(server)
      },
    },
  })
}

/** Ends the time of a node that stops, or whose host does not start. */
async function handOn(led: Led): Promise<void> {
  try {
    await led.storeFiles()
    await led.handOn()
  } catch {
    // The lease runs out by itself.
  }
}
