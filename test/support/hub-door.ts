// The long run in which every host that `createTestHost` starts leads a hub and is asked through the door of a second node
// (CAIRN_DOOR=hub): both are real nodes on a real PostgreSQL. The host stays in the test's process, so that a test reaches its
// clock, its plugins and its file as ever; only the address it is asked at is another one. With CAIRN_DOOR=handover the two
// hand the workspace to each other all the time, behind the door of a third. Knows no capability.
import { hkdfSync, randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataDirNames, isHubFolder, openDataDir, readConfig } from '#main/data-dir.ts'
import type { DataDir } from '#main/data-dir.ts'
import { migrateDatabase } from '#main/database/migrator.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { readAccessConfig } from '#main/http/access-config.ts'
import { openStandbyDoor } from '#main/http/standby-door.ts'
import type { StandbyDoor } from '#main/http/standby-door.ts'
import type { Attached } from '#main/http/server.ts'
import { makeHubKey, readHubKey } from '#main/hub-choice.ts'
import { watchNext } from '#main/hub/head-watch.ts'
import { askHandover } from '#main/hub/hub-commands.ts'
import { createHubNode, initHub, openStore } from '#main/hub/node.ts'
import type { HubAddress, HubNode } from '#main/hub/node.ts'
import { startHost } from '#main/index.ts'
import type { HostOptions, RunningHost } from '#main/index.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'
import { kernelMigrations } from '#main/kernel/kernel-migrations.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { orderPlugins } from '#main/kernel/plugin-order.ts'
import { platformError } from '#shared/errors.ts'
import { doorCount, doorFailures } from './door-count.ts'

/** Both nodes share one event loop here: neither is to take the other one's pause for its end. */
const leaseMs = 20_000
const handsOver = process.env['CAIRN_DOOR'] === 'handover'
const handoverMs = Number(process.env['CAIRN_HANDOVER_MS'] ?? 10_000)
/** As a node lets what runs come to its end. */
const drainMs = 2_000
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
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
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

/** A node of the hub of a test. */
interface Place {
  readonly dataDir: DataDir
  readonly door: StandbyDoor
  /** Whom its door passes on to. */
  leader: () => string | null
  node?: HubNode
}

const addressOf = ({ door }: Pick<Place, 'door'>): string => `http://127.0.0.1:${door.port}`

/** Counts what comes through the door: nobody else knows where the host answers. */
function counted({ route, upgrade }: Attached): Attached {
  return {
    route(...asked) {
      doorCount.asked += 1
      route(...asked)
    },
    upgrade(...asked) {
      doorCount.asked += 1
      upgrade(...asked)
    },
  }
}

/** A folder beside the first one, as another machine of the hub has it: its own configuration, and the files that all share. */
function secondFolder(first: string): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'cairn-door-'))
  for (const name of [dataDirNames.config, dataDirNames.hubKey])
    if (existsSync(join(first, name))) copyFileSync(join(first, name), join(folder, name))
  const files = join(first, dataDirNames.files)
  mkdirSync(files, { recursive: true, mode: 0o700 })
  symlinkSync(files, join(folder, dataDirNames.files))
  return folder
}

/** Looks who leads as a node that follows does. */
async function watchLeader(hub: HubAddress): Promise<{ address(): string | null; end(): Promise<void> }> {
  const store = openStore(hub)
  let address: string | null = null
  const look = async (): Promise<void> => {
    const head = await store.head().catch(() => null)
    address = head?.address ?? address
  }
  await look()
  const timer = setInterval(() => void look(), 100).unref()
  return {
    address: () => address,
    async end() {
      clearInterval(timer)
      await store.close()
    },
  }
}

/** Addresses of doors that their tests have shut: what is asked there was not lost at a handover. */
const shut = new Set<string>()

/** Reasons of refusals that a request which may be repeated does not get. */
const gone = ['standby', 'stopping', 'hub_store', 'hub_lease']
/** One more where the key is used once: a test that repeats a key of its own may be told so rightly. */
const goneOfOwnKey = [...gone, 'idempotency_answer_unknown']

/**
 * Asks a host whose nodes hand over: writes that can have one get a key, a token of the host before gives way to that of the
 * next, and what fails although it may be repeated is noted.
 */
export async function askBehindDoor(host: RunningHost, path: string, init: RequestInit): Promise<Response> {
  const { method = 'GET' } = init
  const headers = new Headers(init.headers)
  const reasons = headers.has('idempotency-key') ? gone : goneOfOwnKey
  if (['POST', 'PATCH'].includes(method) && !headers.has('idempotency-key'))
    headers.set('idempotency-key', randomBytes(16).toString('hex'))
  const isRepeatable = ['GET', 'HEAD'].includes(method) || headers.has('idempotency-key')
  if (isRepeatable) doorCount.repeatable += 1
  const fail = (why: string): void => {
    if (isRepeatable) doorFailures.push(`${method} ${path}: ${why}`)
  }
  const isOwn = headers.get('authorization') === `Bearer ${host.token}`
  for (;;) {
    const { token } = host
    if (isOwn) headers.set('authorization', `Bearer ${token}`)
    let answer: Response
    try {
      answer = await fetch(`${host.url}${path}`, { ...init, headers })
    } catch (error) {
      if (!shut.has(host.url)) fail(String((error as Error).cause ?? error))
      throw error
    }
    if (answer.headers.has('content-length'))
      await answer
        .clone()
        .arrayBuffer()
        .catch((error: unknown) => fail(`its answer was cut off: ${String(error)}`))
    // The next host may answer before it is known here.
    if (answer.status === 401 && isOwn && (await isReplaced(host, token))) continue
    if (answer.status === 503 || answer.status === 409) {
      const text = await answer.clone().text()
      if (reasons.some((reason) => text.includes(`"reason":"${reason}"`))) fail(`${answer.status} ${text}`)
    }
    return answer
  }
}

/** Addresses of doors behind which one host gives way to another now. */
const turning = new Set<string>()

/** Whether the host's token is another one by now, or once a handover that is under way is over. */
async function isReplaced(host: RunningHost, token: string): Promise<boolean> {
  while (host.token === token && turning.has(host.url)) await new Promise((resolve) => setTimeout(resolve, 10))
  return host.token !== token
}

/**
 * Starts a host as {@link startHost} does, as the leader of a hub of two nodes; its address is the door of another one. Where
 * they hand over, what is read of the host is of the one that leads.
 * @param begun hears of each host that leads
 * @throws what startHost throws
 */
export async function startBehindDoor(
  options: HostOptions,
  begun: (host: RunningHost) => void = () => undefined,
): Promise<RunningHost> {
  const cleanup: (() => unknown)[] = []
  const end = async (): Promise<void> => {
    for (const step of cleanup.splice(0).toReversed()) await step()
  }
  try {
    const hub = await hubOf(options)
    const passKey = Buffer.from(hkdfSync('sha256', hub.key, '', 'cairn-hub-pass', 32))
    const placeAt = async (folder: string): Promise<Place> => {
      const dataDir = openDataDir(folder)
      cleanup.push(() => dataDir.release())
      const door = await openDoor(dataDir.path, passKey, () => place.leader(), false)
      cleanup.push(() => door.close())
      const place: Place = { dataDir, door, leader: () => null }
      cleanup.push(() => place.node?.close())
      return place
    }
    let current: RunningHost | undefined
    let storeFiles: () => Promise<void>
    let isOver = false
    let handovers: Promise<unknown> = Promise.resolve()
    /** The end of a host that has handed over. */
    let ending: Promise<unknown> = Promise.resolve()
    const first = await placeAt(options.dataDir)
    const folder = secondFolder(first.dataDir.path)
    cleanup.push(() => rmSync(folder, { recursive: true, force: true }))
    const second = await placeAt(folder)
    // That of the node that follows; where both lead in turn it is the door of a third.
    const third = handsOver ? await watchLeader(hub) : null
    if (third !== null) cleanup.push(third.end)
    const seen = third?.address ?? ((): string | null => second.node?.seen()?.address ?? null)
    const front = await openDoor(first.dataDir.path, passKey, seen, true)
    cleanup.push(() => front.close())

    /** Follows, leads, and follows again once it has handed over; resolves when its host answers, or it was ended. */
    const turn = async (place: Place): Promise<void> => {
      const { dataDir, door } = place
      const handed = Promise.withResolvers<void>()
      let host: RunningHost | undefined
      let attached: Attached | null = null
      let endWatch = (): void => undefined
      const node = createHubNode({
        ...hub,
        ...{
          file: dataDir.file('database'),
          name: place === first ? 'first' : 'second',
          address: addressOf(place),
          log,
        },
        async drain() {
          const next = watchNext(node, addressOf(place))
          endWatch = () => next.end()
          place.leader = next.address
          door.serve(null)
          await host!.plugins.beforeClose()
          const resume = await host!.server.drain(drainMs)
          return () => {
            endWatch()
            resume()
            door.serve(attached)
          }
        },
        onEnd(reason) {
          if (reason.name !== 'HandedOver') throw reason
          handed.resolve()
        },
      })
      place.node = node
      const before = place.leader
      place.leader = () => node.seen()?.address ?? before()
      const led = await node.lead()
      if (led === null) return
      host = await startHost({
        ...options,
        dataDir: dataDir.path,
        passKey,
        hub: {
          dataDir: { ...dataDir, release: () => undefined },
          ...{
            openLog: led.openLog,
            answerGate: led.answerGate,
            facts: { report: led.report, files: led.shared },
          },
          async open(server) {
            await led.storeFiles()
            await led.ready()
            // As on several machines: all nodes have the same port there, so an address in an answer is right at each.
            attached = counted(server.attach(front.port))
            door.serve(attached)
            return { port: front.port, publicPort: front.publicPort }
          },
        },
      })
      current = host
      storeFiles = led.storeFiles
      begun(host)
      ending = handed.promise.then(async () => {
        host.database.refuseWrites(platformError('service_unavailable', { reason: 'standby', retryAfterSeconds: 1 }))
        await host.stop()
        await node.close()
        endWatch()
        if (!isOver) void turn(place)
      })
    }
    await turn(first)
    void turn(second)
    while (second.node?.seen() == null) await new Promise((resolve) => setTimeout(resolve, 5))
    const handover = async (): Promise<void> => {
      const [before, ended] = [current, ending]
      const { url } = current!
      turning.add(url)
      try {
        const result = await askHandover(hub, undefined)
        if (typeof result !== 'object' || !('leads' in result)) return
        doorCount.handovers += 1
        while (current === before) await new Promise((resolve) => setTimeout(resolve, 5))
      } finally {
        turning.delete(url)
      }
      await ended
    }
    const timer = setInterval(() => {
      if (handsOver) handovers = handovers.then(handover).catch(() => undefined)
    }, handoverMs).unref()
    const stop = async (): Promise<void> => {
      clearInterval(timer)
      shut.add(current!.url)
      await handovers
      isOver = true
      await current!.stop()
      // As a node that stops does.
      await storeFiles()
      await end()
    }
    let stopping: Promise<void> | undefined
    return new Proxy(current!, {
      get: (_, name) => (name === 'stop' ? () => (stopping ??= stop()) : (Reflect.get(current!, name) as unknown)),
    })
  } catch (error) {
    await end()
    throw error
  }
}
