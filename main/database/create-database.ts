// Puts the parts of the database layer together: one writer, one reader, the reader processes.
import { closeSync, openSync } from 'node:fs'
import { platformError } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Database } from '#main/kernel/database.ts'
import { diskFullError } from '#main/kernel/disk-full.ts'
import type { DiskSpace } from '#main/kernel/disk-space.ts'
import type { EventBus } from '#main/kernel/events.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { Ports } from '#main/kernel/ports.ts'
import { createReaderPool } from './reader-pool.ts'
import type { ReaderPool } from './reader-pool.ts'
import { createReaderStreams } from './reader-stream.ts'
import { engineCode, translateEngineError, writesRefused } from './engine-errors.ts'
import { leaveSyncToWriter, logPagesOf, openReader, openWriter } from './open.ts'
import type { Connection } from './open.ts'
import { createReads } from './reads.ts'
import { createLogFolding } from './log-folding.ts'
import { createLogSync } from './log-sync.ts'
import type { LogSync, OpenLog } from './log-sync.ts'
import { birthOf } from './migrator.ts'
import { createLongDdl } from './long-ddl.ts'
import { dropUnfinishedBuild } from './schema/index-build.ts'
import type { ClosedFile, StateFile } from './state-file.ts'
import { describeClosed } from './state-file.ts'
import { createStatements } from './statements.ts'
import { describeLog } from './wal-log.ts'
import { keepStatistics } from './statistics.ts'
import { createWriteQueue } from './write-queue.ts'

/** What a database is made from. */
export interface DatabaseOptions {
  /** Path of the SQLite file; created when absent. */
  readonly file: string
  readonly bus: EventBus
  readonly clock: Clock
  readonly log: Logger
  readonly ports: Pick<Ports, 'spawn'>
  /** Where it is noted how far the log has come and how the database was closed; absent for databases of tests. */
  readonly state?: StateFile
  /** False gives up durability for speed: only for throw-away databases of tests. Default true. */
  readonly durable?: boolean
  /** Keeps the log in a second place, which is then what an answer waits for. */
  readonly openLog?: OpenLog
  /** The disk of the file; absent where nobody watches it. */
  readonly space?: DiskSpace
}

const copierIdleMs = 2000
const copyTimeoutMs = 30 * 60_000

/** The database plus the parts only the host itself uses. */
export interface HostDatabase extends Database {
  readonly readers: ReaderPool
  /**
   * Checks the whole database in a process of its own while the host runs; answers what is wrong. From the first finding on
   * writes are refused with it, reads go on, and the next start refuses the database.
   * @param closed how it was closed, when it was opened on the strength of its size and time
   */
  inspect(closed: ClosedFile | null): Promise<readonly string[]>
  /** Refuses every write from now on. */
  refuseWrites(error: PlatformError): void
  /** Refuses writes because the host is about to restart, and waits for those accepted before. @returns takes it back */
  holdWrites(): Promise<() => void>
  /** Number of transactions committed by the write queue so far. */
  groups(): number
}

/**
 * Opens the database of a host.
 * @throws Error when the path is a link or the file is no database
 */
export async function createDatabase(options: DatabaseOptions): Promise<HostDatabase> {
  const { file, bus, clock, log, space } = options
  const durable = options.durable ?? true
  const writer = openWriter(file, { durable })
  const reader = openReader(file)
  const state = options.state
  const birth = state === undefined ? null : birthOf(reader)
  const logPages = logPagesOf(writer)
  // Closed behind the last connection only: the end of any handle of the file drops the locks of this process.
  let pages: number | undefined
  const markLog = (handle: number): void => {
    try {
      pages ??= openSync(file, 'r')
      state?.mark({ state: 'open', birth, log: describeLog(handle, logPages(), pages) })
    } catch (error) {
      log.error({ err: error }, 'How far the log has come could not be noted outside of the database.')
    }
  }
  const ownLog = (): LogSync | undefined => (durable ? createLogSync(file, state && markLog) : undefined)
  const logSync = options.openLog === undefined ? ownLog() : options.openLog(writer, logPages)
  dropUnfinishedBuild(writer, logSync?.copy)
  if (logSync !== undefined) leaveSyncToWriter(writer)
  const writerStatements = createStatements(writer)
  const readerStatements = createStatements(reader)
  const readers = createReaderPool({ file, spawn: options.ports.spawn, log, clock, translate: translateEngineError })
  const streams = createReaderStreams({ file, spawn: options.ports.spawn, translate: translateEngineError })
  let epoch = 1
  const queue = createWriteQueue({
    connection: writer,
    statements: writerStatements,
    bus,
    log,
    logSync,
    space,
    onSchemaChange: () => {
      epoch += 1
      readerStatements.clear()
    },
    onCommit: () => folding.committed(),
  })
  const folding = createLogFolding({
    file,
    durable,
    lend: queue.lend,
    logPages,
    isShort: () => space?.isFull() === true,
    log,
  })
  // Copies take long: they have a process of their own, so that heavy reads never wait for one.
  const copier = createReaderPool({
    file,
    spawn: options.ports.spawn,
    log,
    clock,
    translate: translateEngineError,
    size: 1,
    idleMs: copierIdleMs,
    maxWaitMs: copyTimeoutMs,
  })
  const statistics = keepStatistics({ write: queue.write, groups: queue.groups, log })
  const longDdl = createLongDdl({
    file,
    durable,
    spawn: options.ports.spawn,
    lend: queue.lend,
    setAutoCheckpoint: (pages) => void writer.pragma(`wal_autocheckpoint = ${pages}`),
  })
  let damage: string | undefined
  let closed: Promise<void> | undefined

  const close = async (): Promise<void> => {
    statistics.stop()
    longDdl.close()
    await queue.close()
    await folding.close()
    await logSync?.close()
    readers.close()
    streams.close()
    copier.close()
    reader.close()
    // From here on nothing has to be in the log any more.
    state?.note({ state: 'open', birth, log: null })
    const isFolded = foldWhole(writer)
    if (!isFolded) log.warn({}, 'The write-ahead log could not be folded in; the next start does it.')
    writer.close()
    if (pages !== undefined) closeSync(pages)
    if (damage !== undefined) state?.note({ state: 'damaged', problem: damage })
    else if (isFolded) state?.note({ state: 'closed', ...describeClosed(file) })
  }

  return {
    file,
    read: createReads(readerStatements),
    write: queue.write,
    writeStepwise: queue.writeStepwise,
    heavy: { query: readers.query, stream: streams.stream },
    longDdl,
    readers,
    schemaEpoch: () => epoch,
    version: queue.version,
    health: queue.health,
    onDisk: queue.onDisk,
    statementCount: () => writerStatements.count() + readerStatements.count(),
    groups: queue.groups,
    refuseWrites: queue.refuse,
    async holdWrites() {
      const last = queue.write('hold', () => undefined, { repeatable: true, whenFull: true })
      const release = queue.refuse(platformError('service_unavailable', { reason: 'restarting', retryAfterSeconds: 5 }))
      // A database that takes no writes has none to wait for.
      await last.catch(() => undefined)
      return release
    },
    async inspect(closedAs) {
      const { problems } = await copier.inspect(closedAs, { timeoutMs: copyTimeoutMs })
      if (problems.length === 0 || damage !== undefined) return problems
      damage = problems[0]!.slice(0, 300)
      log.fatal({ problems }, 'The database is damaged; nothing is written any more.')
      queue.refuse(
        writesRefused(
          'database_damaged',
          `The database is damaged (${damage}), so nothing is written to it any more. What was saved before can still be read. Restore a backup.`,
        ),
      )
      return problems
    },
    // A copy that cannot succeed would take what deletions need.
    backupTo: (target) =>
      space?.refuses() === true ? Promise.reject(diskFullError()) : copier.copyTo(target, { timeoutMs: copyTimeoutMs }),
    close: () => (closed ??= close()),
  }
}

/** Whether the whole log is in the file now; it stays beside it while somebody reads, or when the disk is full. */
function foldWhole(writer: Connection): boolean {
  try {
    return writer.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0
  } catch (error) {
    if (engineCode(error) === undefined) throw error
    return false
  }
}
