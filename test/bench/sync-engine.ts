// Costs of documents over the real engine, run by hand: `node test/bench/sync-engine.ts [records]`. Two machines in one
// process and no connection between them: what recording, storing and applying cost in processor time, which other work
// on the machine changes least, each beside the same records on a machine that records nothing. Judges nothing.
import { setTimeout as pause } from 'node:timers/promises'
import { internalContext } from '../../main/kernel/context.ts'
import { missingRanges } from '../../main/replication/wire/vector-codec.ts'
import { shareObject } from '../support/shared-object.ts'
import type { SyncMachine } from '../support/sync-machine.ts'
import { createSyncMachine, createTestWorkspace } from '../support/sync-machine.ts'
import { makeTasks, newRows, taskStatuses } from './rows.ts'

const records = Number(process.argv[2] ?? 10_000)
const ofOneCall = 1_000
const context = internalContext('bench')
/** What is not recorded for others. */
const unrecorded = { ...context, source: 'sync' as const, runAutomations: false }

const fields = {
  title: { type: 'text', required: true },
  status: { type: 'select', required: true, options: taskStatuses.map((value) => ({ value, label: value })) },
  priority: { type: 'number', scale: 0 },
  done: { type: 'boolean' },
  due_date: { type: 'date' },
  notes: { type: 'textarea' },
}

async function measure(what: string, count: number, machine: SyncMachine, work: () => Promise<unknown>): Promise<void> {
  const database = machine.host.host.database
  const statements = database.statementCount()
  const before = process.cpuUsage()
  let peak = 0
  const look = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50)
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1_000
  clearInterval(look)
  const { user, system } = process.cpuUsage(before)
  const perOne = (user + system) / count
  const asked = (database.statementCount() - statements) / count
  console.log(
    `${what.padEnd(46)} ${perOne.toFixed(0).padStart(6)} µs each ${Math.round(1e6 / perOne)
      .toString()
      .padStart(
        7,
      )} /s  ${asked.toFixed(1).padStart(5)} statements  ${seconds.toFixed(1)} s  peak ${Math.round(peak / 1e6)} MB`,
  )
  machine.host.takeEvents()
}

/** Brings what one machine has and the other lacks, without waiting for what becomes of it. */
async function bring(from: SyncMachine, to: SyncMachine): Promise<void> {
  const [source, target] = [from.engine.replica, to.engine.replica]
  for (const range of missingRanges(target.vector(), source.vector())) {
    for (let at = range.from; at <= range.to;) {
      const { envelopes, heads } = source.read({ ...range, from: at }, 256 * 1024)
      const last = envelopes.at(-1)!
      await target.receive(
        envelopes,
        heads.find(({ seq }) => seq === last.seq)!,
      )
      at = last.seq + 1
    }
  }
}

async function bringAll(from: SyncMachine, to: SyncMachine): Promise<void> {
  await bring(from, to)
  await to.engine.replica.settled()
}

const workspace = createTestWorkspace()
const a = await createSyncMachine(workspace, 'a')
const b = await createSyncMachine(workspace, 'b')
for (const [object, rest] of [['task', {}] as const, ['other', {}] as const]) {
  await a.host.defineObject(object, fields, { search: { fields: ['title', 'notes'] }, ...rest })
  await shareObject(a, [b], object)
}

const many = async (object: string, ctx: typeof context, series: number): Promise<void> => {
  for (let at = 0; at < records; at += ofOneCall) {
    const rows = makeTasks(series, at, Math.min(at + ofOneCall, records)).map(({ project: _, ...row }) => ({ ...row }))
    await a.data.createMany(ctx, { object, records: rows })
    a.host.takeEvents()
  }
}
const edits = Math.min(records, 5_000)
const edit = async (object: string, ctx: typeof context, series: number): Promise<void> => {
  const ids = makeTasks(series, 0, edits).map(({ id }) => id)
  for (const [index, id] of ids.entries()) {
    const data =
      index % 2 === 0
        ? { title: `${newRows[index % newRows.length]!.title} ${index}` }
        : { status: taskStatuses[index % taskStatuses.length]!, priority: index }
    await a.data.update(ctx, { object, id, data })
  }
  a.host.takeEvents()
}

console.log(`${records} records, ${edits} edits; at rest ${Math.round(process.memoryUsage.rss() / 1e6)} MB`)
await measure('createMany, not recorded', records, a, () => many('other', unrecorded as typeof context, 5))
await measure('createMany, recorded', records, a, () => many('task', context, 6))
await measure('  stored and applied', records, b, () => bringAll(a, b))
await measure('update, not recorded', edits, a, () => edit('other', unrecorded as typeof context, 5))
await measure('update, recorded', edits, a, () => edit('task', context, 6))
await measure('  stored and applied', edits, b, () => bringAll(a, b))
await measure('genesis of what was not recorded', records, a, async () => {
  await a.engine.prepare()
  while (a.engine.state() === 'preparing') await pause(5)
})
await measure('  stored and applied', records, b, () => bringAll(a, b))
await b.stop()
await a.stop()
