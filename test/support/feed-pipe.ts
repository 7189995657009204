// Two or more real hosts that exchange feeds through a pipe in the test: each has documents and a log of updates in two
// tables of a plugin, over the real document layer. What the engine of sync does with peers, records and signatures is
// not here: the hosts begin as copies of one data folder, and a record is made on each by hand.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Actor } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { formatDocName, parseDocName } from '#main/replication/core/doc-names.ts'
import { createHlcClock } from '#main/replication/core/hlc.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import type { Edit } from '#main/replication/core/sync-document.ts'
import type { DocWriter, BackfillWriter } from '#main/plugins/sync/engine/docs.ts'
import type { FeedSync } from '#main/plugins/sync/feed/feed-sync.ts'
import { createFeedSync } from '#main/plugins/sync/feed/feed-sync.ts'
import type { FeedConflict } from '#main/plugins/sync/feed/projection.ts'

/** One update on its way. */
export interface PipeUpdate {
  readonly doc: string
  readonly bytes: Uint8Array
  readonly actor: Actor
  readonly at: string
}

/** One host's end of the pipe. */
export interface PipeEnd {
  readonly plugin: PluginDefinition
  readonly conflicts: FeedConflict[]
  /** Milliseconds by which this machine's clock is ahead. */
  skew: number
  /** Whether sync is on. */
  on: boolean
  /** What was written here, oldest first. */
  log(): PipeUpdate[]
  /** Merges and projects an update; what builds on something missing, or has no record yet, is tried again later. */
  receive(update: PipeUpdate): Promise<void>
  /** Tries again what waits for a record. */
  retry(): Promise<void>
  /** Projects the documents of a record anew, as after a repair. */
  reproject(recordId: string): Promise<void>
  /** Updates and documents that wait. */
  waiting(): number
  /** Names of the documents here, or of those of a record, with the hash of their content. */
  documents(recordId?: string): Map<string, string>
  /** Runs the backfill to its end; answers the total it had announced and how much it did. */
  begin(): Promise<{ total: number; done: number; slices: number }>
}

const tables = `
  CREATE TABLE pipe_doc (name TEXT PRIMARY KEY, state BLOB NOT NULL) STRICT;
  CREATE TABLE pipe_update (seq INTEGER PRIMARY KEY, name TEXT NOT NULL, bytes BLOB NOT NULL, actor TEXT NOT NULL, at TEXT NOT NULL) STRICT;
`

interface Gathered {
  readonly tx: Tx
  readonly actor: Actor
  readonly name: DocName
  readonly edit: Edit
}

/** Makes an end; its plugin goes into the host, behind all others. */
export function createPipeEnd(inc: number): PipeEnd {
  const conflicts: FeedConflict[] = []
  let sync: FeedSync
  let read: Reads
  let write: Write
  let held: PipeUpdate[] = []
  const unprojected = new Set<string>()
  let skew = 0
  const hlc = createHlcClock({ now: () => Date.now() + skew })

  const stateOf = (reads: Pick<Reads, 'get'>, name: string): Uint8Array | null =>
    reads.get(statement<{ state: Uint8Array }>('SELECT state FROM pipe_doc WHERE name = ?', [name]))?.state ?? null
  const store = (tx: Tx, name: string, state: Uint8Array): void =>
    void tx.run(statement('INSERT OR REPLACE INTO pipe_doc (name, state) VALUES (?, ?)', [name, state]))

  const edit = (tx: Tx, actor: Actor, name: DocName, edits: readonly Edit[]): void => {
    const text = formatDocName(name)
    const edited = openDocument(text, stateOf(tx, text)).edit({ inc, clock: hlc }, edits)
    if (edited === null) return
    const { document, update } = edited
    store(tx, text, document.state)
    const sql = 'INSERT INTO pipe_update (name, bytes, actor, at) VALUES (?, ?, ?, ?)'
    tx.run(statement(sql, [text, update, JSON.stringify(actor), new Date().toISOString()]))
  }

  const flush = (gathered: readonly Gathered[]): void => {
    for (const ofDoc of Map.groupBy(gathered, ({ name }) => formatDocName(name)).values())
      edit(
        ofDoc[0]!.tx,
        ofDoc[0]!.actor,
        ofDoc[0]!.name,
        ofDoc.map((one) => one.edit),
      )
  }

  const docs: DocWriter = {
    isRecording: (ctx) => end.on && ctx.source !== 'sync',
    edit: (tx, ctx, name, change) => tx.gather(flush, { tx, actor: ctx.actor, name, edit: change }),
    read(reads, name) {
      const text = formatDocName(name)
      const state = stateOf(reads, text)
      return state === null ? null : openDocument(text, state)
    },
  }

  const project = (tx: Tx, text: string, changedKeys: ReadonlySet<string> | null, update: PipeUpdate): void => {
    const { actor, at } = update
    const ctx: RequestContext = { ...internalContext('pipe', 'sync'), actor }
    const name = parseDocName(text)!
    const document = openDocument(text, stateOf(tx, text))
    const answer = sync.handler.project(tx, ctx, { name, document, changedKeys, actor, at, isNew: false })
    if (answer === 'later') unprojected.add(text)
    else unprojected.delete(text)
  }

  const merge = (update: PipeUpdate): Promise<boolean> =>
    write('pipe.receive', (tx) => {
      const result = openDocument(update.doc, stateOf(tx, update.doc)).merge(update.bytes)
      if (!result.merged) return false
      store(tx, update.doc, result.document.state)
      project(tx, update.doc, unprojected.has(update.doc) ? null : result.changedKeys, update)
      return true
    })

  const end: PipeEnd = {
    conflicts,
    get skew() {
      return skew
    },
    set skew(ms) {
      skew = ms
    },
    on: true,
    waiting: () => held.length + unprojected.size,
    log() {
      const sql = 'SELECT name AS doc, bytes, actor, at FROM pipe_update ORDER BY seq'
      const rows = read.all(statement<Omit<PipeUpdate, 'actor'> & { actor: string }>(sql))
      return rows.map((row) => ({ ...row, actor: JSON.parse(row.actor) as Actor }))
    },
    async receive(update) {
      if (!(await merge(update))) {
        held.push(update)
        return
      }
      for (let some = true; some;) {
        const tried = held
        held = []
        some = false
        for (const one of tried) {
          if (await merge(one)) some = true
          else held.push(one)
        }
      }
      await end.retry()
    },
    async retry() {
      const update: PipeUpdate = { doc: '', bytes: new Uint8Array(), actor: { type: 'system', id: 'system' }, at: '' }
      await write('pipe.retry', (tx) => {
        for (const text of unprojected) project(tx, text, null, update)
      })
    },
    reproject(recordId) {
      const update: PipeUpdate = { doc: '', bytes: new Uint8Array(), actor: { type: 'system', id: 'system' }, at: '' }
      return write('pipe.reproject', (tx) => {
        const sql = `SELECT name FROM pipe_doc WHERE name LIKE '%/' || ? || '/%'`
        const rows = tx.all(statement<{ name: string }>(sql, [recordId]))
        for (const { name } of rows) project(tx, name, null, update)
      })
    },
    documents(recordId = '%') {
      const sql = `SELECT name, state FROM pipe_doc WHERE name LIKE '%/' || ? || '/%'`
      const rows = read.all(statement<{ name: string; state: Uint8Array }>(sql, [recordId]))
      return new Map(rows.map(({ name, state }) => [name, Buffer.from(openDocument(name, state).hash).toString('hex')]))
    },
    async begin() {
      const total = sync.handler.backfillTotal!(read)
      let next: string | null = null
      let done = 0
      let slices = 0
      do {
        const slice = await write('pipe.backfill', (tx) => {
          const make: BackfillWriter = (name, actorId, change, options) => {
            if (options?.mend === true || stateOf(tx, formatDocName(name)) === null)
              edit(tx, { type: 'user', id: actorId }, name, [change])
          }
          return sync.handler.backfill!(tx, next, make)
        })
        next = slice.next
        done += slice.done
        slices += 1
      } while (next !== null)
      return { total, done, slices }
    },
    plugin: definePlugin({
      id: 'pipe',
      version: '1.0.0',
      requires: ['metadata', 'feed'],
      migrations: [{ number: 1, name: 'pipe', sql: tables }],
      register(host) {
        read = host.read
        write = host.write
        sync = createFeedSync({
          docs,
          feed: host.service('feed'),
          metadata: host.service('metadata'),
          now: () => host.clock.iso(),
          placed: (_tx, name) => void unprojected.delete(formatDocName(name)),
          onConflicts: (tx, _items, found) => tx.afterCommit(() => void conflicts.push(...found)),
        })
        sync.listen(host)
      },
    }),
  }
  return end
}

/** How many updates of one end another has been handed. */
const handed = new WeakMap<PipeEnd, Map<PipeEnd, number>>()

/** Hands the updates of each end that are new to all others, each end's own in their order. */
export async function exchange(ends: readonly PipeEnd[]): Promise<void> {
  const logs = ends.map((end) => end.log())
  for (const [from, log] of logs.entries()) {
    const counts = handed.get(ends[from]!) ?? new Map<PipeEnd, number>()
    handed.set(ends[from]!, counts)
    for (const end of ends) {
      if (end === ends[from]) continue
      for (const update of log.slice(counts.get(end) ?? 0)) await end.receive(update)
      await end.retry()
      counts.set(end, log.length)
    }
  }
}

/** A data folder for each of several hosts, with the same content; `prepare` fills the first one. */
export async function copiedFolders(
  count: number,
  prepare: (dataDir: string) => Promise<void>,
): Promise<{ dirs: string[]; remove(): void }> {
  const root = mkdtempSync(join(tmpdir(), 'cairn-pipe-'))
  const dirs = Array.from({ length: count }, (_, at) => join(root, String(at)))
  await prepare(dirs[0]!)
  for (const dir of dirs.slice(1)) cpSync(dirs[0]!, dir, { recursive: true })
  return { dirs, remove: () => rmSync(root, { recursive: true, force: true }) }
}
