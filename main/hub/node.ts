// One node of a hub: follows, and leads once the workspace is its own. Puts the parts of this folder together; what is done
// while it leads is the caller's.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { openBare } from '#main/database/open-bare.ts'
import { dirname } from 'node:path'
import type { OpenLog } from '#main/database/log-sync.ts'
import type { HubReport, SharedFiles } from '#main/kernel/hub-facts.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { createFollower, HubStopped } from './follower.ts'
import type { FollowerOptions } from './follower.ts'
import { machineTime, pauseFor } from './hub-time.ts'
import { createLeaderLog } from './leader-log.ts'
import { createLeadership, Forgotten } from './leadership.ts'
import type { Leadership } from './leadership.ts'
import { createNodeFile, noteOf } from './node-file.ts'
import { noRow } from './page-row.ts'
import { makePosition, positionWriter, readPosition } from './store/position.ts'
import { askDoubts } from './store/postgres-checks.ts'
import type { Doubt } from './store/postgres-checks.ts'
import { answerable } from './answer-gate.ts'
import { heirOf, watchHead } from './head-watch.ts'
import { createHubReport } from './hub-report.ts'
import { createSeal, SealBroken } from './seal.ts'
import { createSharedFiles } from './shared-files.ts'
import { createSmallFiles, storeSmallFiles } from './small-files.ts'
import { createSnapshotKeeper } from './snapshot-keeper.ts'
import type { SnapshotKeeperOptions } from './snapshot-keeper.ts'
import { storeSnapshot } from './snapshots.ts'
import { createPostgresStore } from './store/postgres-store.ts'
import type { Head } from './store/hub-store.ts'
import type { PostgresStore } from './store/postgres-store.ts'

/** Which hub, and how it is reached. */
export interface HubAddress {
  /** `postgres://…` */
  readonly url: string
  /** Name of the workspace in the hub. */
  readonly workspace: string
  /** The operator's key, 32 bytes. */
  readonly key: Buffer
  /** How long a leader that is silent is waited for; the same on all nodes. */
  readonly leaseMs?: number
}

/** What a node works with. */
export interface HubNodeOptions extends HubAddress {
  /** Path of the database of this node. */
  readonly file: string
  /** Name of the machine; each process adds its own part. */
  readonly name: string
  /** Where this node answers, for the others. */
  readonly address: string
  readonly log: Logger
  /** Goes on although PostgreSQL may lose what it has acknowledged. */
  readonly acceptsLoss?: boolean
  /** Called once, when this process may answer nothing any more. It is to end then. */
  readonly onEnd: (reason: Error) => void
  /**
   * How long it may take from the moment this node leads until it can answer. Others wait so long for it, since a start is
   * busy and may not find the time to renew its lease. Default: no longer than a lease.
   */
  readonly startMs?: number
  /** Lets what runs come to its end before a planned handover; what it answers is called when there was none after all. */
  readonly drain?: () => Promise<() => void>
  readonly snapshots?: Pick<SnapshotKeeperOptions, 'everyRows' | 'everyMs' | 'keepMs' | 'lookMs'>
}

/** A workspace that is this node's to lead. */
export interface Led extends Pick<Leadership, 'lease' | 'handOver' | 'chain'> {
  /** For the database: keeps its log in the hub. */
  readonly openLog: OpenLog
  /** Stores the small files beside the database. */
  storeFiles(): Promise<void>
  /** To be called when whoever leads can answer: {@link HubNodeOptions.startMs} is over. */
  ready(): Promise<void>
  /**
   * Whether an answer may leave now: null when it may, else resolves when all that the file has is stored.
   * @throws service_unavailable when it is not, or another node may lead already
   */
  answerGate(): Promise<void> | null
  /** How the hub is. @throws Error when the store does not answer */
  report(): Promise<HubReport>
  /** Files of work under way that the next leader goes on with. */
  readonly shared: SharedFiles
  /**
   * Gives the workspace to the other node that has most of the log, so that nobody waits for its lease; where none was seen
   * lately, a lease is as long as usual again.
   * @throws the store's error
   */
  handOn(): Promise<void>
}

/** One node. */
export interface HubNode {
  /** Name of this process. */
  readonly node: string
  readonly store: PostgresStore
  /** How far its file is while it follows. */
  at(): { readonly epoch: number; readonly seq: number } | null
  /** Who leads, as it was last seen; null before that. */
  seen(): Head | null
  /**
   * Follows until it leads; null when it was stopped before.
   * @throws HubStopped when a person has to look: the message says at what; SealBroken when its key is another one
   */
  lead(): Promise<Led | null>
  /** Ends it: the file is settled, the connections closed. Later calls wait for the first. */
  close(): Promise<void>
}

const usualLeaseMs = 3_000
const askAgainMs = 300
/** How long a beginning is somebody's that nobody goes on with. */
const initLeaseMs = 15_000

/** Opens the store of a hub; nothing is asked before the first call. */
export function openStore({ url, workspace, key, leaseMs = usualLeaseMs }: HubAddress): PostgresStore {
  return createPostgresStore({ url, workspace, seal: createSeal(key, workspace), leaseMs })
}

/**
 * Asks the store until it answers; undefined when it is too late.
 * @throws SealBroken: asking again does not help
 */
async function until<T>(work: () => Promise<T>, isOver: () => boolean): Promise<T | undefined> {
  while (!isOver()) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof SealBroken) throw error
      await pauseFor(machineTime, askAgainMs)
    }
  }
  return undefined
}

/** Asks until PostgreSQL answers: nodes may be started before it. @throws SealBroken when the key is another one */
async function askFirst(
  store: PostgresStore,
  log: Logger,
  isOver: () => boolean,
): Promise<readonly Doubt[] | undefined> {
  for (let tries = 0; !isOver(); tries += 1) {
    try {
      const doubts = await askDoubts(store)
      // A file at the end of the log needs nothing that is sealed: another key would be noticed once this node leads.
      if ((await store.head()) !== null) await store.files()
      return doubts
    } catch (error) {
      if (error instanceof SealBroken) throw error
      if (tries === 0) log.warn({ err: error }, 'PostgreSQL does not answer; it is asked again.')
      await pauseFor(machineTime, askAgainMs)
    }
  }
  return undefined
}

function refuseDoubts(doubts: readonly Doubt[], acceptsLoss: boolean, log: Logger): void {
  if (doubts.length === 0) return
  if (!acceptsLoss)
    throw new HubStopped(
      `This PostgreSQL can lose what it has acknowledged, so the hub does not start on it. Nothing was changed.\n${doubts.map(({ words }) => words).join('\n')}\nTo go on all the same: --accept-loss.`,
    )
  log.warn({ doubts }, 'This PostgreSQL can lose what it has acknowledged; the hub runs on it because it was told to.')
}

/**
 * Makes a closed database the beginning of a hub.
 * @throws HubStopped when the hub has the workspace already, or PostgreSQL is not one to rely on
 */
export async function initHub(
  address: HubAddress,
  options: {
    readonly file: string
    readonly name: string
    readonly log: Logger
    readonly acceptsLoss?: boolean
    /** Takes a file that was part of a hub out of it: PostgreSQL has lost what it has. */
    readonly anew?: boolean
  },
): Promise<void> {
  const store = openStore(address)
  let renewal: NodeJS.Timeout | undefined
  /** @throws HubStopped where there is one */
  const claim = async (): Promise<void> => {
    await store.create()
    const hasBegun = async (): Promise<boolean> =>
      (await store.snapshots()).length > 0 || ((await store.head())?.epoch ?? 0) > 0
    // Another command may be at it; one that was cut off before its snapshot was stored is gone on with.
    while (!(await store.claim(initLeaseMs))) {
      if (await hasBegun()) break
      await pauseFor(machineTime, askAgainMs)
    }
    if (await hasBegun())
      throw new HubStopped(`The hub has a workspace "${address.workspace}" already. Nothing was changed.`)
    renewal = setInterval(() => void store.setLease(0, initLeaseMs).catch(() => undefined), initLeaseMs / 3)
  }
  try {
    refuseDoubts(await askDoubts(store), options.acceptsLoss ?? false, options.log)
    const connection = openBare(options.file, true)
    try {
      const position = readPosition(connection)
      if (position !== null && position.seq !== 0 && options.anew !== true)
        throw new HubStopped(
          'This workspace is part of a hub already. Nothing was changed. Where PostgreSQL has lost it, --anew begins a hub with what this folder has.',
        )
      await claim()
      makePosition(connection)
      positionWriter(connection)({ epoch: 0, seq: 0 })
      connection.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      connection.close()
    }
    rmSync(noteOf(options.file), { force: true })
    await storeSmallFiles(dirname(options.file), store, 0)
    await storeSnapshot(store, options.file, { epoch: 0, seq: 0, hash: noRow }, options.name)
  } finally {
    if (renewal !== undefined) {
      clearInterval(renewal)
      await store.setLease(0, 0).catch(() => undefined)
    }
    await store.close()
  }
}

/** Makes a node; nothing is asked before {@link HubNode.lead}. */
export function createHubNode(options: HubNodeOptions): HubNode {
  const { file: path, log, address, leaseMs = usualLeaseMs } = options
  const node = `${options.name}.${randomBytes(4).toString('hex')}`
  const store = openStore(options)
  const file = createNodeFile(path)
  const time = machineTime
  const keep = createSnapshotKeeper({ ...options.snapshots, store, file, path, node, time, log })
  let seen: Head | null = null
  const onStep: FollowerOptions['onStep'] = (at, head) => {
    seen = head
    keep(at)
  }
  const follower = createFollower({ store, file, node, address, leaseMs, time, log, onStep })
  let leadership: Leadership | undefined
  let isClosing = false
  const onEnd = (reason: Error): void => {
    if (reason instanceof Forgotten) file.keep()
    if (!isClosing) options.onEnd(reason)
  }
  let following: Promise<unknown> = Promise.resolve()
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    isClosing = true
    follower.stop()
    await following
    leadership?.end()
    await store.close()
  }

  return {
    node,
    store,
    at: follower.at,
    seen: () => seen,
    async lead() {
      const doubts = await askFirst(store, log, () => isClosing)
      if (doubts === undefined) return null
      refuseDoubts(doubts, options.acceptsLoss ?? false, log)
      const taking = follower.follow()
      following = taking.catch(() => undefined)
      const taken = await taking
      if (taken === null) return null
      log.info({ epoch: taken.epoch, seq: taken.seq }, 'This node leads the workspace now.')
      const small = createSmallFiles(dirname(path), store, taken.epoch)
      leadership = createLeadership({ store, taken, leaseMs, time, log, onEnd, beforeRow: small.storeKeys })
      const { chain, lease } = leadership
      const isOver = (): boolean => chain.ended() !== undefined
      const setLease = async (ms: number): Promise<void> =>
        void (await until(() => store.setLease(taken.epoch, ms), isOver))
      const handOn = async (): Promise<void> => {
        const heir = heirOf(await store.nodes(), node)
        if (heir === null) await store.setLease(taken.epoch, leaseMs)
        else await leadership!.handOver(heir)
      }
      if (options.startMs !== undefined) await setLease(options.startMs)
      try {
        const kept = await until(() => store.files(), isOver)
        if (kept !== undefined) small.take(kept)
      } catch (error) {
        // Nobody waits for a node that cannot lead; its own end is said by this error.
        isClosing = true
        await handOn().catch(() => undefined)
        throw error
      }
      const drain = options.drain ?? (() => Promise.resolve(() => undefined))
      watchHead({ store, node, address, leadership, log, storeAnchor: small.storeAnchor, drain })
      return {
        ...leadership,
        openLog: createLeaderLog(path, chain).open,
        async storeFiles() {
          await small.storeKeys()
          if (!chain.isBehind()) await small.storeAnchor()
        },
        ready: () => setLease(leaseMs),
        answerGate: () => (lease.holds() && !chain.isBehind() ? null : answerable(leadership!)),
        report: createHubReport({ store, node, leaseMs, leadership, time }),
        shared: createSharedFiles(store, taken.epoch),
        handOn,
      }
    },
    close: () => (closed ??= close()),
  }
}
