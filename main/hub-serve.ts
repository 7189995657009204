// The command `serve --hub`: follows the leader of a workspace, and is its host once this node leads. Composes the room of
// the hub, the data folder and the host; holds no capability.
import { hkdfSync } from 'node:crypto'
import { hostname } from 'node:os'
import path from 'node:path'
import { openDataDir, dataDirNames, readConfig } from '#main/data-dir.ts'
import type { DataDir } from '#main/data-dir.ts'
import { readAccessConfig } from '#main/http/access-config.ts'
import { preloadPlugins } from '#main/host.ts'
import { openStandbyDoor } from '#main/http/standby-door.ts'
import type { StandbyDoor, StandbyDoorOptions } from '#main/http/standby-door.ts'
import type { HubNode, Led } from '#main/hub/node.ts'
import { defaultPort, PortInUse, startHost } from '#main/index.ts'
import type { RunningHost } from '#main/index.ts'
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
  const { createHubNode } = await import('#main/hub/node.ts')
  let node: HubNode | undefined
  let isStopped = false
  let door: StandbyDoor | undefined
  let leads = false
  let host: RunningHost | undefined
  const passKey = Buffer.from(hkdfSync('sha256', key, '', 'cairn-hub-pass', 32))
  try {
    door = await openDoor(dataDir, options.port ?? defaultPort, {
      // What came before this node led is answered by its own host.
      leader: () => (leads ? `http://127.0.0.1:${door!.port}` : (node?.seen()?.address ?? null)),
      key: passKey,
      log,
    })
    const { port } = door
    const address = options.address ?? `http://127.0.0.1:${port}`
    node = createHubNode({
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
      drain: () => host?.server.drain(drainMs) ?? Promise.resolve(() => undefined),
      // Nothing may be answered any more: not even what is on its way out.
      onEnd: (reason) => {
        if (isStopped) return
        log.error({ err: reason }, 'The time of this node as leader is over.')
        process.stderr.write(`${reason.message} This node ends; started again, it follows.\n`)
        process.exit(overCode)
      },
    })
    // While it follows nobody waits for it; a leader would hold its answers, and its lease, for as long.
    const preloaded = preloadPlugins().catch((error: unknown) =>
      log.warn({ err: error }, 'Plugins load when first used.'),
    )
    const following = node
    const stop = (): void => void following.close()
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
    process.stdout.write(`This node follows, at ${address}  data: ${dataDir.path}\n`)
    const led = await node.lead()
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    if (led === null) return 0
    leads = true
    await preloaded
    host = await hostOf(dataDir, led, port, passKey, door.giveWay)
    await untilStopped(host)
    isStopped = true
    await handOn(led)
    return 0
  } finally {
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
  const { baseUrl, trustedOrigins, publicListen } = await readAccessConfig(config.of('host'), config.of('auth'))
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

function hostOf(dataDir: DataDir, led: Led, port: number, passKey: Buffer, giveWay: () => void): Promise<RunningHost> {
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
      async ready() {
        await led.storeFiles()
        await led.ready()
        giveWay()
      },
    },
  })
}

async function untilStopped(host: RunningHost): Promise<void> {
  const stop = (): void => void host.stop()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  process.stdout.write(`Cairn is running at ${host.url}${host.uiBasePath}/#${host.mintCode()}  data: ${host.dataDir}\n`)
  await host.stopped
  process.off('SIGINT', stop)
  process.off('SIGTERM', stop)
}

/** A node that stops gives the workspace to one that is there, so that nobody waits for its lease. */
async function handOn(led: Led): Promise<void> {
  try {
    await led.storeFiles()
    const heir = await led.heir()
    if (heir !== null) await led.handOver(heir)
  } catch {
    // The lease runs out by itself.
  }
}
