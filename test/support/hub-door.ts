// The long run in which every host that `createTestHost` starts leads a hub and is asked through the door of a second node
// (CAIRN_DOOR=hub): both are real nodes on a real PostgreSQL. The host stays in the test's process, so that a test reaches its
// clock, its plugins and its file as ever; only the address it is asked at is another one. Knows no capability.
import { hkdfSync, randomBytes } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataDirNames, isHubFolder, openDataDir, readConfig } from '#main/data-dir.ts'
import { migrateDatabase } from '#main/database/migrator.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { readAccessConfig } from '#main/http/access-config.ts'
import { openStandbyDoor } from '#main/http/standby-door.ts'
import type { StandbyDoor } from '#main/http/standby-door.ts'
import { makeHubKey, readHubKey } from '#main/hub-choice.ts'
import { createHubNode, initHub, openStore } from '#main/hub/node.ts'
import type { HubAddress, HubNode } from '#main/hub/node.ts'
import { startHost } from '#main/index.ts'
import type { HostOptions, RunningHost } from '#main/index.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'
import { kernelMigrations } from '#main/kernel/kernel-migrations.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { orderPlugins } from '#main/kernel/plugin-order.ts'

/** Both nodes share one event loop here: neither is to take the other one's pause for its end. */
const leaseMs = 20_000
const log = createLogger({ destination: { write: () => undefined } })
const ids = createIds(systemClock)

/** The hubs of folders that were started before. */
const hubs = new Map<string, HubAddress>()

/** Makes the database as the start of a host does; where there is one, what it lacks. A host of its own costs a start more. */
async function makeTables(
  file: string,
  { plugins = [...corePlugins, ...optionalPlugins] }: HostOptions,
): Promise<void> {
  await migrateDatabase({
    file,
    plugins: [
      { id: 'kernel', migrations: kernelMigrations },
      ...orderPlugins(plugins).map(({ id, migrations = [] }) => ({ id, migrations })),
    ],
    knownPlugins: plugins.map(({ id }) => id),
    backup: () => Promise.resolve('none'),
    clock: systemClock,
    log,
    durable: false,
  })
}

/** Begins a hub with a folder, or answers the one it belongs to, free to be led. */
async function hubOf(options: HostOptions): Promise<HubAddress> {
  const known = hubs.get(options.dataDir)
  if (known !== undefined && isHubFolder(options.dataDir)) {
    // As if its lease had run out: whoever stopped here is started again at once.
    const store = openStore(known)
    const head = await store.head()
    await store.setLease(head!.epoch, 0)
    await store.close()
    return known
  }
  const keyFile = join(options.dataDir, dataDirNames.hubKey)
  makeHubKey(keyFile)
  const url = process.env['CAIRN_DOOR_POSTGRES']!
  const hub = { url, workspace: randomBytes(8).toString('hex'), key: readHubKey(keyFile), leaseMs }
  const held = openDataDir(options.dataDir)
  try {
    await makeTables(held.file('database'), options)
    await initHub(hub, { file: held.file('database'), name: 'test', log, anew: true })
  } finally {
    held.release()
  }
  hubs.set(options.dataDir, hub)
  return hub
}

async function openDoor(
  folder: string,
  key: Buffer,
  leader: () => string | null,
  isPublic: boolean,
): Promise<StandbyDoor> {
  const config = readConfig(folder)
  const { baseUrl, trustedOrigins, publicListen } = await readAccessConfig(config.of('host'), config.of('auth'))
  return openStandbyDoor({
    ...{ port: 0, leader, key, trustedOrigins, ids, clock: systemClock, log },
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(publicListen === null || !isPublic ? {} : { publicListen: { ...publicListen, folder } }),
  })
}

/**
 * Starts a host as {@link startHost} does, as the leader of a hub of two nodes; its address is the door of the other one.
 * @throws what startHost throws
 */
export async function startBehindDoor(options: HostOptions): Promise<RunningHost> {
  const cleanup: (() => unknown)[] = []
  const end = async (): Promise<void> => {
    for (const step of cleanup.splice(0).toReversed()) await step()
  }
  try {
    const hub = await hubOf(options)
    const passKey = Buffer.from(hkdfSync('sha256', hub.key, '', 'cairn-hub-pass', 32))
    const dataDir = openDataDir(options.dataDir)
    cleanup.push(() => dataDir.release())
    const second = mkdtempSync(join(realpathSync(tmpdir()), 'cairn-door-'))
    cleanup.push(() => rmSync(second, { recursive: true, force: true }))

    let following: HubNode | undefined
    const leaderDoor = await openDoor(dataDir.path, passKey, () => null, false)
    cleanup.push(() => leaderDoor.close())
    const addressOf = (port: number): string => `http://127.0.0.1:${port}`
    const door = await openDoor(dataDir.path, passKey, () => following?.seen()?.address ?? null, true)
    cleanup.push(() => door.close())

    const node = (name: string, file: string, port: number): HubNode => {
      const made = createHubNode({
        ...hub,
        ...{ file, name, address: addressOf(port), log },
        onEnd: (reason) => {
          throw reason
        },
      })
      cleanup.push(() => made.close())
      return made
    }
    const led = (await node('leads', dataDir.file('database'), leaderDoor.port).lead())!
    const host = await startHost({
      ...options,
      passKey,
      hub: {
        dataDir: { ...dataDir, release: () => undefined },
        ...{ openLog: led.openLog, answerGate: led.answerGate, facts: { report: led.report, files: led.shared } },
        async open(server) {
          await led.storeFiles()
          await led.ready()
          leaderDoor.serve(server.attach(door.port))
          // As on two machines: both nodes have the same port there, so an address in an answer is right at each.
          return { port: door.port, publicPort: door.publicPort }
        },
      },
    })
    following = node('follows', join(second, 'cairn.db'), door.port)
    void following.lead()
    while (following.seen() === null) await new Promise((resolve) => setTimeout(resolve, 5))
    return {
      ...host,
      async stop() {
        await host.stop()
        await end()
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}
