// A full disk: nothing acknowledged is lost, nothing dies, reads and deletions go on, and it ends by itself.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { defineRoute, defineRoutes } from '#shared/route.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { statement } from '#main/kernel/database.ts'
import { makeSmallDisk } from '../../support/small-disk.ts'
import { cairnEntry, childEntry, startChildServer } from '../child-server.ts'
import type { ChildServer } from '../child-server.ts'
import { withHost } from '../host-under-test.ts'
import { defineCheck, skipCheck } from '../registry.ts'
import type { CheckContext, SkippedCheck } from '../registry.ts'

/** Room must be found this soon after there is some. */
const recoveryMs = 5_000

type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; text: string }>

/** Counts what a full disk may not do. */
interface Findings {
  total: number
  /** Adds what does not hold and says it. */
  expect(holds: boolean, what: string): void
}

function startFindings(context: CheckContext): Findings {
  return {
    total: 0,
    expect(holds, what) {
      if (holds) return
      this.total += 1
      context.log(`does not hold: ${what}`)
    },
  }
}

const isRefusal = ({ status, text }: { status: number; text: string }): boolean =>
  status === 503 && text.includes('"service_unavailable"') && text.includes('"retryable":true')

/** Creates records and notes which were acknowledged; while the disk is full none may be. */
async function create(call: Call, path: string, count: number, bytes: number, kept: Set<string>): Promise<number> {
  let refused = 0
  for (let index = 0; index < count; index += 1) {
    const answer = await call('POST', path, { title: 'x'.repeat(bytes) })
    if (answer.status === 201) kept.add((JSON.parse(answer.text) as { id: string }).id)
    else if (isRefusal(answer)) refused += 1
  }
  return refused
}

async function missing(call: Call, kept: ReadonlySet<string>): Promise<number> {
  let gone = 0
  for (const id of kept) if ((await call('GET', `/api/v1/data/full_note/${id}`)).status !== 200) gone += 1
  return gone
}

async function deleteSome(call: Call, count: number, kept: Set<string>): Promise<number> {
  let done = 0
  for (const id of [...kept].slice(0, count)) {
    const query = done % 2 === 0 ? '' : '?permanent=true'
    if ((await call('DELETE', `/api/v1/data/full_note/${id}${query}`)).status !== 200) continue
    kept.delete(id)
    done += 1
  }
  return done
}

/** Milliseconds until a write is taken again; infinite when it is not within the time. */
async function untilWritable(call: Call, kept: Set<string>): Promise<number> {
  const began = performance.now()
  while (performance.now() - began < recoveryMs * 2) {
    if ((await create(call, '/api/v1/data/full_note', 1, 10, kept)) === 0 && kept.size > 0)
      return performance.now() - began
    await pause(50)
  }
  return Infinity
}

const definition = {
  type: 'object',
  name: 'full_note',
  item: { name: 'full_note', fields: { title: { type: 'textarea' } } },
}

/** The engine finds no room for a page more: the whole in one process, in a second. */
async function withoutPages(context: CheckContext, writePath: string): Promise<number> {
  const findings = startFindings(context)
  return withHost({ plugins: [hastyPlugin] }, async ({ host }) => {
    const call: Call = async (method, path, body) => {
      const answer = await fetch(host.url + path, {
        method,
        headers: {
          authorization: `Bearer ${host.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: answer.status, text: await answer.text() }
    }
    const limitPages = (extra: number): Promise<unknown> =>
      host.database.write(
        'limit pages',
        (tx) => {
          const [row] = tx.all<{ page_count: number }>(statement('PRAGMA page_count'))
          return tx.all(statement(`PRAGMA max_page_count = ${row!.page_count + extra}`))
        },
        { whenFull: true },
      )
    await call('PUT', '/api/v1/meta/object/full_note', definition)
    const kept = new Set<string>()
    await create(call, '/api/v1/data/full_note', 20, 100, kept)
    await limitPages(8)
    const refused = await create(call, writePath, 10, 100_000, kept)
    findings.expect(refused === 10, `${refused} of 10 writes are refused`)
    findings.expect((await missing(call, kept)) === 0, 'what was acknowledged is read while the disk is full')
    const deleted = await deleteSome(call, 6, kept)
    findings.expect(deleted === 6, `${deleted} of 6 deletions work`)
    await limitPages(100_000)
    const tookMs = await untilWritable(call, kept)
    context.log(`writes again after ${Math.round(tookMs)} ms`)
    findings.expect(tookMs <= recoveryMs, 'writes are taken again within five seconds')
    findings.expect((await missing(call, kept)) === 0, 'what was acknowledged is there afterwards')
    return findings.total
  })
}

const hastyRoutes = defineRoutes({
  hasty: defineRoute({
    operationId: 'hasty',
    method: 'POST',
    mount: 'versioned',
    path: '/hasty',
    body: z.unknown(),
    response: z.object({ id: z.string() }),
    status: 201,
    permission: 'session',
    rateLimit: 'none',
    errors: [],
    channel: 'none',
    summary: 'A mistake.',
    tag: 'hasty',
  }),
})

/** Acknowledges before the write is done. */
const hastyPlugin = definePlugin({
  id: 'hasty',
  version: '1.0.0',
  contract: hastyRoutes,
  register(host) {
    host.handle(hastyRoutes, {
      hasty() {
        host.write('hasty', (tx) => tx.run(statement('INSERT INTO hasty_row DEFAULT VALUES'))).catch(() => undefined)
        return { id: host.ids.uuid() }
      },
    })
  },
})

/** A real disk, filled to the last byte, under a real process that is also stopped and started on it. */
async function onFullDisk(context: CheckContext, entry: string): Promise<number | SkippedCheck> {
  const disk = makeSmallDisk(64)
  if (typeof disk === 'string') return skipCheck(disk)
  const findings = startFindings(context)
  const dataDir = join(disk.path, 'data')
  const kept = new Set<string>()
  let server: ChildServer | undefined
  try {
    server = await startChildServer({ dataDir, entry })
    let { call } = server
    await call('PUT', '/api/v1/meta/object/full_note', definition)
    await create(call, '/api/v1/data/full_note', 100, 500, kept)
    // The ballast is made beside the first requests.
    if (entry === cairnEntry) while (statSync(join(dataDir, 'cairn.ballast')).size < 16_777_216) await pause(20)
    disk.fill()
    await create(call, '/api/v1/data/full_note', 50, 20_000, kept).catch(() => undefined)
    for (const life of ['first', 'second']) {
      const isAlive = (): boolean => server!.process.exitCode === null && server!.process.signalCode === null
      const refused = await create(call, '/api/v1/data/full_note', 10, 20_000, kept).catch(() => -1)
      findings.expect(refused === 10, `${refused} of 10 writes are refused (${life} life)`)
      const gone = await missing(call, kept).catch(() => -1)
      findings.expect(gone === 0, `${gone} records cannot be read (${life} life)`)
      const deleted = await deleteSome(call, 20, kept).catch(() => -1)
      findings.expect(deleted === 20, `${deleted} of 20 deletions work (${life} life)`)
      findings.expect(isAlive(), `the process lives (${life} life)`)
      if (life === 'second') break
      const code = isAlive() ? await server.end('SIGTERM') : null
      findings.expect(code === 0, `the exit on a full disk is ${String(code)}`)
      disk.fill()
      server = await startChildServer({ dataDir, entry })
      call = server.call
    }
    disk.free()
    const tookMs = await untilWritable(call, kept)
    context.log(`writes again after ${Math.round(tookMs)} ms`)
    findings.expect(tookMs <= recoveryMs, 'writes are taken again within five seconds')
    findings.expect((await missing(call, kept)) === 0, 'what was acknowledged is there afterwards')
    const code = await server.end('SIGTERM')
    findings.expect(code === 0, `the exit is ${String(code)}`)
  } catch (error) {
    // A server that cannot start or dies under a request.
    findings.expect(false, error instanceof Error ? error.message : String(error))
    if (server?.process.exitCode === null) server.process.kill('SIGKILL')
  } finally {
    disk.remove()
  }
  return findings.total
}

defineCheck({
  id: 'R4',
  file: 'disk',
  unit: 'acknowledged writes lost, wrong answers and late recoveries when the engine finds no room',
  target: 0,
  run: (context) => withoutPages(context, '/api/v1/data/full_note'),
  twin: (context) => withoutPages(context, '/api/v1/hasty'),
})

defineCheck({
  id: 'R4d',
  file: 'disk',
  unit: 'acknowledged writes lost, crashes, wrong answers and late recoveries on a disk filled to the last byte',
  target: 0,
  tier: 'n',
  run: (context) => onFullDisk(context, cairnEntry),
  twin: (context) => onFullDisk(context, childEntry('host-without-ballast')),
})
