// Puts the parts of the database layer together: one writer, one reader, the reader processes.
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
import { engineCode, translateEngineError } from './engine-errors.ts'
import { leaveSyncToWriter, openReader, openWriter } from './open.ts'
import type { Connection } from './open.ts'
import { createReads } from './reads.ts'
import { createLogFolding } from './log-folding.ts'
import { createLogSync } from './log-sync.ts'
import { createLongDdl } from './long-ddl.ts'
import { dropUnfinishedBuild } from './schema/index-build.ts'
import { createStatements } from './statements.ts'
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
  /** False gives up durability for speed: only for throw-away databases of tests. Default true. */
  readonly durable?: boolean
  /** The disk of the file; absent where nobody watches it. */
  readonly space?: DiskSpace
}

const copierIdleMs = 2000
const copyTimeoutMs = 30 * 60_000

/** The database plus the parts only the host itself uses. */
export interface HostDatabase extends Database {
  readonly readers: ReaderPool
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
  dropUnfinishedBuild(writer)
  const logSync = durable ? createLogSync(file) : undefined
  if (logSync !== undefined) leaveSyncToWriter(writer)
  const reader = openReader(file)
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
  const logState = writer.prepare('PRAGMA wal_checkpoint(NOOP)').raw()
  const folding = createLogFolding({
    file,
    durable,
    lend: queue.lend,
    logPages: () => (logState.get() as [busy: number, pages: number, folded: number])[1],
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
    if (!foldWhole(writer)) log.warn({}, 'The write-ahead log could not be folded in; the next start does it.')
    writer.close()
  }

  return {
    file,
    read: createReads(readerStatements),
    write: queue.write,
    heavy: { query: readers.query, stream: streams.stream },
    longDdl,
    readers,
    schemaEpoch: () => epoch,
    version: queue.version,
    health: queue.health,
    statementCount: () => writerStatements.count() + readerStatements.count(),
    groups: queue.groups,
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
