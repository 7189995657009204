// Promises about foreign code: what scripts cannot reach (P5), whom they cannot disturb, by computing or by calls (P5b), which SQL never runs (C9).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import vm from 'node:vm'
import BetterSqlite3 from 'better-sqlite3'
import { closedSql } from '../../support/closed-sql.ts'
import { createApiCall } from '../../support/api-call.ts'
import { withHost } from '../host-under-test.ts'
import type { HostUnderTest } from '../host-under-test.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import { escapes } from '../sandbox-escapes.ts'
import type { Escape } from '../sandbox-escapes.ts'

/** Runs a script in the host; its result, or null when it gave none. */
async function runInHost(target: HostUnderTest, { source }: Escape): Promise<unknown> {
  const call = createApiCall(target.host.url, target.host.token)
  const saved = await call('PUT', '/api/v1/meta/function/probe', { name: 'probe', source })
  if (saved.status !== 200) throw new Error(`the script was not stored: ${saved.status}`)
  const run = await call('POST', '/api/v1/functions/probe/run', { input: { a: 1 } })
  return run.status === 200 ? (run.body as { result: unknown }).result : null
}

/** Counts scripts that reached Node or ended the host. */
async function countEscapes(
  context: CheckContext,
  run: (escape: Escape) => Promise<unknown>,
  isAlive: () => Promise<boolean>,
): Promise<number> {
  let out = 0
  for (const escape of escapes) {
    const result = await run(escape)
    if (result !== 'ESCAPED' && (await isAlive())) continue
    out += 1
    context.log(`${escape.name}: ${String(result)}`)
  }
  context.log(`${escapes.length} attempts, ${out} out`)
  return out
}

defineCheck({
  id: 'P5',
  file: 'scripts',
  unit: 'scripts that leave the sandbox or end the host',
  target: 0,
  async run(context) {
    return withHost({}, async (target) => {
      return await countEscapes(
        context,
        (escape) => runInHost(target, escape),
        async () => (await fetch(`${target.host.url}/healthz`)).ok,
      )
    })
  },
  // The context of Node's own module shares its objects with the host, which is why it is no sandbox.
  twin: (context) =>
    countEscapes(
      context,
      async ({ source }) => {
        const names = {
          input: { a: 1 },
          records: { get: async () => null, list: async () => [] },
          log: () => undefined,
          fail: () => undefined,
        }
        const body = `(async function () { ${source} })()`
        try {
          return await vm.runInNewContext(body, names, { timeout: 200 })
        } catch {
          // A script that broke or was stopped did not get out.
          return null
        }
      },
      async () => true,
    ),
})

/** How long gets take while scripts run away, in milliseconds. */
async function timesWhile(target: HostUnderTest, disturb: () => Promise<unknown>): Promise<number[]> {
  const call = createApiCall(target.host.url, target.host.token)
  const times: number[] = []
  const disturbing = disturb()
  for (let n = 0; n < 300; n += 1) {
    const start = performance.now()
    await call('GET', '/api/v1/data/task?top=1')
    times.push(performance.now() - start)
  }
  await disturbing
  return times
}

/** Slowest of 99 in 100. */
function slowest(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!
}

/** What scripts run away with: their own computing, and what they make the host do. */
const runaways = {
  endless: 'for (;;) {}',
  'calls that nobody awaits': 'for (;;) records.list("task", { top: 1000 })',
  'writes that nobody awaits': 'for (let n = 0; n < 100_000; n++) records.create("flooded", { title: "x" })',
  'calls in groups': 'for (;;) await Promise.all(Array.from({ length: 500 }, () => records.list("task")))',
} as const

/** Makes the same script a hook of an object that it writes to itself. */
async function stored(target: HostUnderTest, body: string): Promise<void> {
  const call = createApiCall(target.host.url, target.host.token)
  const item = { name: 'flooded', fields: { title: { type: 'text' } } }
  const hook = { name: 'flooded.hook', object: 'flooded', events: ['beforeInsert'], body }
  const saved = [
    await call('PUT', '/api/v1/meta/object/flooded', { type: 'object', name: 'flooded', item }),
    await call('PUT', '/api/v1/meta/hook/flooded.hook', hook),
  ]
  if (saved.some(({ status }) => status !== 200)) throw new Error('the hook was not stored')
}

async function write(target: HostUnderTest): Promise<void> {
  await createApiCall(target.host.url, target.host.token)('POST', '/api/v1/data/flooded', { title: 'x' })
}

defineCheck({
  id: 'P5b',
  file: 'scripts',
  unit: 'ms, p99 of a get while scripts run away',
  target: { atMost: 200 },
  async run(context) {
    return withHost({}, async (target) => {
      const all: number[] = []
      for (const [name, source] of Object.entries(runaways)) {
        await stored(target, source)
        const script = { name, source }
        const times = await timesWhile(target, () =>
          Promise.all([runInHost(target, script), runInHost(target, script), write(target)]),
        )
        context.log(`${name}: p99 ${slowest(times).toFixed(1)} ms`)
        all.push(...times)
      }
      return Math.round(slowest(all))
    })
  },
  async twin() {
    return withHost({}, async (target) => {
      // The same loop on the host's own thread holds everybody up.
      const times = await timesWhile(target, async () => {
        for (let turn = 0; turn < 20; turn += 1) {
          const end = performance.now() + 300
          while (performance.now() < end);
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
      })
      return slowest(times)
    })
  },
})

defineCheck({
  id: 'C9',
  file: 'scripts',
  unit: 'statements of the restricted endpoint that write, leave its views or come in twos',
  target: 0,
  async run(context) {
    return withHost({}, async (target) => {
      const call = createApiCall(target.host.url, target.host.token)
      const before = JSON.stringify([...(await target.tableHashes())])
      let executed = 0
      for (const sql of closedSql) {
        const { status } = await call('POST', '/api/v1/analytics/sql', { sql })
        if (status === 400) continue
        executed += 1
        context.log(`${status}: ${sql}`)
      }
      if (JSON.stringify([...(await target.tableHashes())]) !== before) executed += 1
      context.log(`${closedSql.length} statements, ${executed} executed`)
      return executed
    })
  },
  async twin() {
    const dir = mkdtempSync(join(tmpdir(), 'cairn-sql-'))
    const connection = new BetterSqlite3(join(dir, 'plain.sqlite'))
    try {
      connection.exec('CREATE TABLE o_task (id TEXT, title TEXT, hours REAL); CREATE VIEW task AS SELECT * FROM o_task')
      return closedSql.filter((sql) => {
        try {
          connection.exec(sql)
          return true
        } catch {
          return false
        }
      }).length
    } finally {
      connection.close()
      rmSync(dir, { recursive: true, force: true })
    }
  },
})
