// Real hosts whose metadata documents travel through a pipe of the test: updates of documents in lists, delivered when and
// in the order the test wants. The documents are those of the core; log, chain and channel are not there.
import { corePlugins, optionalPlugins } from '#main/host.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext, localOwner } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { formatDocName, parseDocName } from '#main/replication/core/doc-names.ts'
import { createHlcClock } from '#main/replication/core/hlc.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import type { Edit } from '#main/replication/core/sync-document.ts'
import type { DocWriter, MergedDocument } from '#main/plugins/sync/engine/docs.ts'
import { createMetadataDocs } from '#main/plugins/sync/metadata/index.ts'
import type { MetadataConflict, MetadataDocs } from '#main/plugins/sync/metadata/index.ts'
import { syncMigrations } from '#main/plugins/sync/migrations/index.ts'
import { createTestHost } from './create-test-host.ts'
import type { TestHost } from './create-test-host.ts'

/** One change of one document, as it travels. */
export interface PipedUpdate {
  readonly name: string
  readonly update: Uint8Array
}

/** A machine of the test. */
export interface PipedHost extends TestHost {
  readonly metadata: MetadataService
  readonly documents: MetadataDocs
  /** Every change made here, in order. */
  readonly log: readonly PipedUpdate[]
  readonly conflicts: readonly MetadataConflict[]
  /** Merges changes of others and stores what they mean. */
  receive(updates: readonly PipedUpdate[]): Promise<void>
  /** Makes documents of what is there. */
  begin(): Promise<number>
  /** Stops recording and answers how to begin again. */
  pause(): () => void
}

interface Change {
  readonly tx: Tx
  readonly name: DocName
  readonly edit: Edit
}

/** Starts a machine whose changes are written as incarnation `inc`. */
export async function createPipedHost(inc: number, now: () => number = Date.now): Promise<PipedHost> {
  const log: PipedUpdate[] = []
  const conflicts: MetadataConflict[] = []
  const clock = createHlcClock({ now })
  let parts: { host: PluginHost; documents: MetadataDocs } | undefined
  let isOn = true

  const stateOf = (reads: Pick<Tx, 'get'>, name: string): Uint8Array | null =>
    reads.get(statement<{ state: Uint8Array }>('SELECT state FROM pipe_doc WHERE name = ?', [name]))?.state ?? null
  const put = (tx: Tx, name: string, state: Uint8Array): void => {
    const sql =
      'INSERT INTO pipe_doc (name, state) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET state = excluded.state'
    tx.run(statement(sql, [name, state]))
  }
  const write = (tx: Tx, name: DocName, edits: readonly Edit[]): void => {
    const text = formatDocName(name)
    const edited = openDocument(text, stateOf(tx, text)).edit({ inc, clock }, edits)
    if (edited === null) return
    const { document, update } = edited
    put(tx, text, document.state)
    tx.afterCommit(() => log.push({ name: text, update }))
  }
  const flush = (changes: readonly Change[]): void => {
    const names = new Set(changes.map(({ name }) => formatDocName(name)))
    for (const name of names) {
      const own = changes.filter((change) => formatDocName(change.name) === name)
      write(
        own[0]!.tx,
        own[0]!.name,
        own.map(({ edit }) => edit),
      )
    }
  }
  const docs: DocWriter = {
    isRecording: (ctx: RequestContext) => isOn && ctx.source !== 'sync',
    edit: (tx, _ctx, name, edit) => tx.gather<Change>(flush, { tx, name, edit }),
    read(reads, name) {
      const text = formatDocName(name)
      const state = stateOf(reads, text)
      return state === null ? null : openDocument(text, state)
    },
  }

  const pipe = definePlugin({
    id: 'pipe',
    version: '1.0.0',
    requires: ['metadata', 'data'],
    migrations: [
      ...syncMigrations,
      {
        number: syncMigrations.length + 1,
        name: 'pipe',
        sql: 'CREATE TABLE pipe_doc (name TEXT PRIMARY KEY, state BLOB NOT NULL) STRICT',
      },
    ],
    register(host: PluginHost) {
      const documents = createMetadataDocs({
        read: host.read,
        write: host.write,
        clock: host.clock,
        ids: host.ids,
        log: host.log,
        docs,
        exchange: host.service('metadata').exchange,
        backfillActorId: localOwner.id,
        onConflict: (_tx, conflict) => conflicts.push(conflict),
      })
      documents.listen(host)
      parts = { host, documents }
    },
  })
  const others = optionalPlugins.filter(({ id }) => id !== 'sync')
  const test = await createTestHost({ plugins: [...corePlugins, ...others, pipe] })
  const { host, documents } = parts!

  /** Answers false for an update that came before the one it builds on. */
  const merge = (tx: Tx, { name, update }: PipedUpdate): boolean => {
    const before = stateOf(tx, name)
    const result = openDocument(name, before).merge(update)
    if (!result.merged) return false
    const actor = { type: 'user' as const, id: localOwner.id, name: 'owner' }
    const merged: MergedDocument = {
      name: parseDocName(name)!,
      document: result.document,
      changedKeys: before === null ? null : result.changedKeys,
      actor,
      at: new Date(now()).toISOString(),
      isNew: before === null,
    }
    documents.handler.project(tx, { ...internalContext('pipe', 'sync'), actor }, merged)
    put(tx, name, result.document.state)
    return true
  }

  /** Updates that lie aside until those they build on are here. */
  let parked: PipedUpdate[] = []

  return Object.assign(test, {
    metadata: host.service('metadata'),
    documents,
    log,
    conflicts,
    async receive(updates: readonly PipedUpdate[]) {
      for (const update of updates) parked.push(update)
      for (let left = Infinity; parked.length < left;) {
        left = parked.length
        const waiting: PipedUpdate[] = []
        for (const update of parked)
          if (!(await host.write('pipe.merge', (tx) => merge(tx, update)))) waiting.push(update)
        parked = waiting
      }
      await documents.handler.settle()
    },
    async begin() {
      let done = 0
      for (let after: string | null = null; ;) {
        const slice = await host.write('pipe.backfill', (tx) =>
          documents.handler.backfill(tx, after, (name, _actor, edit) => {
            if (stateOf(tx, formatDocName(name)) === null) write(tx, name, [edit])
          }),
        )
        done += slice.done
        after = slice.next
        if (after === null) return done
      }
    },
    pause() {
      isOn = false
      return () => {
        isOn = true
      }
    },
  })
}

/** Delivers everything each machine has not seen, until nobody has anything new. */
export function createPipe(hosts: readonly PipedHost[]): {
  /** Delivers the next `count` changes of one machine to another. */
  step(from: PipedHost, to: PipedHost, count: number): Promise<void>
  flush(): Promise<void>
} {
  const seen = new Map(hosts.map((host) => [host, new Map(hosts.map((other) => [other, 0]))]))
  return {
    async step(from, to, count) {
      const start = seen.get(to)!.get(from)!
      const updates = from.log.slice(start, start + count)
      seen.get(to)!.set(from, start + updates.length)
      if (from !== to) await to.receive(updates)
    },
    async flush() {
      for (let isNew = true; isNew;) {
        isNew = false
        for (const host of hosts) {
          for (const other of hosts) {
            const from = seen.get(host)!.get(other)!
            const to = other.log.length
            if (host === other || from === to) continue
            isNew = true
            seen.get(host)!.set(other, to)
            await host.receive(other.log.slice(from, to))
          }
        }
      }
    },
  }
}

/** What people see of all items that travel: names, uids, states and bodies, the order of keys aside but that of fields. */
export function itemsOf({ metadata: { exchange } }: PipedHost): unknown[] {
  return exchange.types.flatMap((type) =>
    exchange.names(type).flatMap(({ name, travels }) => {
      const item = exchange.committed.item(type, name)
      const overlay = exchange.committed.overlay(type, name)
      return travels || overlay !== null ? [{ here: name, ...item, overlay }] : []
    }),
  )
}
