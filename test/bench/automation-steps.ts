// How fast flows and webhooks are, and what they cost others. Each step has hosts of its own, so that no flow of one listens
// in another; what must be reached is a number where there is nothing to compare with.
import { setTimeout as sleep } from 'node:timers/promises'
import { startHookPeer } from '../support/hook-peer.ts'
import { rowOf } from '../support/flow-calls.ts'
import type { Pair } from './figures.ts'
import { runLoad, wireRequest } from './load.ts'
import type { Run, Step } from './measures.ts'
import { compareRates } from './measures.ts'
import { newRows } from './rows.ts'
import { makeDataDir, removeDataDir, startServer } from './servers.ts'
import { ask, bulkSize, createTarget, seed, seedSeries } from './targets.ts'
import type { Target } from './targets.ts'
import { fixedId } from './rows.ts'

const objects = ['task', 'task_other']
const seededRows = 2_000

/** One request of the API. @returns the body of its answer */
async function send(target: Target, method: string, path: string, status: number, body?: unknown): Promise<unknown> {
  const { server } = target
  const headers = { authorization: `Bearer ${server.token}` }
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  const bytes = wireRequest({ method, path: `/api/v1${path}`, port: server.port, headers, ...text })
  return JSON.parse((await ask(server, { bytes, status })).body.toString())
}

/** Runs a measurement on a host of its own with rows of `task`. */
async function withHost<T>(measure: (target: Target) => Promise<T>): Promise<T> {
  const dataDir = makeDataDir('cairn')
  const server = await startServer('cairn', dataDir)
  try {
    const target = createTarget(server)
    await target.prepare(objects)
    await seed(target, seededRows)
    return await measure(target)
  } finally {
    await server.stop()
    removeDataDir(dataDir)
  }
}

/** Saves an active flow that starts with every new record of an object and works out two values. */
async function saveFlow(target: Target, name: string, object: string): Promise<void> {
  const { nodes, edges } = rowOf(
    { id: 'one', type: 'transform', config: { expression: 'record.title + "!"' } },
    { id: 'two', type: 'transform', config: { expression: 'size(steps["one"].output)' } },
    { id: 'three', type: 'log', config: { message: '{{ steps["two"].output }}' } },
  )
  const start = { ...nodes[0], config: { object, events: ['create'] } }
  const concurrency = { maxConcurrent: 50, onConflict: 'queue' }
  const flow = { name, type: 'record_change', status: 'active', nodes: [start, ...nodes.slice(1)], edges, concurrency }
  await send(target, 'POST', '/automation', 201, flow)
}

/** Creates rows in bulk and resolves when a flow has run for each of them. */
async function runFor(target: Target, flow: string, count: number): Promise<void> {
  const done = async (): Promise<number> => {
    const page = await send(target, 'GET', `/automation/${flow}/runs?status=completed&limit=1`, 200)
    return (page as { data: { total: number } }).data.total
  }
  const before = await done()
  const size = Math.min(bulkSize, count)
  for (let made = 0; made < count; made += size) await ask(target.server, target.createMany(newRows.slice(0, size)))
  const ends = performance.now() + 120_000
  while ((await done()) < before + count) {
    if (performance.now() > ends) throw new Error(`only ${(await done()) - before} of ${count} runs ended`)
    await sleep(50)
  }
}

const elsewhere: Step = {
  id: 'flows-elsewhere',
  label: 'create with 50 flows on another object, 16 clients',
  unit: '/s',
  better: 'higher',
  goal: 0.97,
  reference: 'no flows',
  measure: (run) =>
    withHost((without) =>
      withHost(async (target) => {
        for (let number = 0; number < 50; number += 1) await saveFlow(target, `listens_${number}`, 'task_other')
        const pair = { ...run, cairn: target, floor: without }
        return compareRates(pair, 16, (one) => (index) => one.create(newRows[index % newRows.length]!))
      }),
    ),
}

/** Milliseconds from the instant of a record to the start of its run, in order. */
async function startTimes(target: Target, count: number): Promise<number[]> {
  const createdAt = new Map<string, number>()
  for (let index = 0; index < count; index += 1) {
    const answer = await ask(target.server, target.create(newRows[index]!))
    const { id, record } = JSON.parse(answer.body.toString()) as { id: string; record: { created_at: string } }
    createdAt.set(id, Date.parse(record.created_at))
    await sleep(10)
  }
  await sleep(500)
  const times: number[] = []
  let next: string | undefined = ''
  while (next !== undefined) {
    const path = `/automation/starts/runs?limit=100${next === '' ? '' : `&cursor=${next}`}`
    const { data } = (await send(target, 'GET', path, 200)) as {
      data: { runs: { startedAt: string; trigger: { recordId: string } }[]; nextCursor?: string }
    }
    for (const { startedAt, trigger } of data.runs) {
      const made = createdAt.get(trigger.recordId)
      if (made !== undefined) times.push(Date.parse(startedAt) - made)
    }
    next = data.nextCursor
  }
  if (times.length < count) throw new Error(`${times.length} of ${count} runs started`)
  return times.toSorted((a, b) => a - b)
}

function startStep(id: string, part: number, allowedMs: number): Step {
  return {
    id: `flow-start-${id === 'median' ? 'p50' : 'p99'}`,
    label: `from commit to the start of its run, ${id}`,
    unit: 'ms',
    better: 'lower',
    goal: 1,
    reference: `${allowedMs} ms`,
    measure: (run) =>
      withHost(async (target) => {
        await saveFlow(target, 'starts', 'task')
        await startTimes(target, 50)
        const times = await startTimes(target, run.quick ? 100 : 500)
        const value = times[Math.min(times.length - 1, Math.floor(times.length * part))]!
        // An instant has whole milliseconds.
        return [{ cairn: Math.max(value, 1), reference: allowedMs }]
      }),
  }
}

const runs: Step = {
  id: 'flow-runs',
  label: 'runs of three nodes with their history',
  unit: '/s',
  better: 'higher',
  goal: 1,
  reference: '400/s',
  measure: (run) =>
    withHost(async (target) => {
      await saveFlow(target, 'three', 'task')
      await runFor(target, 'three', 200)
      const count = run.quick ? 500 : 2_000
      const pairs: Pair[] = []
      for (let pair = 0; pair < (run.quick ? 2 : run.pairs); pair += 1) {
        const began = performance.now()
        await runFor(target, 'three', count)
        pairs.push({ cairn: (count * 1_000) / (performance.now() - began), reference: 400 })
      }
      return pairs
    }),
}

const webhooks: Step = {
  id: 'webhooks',
  label: 'webhooks to a target on this machine',
  unit: '/s',
  better: 'higher',
  goal: 1,
  reference: '1,000/s',
  measure: async (run) => {
    const peer = await startHookPeer()
    try {
      return await withHost(async (target) => {
        await send(target, 'PATCH', '/settings', 200, { 'webhooks.allowedHosts': ['127.0.0.1'] })
        await send(target, 'POST', '/webhooks', 201, {
          name: 'told',
          object: 'task',
          triggers: ['create'],
          url: peer.url,
        })
        const count = run.quick ? 500 : 2_000
        const pairs: Pair[] = []
        // The first round lets the engine compile what it runs.
        for (let pair = 0; pair <= (run.quick ? 2 : run.pairs); pair += 1) {
          const before = peer.hooks.length
          const began = performance.now()
          const size = Math.min(bulkSize, count)
          for (let made = 0; made < count; made += size)
            await ask(target.server, target.createMany(newRows.slice(0, size)))
          while (peer.hooks.length < before + count) {
            if (performance.now() - began > 60_000) throw new Error(`${peer.hooks.length - before} of ${count} arrived`)
            await sleep(5)
          }
          if (pair > 0) pairs.push({ cairn: (count * 1_000) / (performance.now() - began), reference: 1_000 })
        }
        return pairs
      })
    } finally {
      await peer.stop()
    }
  },
}

const beside: Step = {
  id: 'get-beside-flows',
  label: 'get by id while 1,000 flows run, 99th percentile',
  unit: 'ms',
  better: 'lower',
  goal: 10,
  reference: 'quiet',
  measure: (run: Run) =>
    withHost(async (target) => {
      await saveFlow(target, 'busy', 'task')
      await runFor(target, 'busy', 200)
      const source = (index: number) => target.get(fixedId(seedSeries, index % seededRows))
      const { port } = target.server
      const pairs: Pair[] = []
      for (let pair = 0; pair < (run.quick ? 2 : run.pairs); pair += 1) {
        const quiet = await runLoad(port, 4, { ms: run.burstMs }, source)
        let isOver = false
        const work = runFor(target, 'busy', 1_000).finally(() => (isOver = true))
        const busy = await runLoad(port, 4, { until: () => isOver }, source)
        await work
        pairs.push({ cairn: busy.p99Ms, reference: quiet.p99Ms })
      }
      return pairs
    }),
}

/** The steps. */
export const automationSteps: readonly Step[] = [
  elsewhere,
  startStep('median', 0.5, 15),
  startStep('99th percentile', 0.99, 100),
  runs,
  webhooks,
  beside,
]
