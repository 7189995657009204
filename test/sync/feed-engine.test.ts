// Feeds of two machines over the real log: what is written travels as envelopes, in whatever order records and feeds come.
import { afterEach, expect, it } from 'vitest'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type {} from '#main/plugins/feed/api.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { clearFlags } from '#main/plugins/sync/store/doc-store.ts'
import { createFeedSync } from '#main/plugins/sync/feed/feed-sync.ts'
import type { FeedSync } from '#main/plugins/sync/feed/feed-sync.ts'
import type { DocWriter } from '#main/plugins/sync/engine/docs.ts'
import type { FeedConflict } from '#main/plugins/sync/feed/projection.ts'
import { addItem, pageOf } from '../support/feed-calls.ts'
import type { SyncMachine, TestWorkspace } from '../support/sync-machine.ts'
import { carry, createSyncMachine, createTestWorkspace, exchange } from '../support/sync-machine.ts'

interface Talker extends SyncMachine {
  readonly conflicts: FeedConflict[]
}

const machines: SyncMachine[] = []
afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.stop()
})

/** A machine whose feeds take part. */
async function start(workspace: TestWorkspace, name: string): Promise<Talker> {
  const conflicts: FeedConflict[] = []
  let feed: FeedSync | undefined
  let current: DocWriter
  // Engines come and go; what listens to the host listens once.
  const docs: DocWriter = {
    isRecording: (ctx) => current.isRecording(ctx),
    edit: (tx, ctx, doc, edit) => current.edit(tx, ctx, doc, edit),
    read: (reads, doc) => current.read(reads, doc),
  }
  const machine = await createSyncMachine(workspace, name, {
    handlers: (opened, host) => {
      current = opened
      if (feed !== undefined) return [feed.handler]
      feed = createFeedSync({
        docs,
        feed: host.service('feed'),
        metadata: host.service('metadata'),
        now: () => host.clock.iso(),
        placed: (tx, name) => clearFlags(tx, formatDocName(name)),
        onConflicts: (tx, _items, found) => tx.afterCommit(() => void conflicts.push(...found)),
      })
      feed.listen(host)
      return [feed.handler]
    },
  })
  machines.push(machine)
  return Object.assign(machine, { conflicts })
}

/** Gives `to` the object of `from` under the same uids. */
async function share(from: SyncMachine, to: SyncMachine): Promise<void> {
  const schema = from.metadata.objectSchema('part')!
  const item = structuredClone(from.metadata.get('object', 'part')!.item as Record<string, unknown>)
  const fields = Object.fromEntries(schema.fields.map((field) => [field.name, field.uid]))
  const returningUids = { object: schema.uid, fields }
  await to.metadata.save(internalContext('share'), { type: 'object', name: 'part', item, returningUids })
}

async function two(): Promise<[Talker, Talker]> {
  const workspace = createTestWorkspace()
  const a = await start(workspace, 'a')
  const b = await start(workspace, 'b')
  await a.host.defineObject('part', { title: { type: 'text' } })
  await share(a, b)
  return [a, b]
}

async function newPart(machine: SyncMachine): Promise<string> {
  const answer = await machine.host.post('/data/part', { title: 'One' })
  expect(answer.status).toBe(201)
  return `part/${answer.body.id}`
}

/** Items, reactions and pins, and that the documents are equal. */
function expectEqual(a: SyncMachine, b: SyncMachine): void {
  for (const table of ['feed_item', 'feed_reaction', 'feed_pin']) {
    const rows = ({ plugin }: SyncMachine) =>
      plugin.read
        .all<Record<string, unknown>>(statement(`SELECT * FROM ${table} ORDER BY 2, 3, 4`))
        .map(({ number: _number, ...row }) => row)
    const sorted = (machine: SyncMachine) =>
      rows(machine)
        .map((row) => JSON.stringify(row))
        .toSorted()
    expect(sorted(b)).toEqual(sorted(a))
  }
  const [one, other] = [a.engine.replica.digest(), b.engine.replica.digest()]
  expect(one).not.toBeNull()
  expect(Buffer.from(other!.buckets).equals(one!.buckets)).toBe(true)
}

const said = async (machine: SyncMachine, record: string): Promise<string[]> =>
  (await pageOf(machine.host, `${record}/feed?type=comments_only`)).items.map((item: { body: string }) => item.body)

it('items, reactions and pins travel both ways', async () => {
  const [a, b] = await two()
  const record = await newPart(a)
  const item = await addItem(a.host, record, { body: 'from a' })
  await exchange(a, b)
  await addItem(b.host, record, { body: 'from b', parentId: item.id })
  await b.host.post(`/data/${record}/feed/${item.id}/reactions`, { emoji: '👍' })
  await b.host.post(`/data/${record}/feed/${item.id}/pin`)
  await exchange(a, b)
  expect((await said(a, record)).toSorted()).toEqual(['from a', 'from b'])
  expectEqual(a, b)
  await a.host.delete(`/data/${record}/feed/${item.id}`)
  await exchange(a, b)
  expectEqual(a, b)
  // Nothing that came from a peer goes back.
  const before = [a.engine.replica.vector(), b.engine.replica.vector()]
  await exchange(a, b)
  expect([a.engine.replica.vector(), b.engine.replica.vector()]).toEqual(before)
})

it('the later of two edits wins on both, the other is told of', async () => {
  const [a, b] = await two()
  const record = await newPart(a)
  const { id } = await addItem(a.host, record, { body: 'base' })
  await exchange(a, b)
  expect((await a.host.put(`/data/${record}/feed/${id}`, { body: 'earlier' })).status).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect((await b.host.put(`/data/${record}/feed/${id}`, { body: 'later' })).status).toBe(200)
  await exchange(a, b)
  for (const machine of [a, b]) {
    expect(await said(machine, record)).toEqual(['later'])
    expect(machine.conflicts.map(({ winner, loser }) => [winner[1], loser[1]])).toEqual([
      [
        { text: 'later', mentions: [] },
        { text: 'earlier', mentions: [] },
      ],
    ])
  }
  expectEqual(a, b)
})

it('what was said before sync was on comes with it, though feeds come before records', async () => {
  const workspace = createTestWorkspace()
  const a = await start(workspace, 'a')
  await a.host.defineObject('part', { title: { type: 'text' } })
  const records: string[] = []
  for (let at = 0; at < 5; at += 1) {
    const record = await newPart(a)
    records.push(record)
    const { id } = await addItem(a.host, record, { body: `of ${at}` })
    await a.host.post(`/data/${record}/feed/${id}/reactions`, { emoji: '👍' })
  }
  await a.engine.stop()
  await a.plugin.write('test.clear', (tx) => {
    for (const table of ['sync_env', 'sync_doc', 'sync_inc', 'sync_head']) tx.run(statement(`DELETE FROM ${table}`))
  })
  await a.reopen()
  expect(a.engine.replica.vector().size).toBe(0)
  await a.engine.prepare()
  for (let tries = 0; tries < 500 && a.engine.state() !== 'on'; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10))
  const b = await start(workspace, 'b')
  await share(a, b)
  await carry(a, b)
  for (const [at, record] of records.entries()) expect(await said(b, record)).toEqual([`of ${at}`])
  expectEqual(a, b)
})

it('what is said of a record that came to nobody yet waits for it, and goes with it', async () => {
  const workspace = createTestWorkspace()
  const [a, b, c] = [await start(workspace, 'a'), await start(workspace, 'b'), await start(workspace, 'c')]
  await a.host.defineObject('part', { title: { type: 'text' } })
  for (const other of [b, c]) await share(a, other)
  const record = await newPart(a)
  await exchange(a, b)
  await addItem(b.host, record, { body: 'answered' })
  // Only what b wrote itself, before what a wrote.
  const own = b.engine.replica.read({ inc: b.inc, from: 1, to: 1 }, 1_000)
  expect((await c.engine.replica.receive(own.envelopes, own.heads[0]!)).ok).toBe(true)
  await c.engine.replica.settled()
  expect(c.plugin.read.all(statement('SELECT 1 FROM feed_item'))).toEqual([])
  await exchange(a, b, c)
  expect(await said(c, record)).toEqual(['answered'])
  expectEqual(a, c)
  expect(c.plugin.read.all(statement('SELECT name FROM sync_doc WHERE flags <> 0'))).toEqual([])
  expect((await a.host.delete(`/data/${record}?purge=true`)).status).toBe(200)
  await addItem(b.host, record, { body: 'too late' })
  await exchange(a, b, c)
  for (const { plugin } of [a, b, c]) expect(plugin.read.all(statement('SELECT 1 FROM feed_item'))).toEqual([])
  expectEqual(a, b)
  const flagged = statement(`SELECT name FROM sync_doc WHERE flags <> 0 AND name LIKE 'f/%'`)
  a.engine.reproject()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(a.plugin.read.all(flagged)).toEqual([])
})
