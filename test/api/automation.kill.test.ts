// Runs over kill -9 of a real process (D-159, D-205): none is lost, none starts twice, no step that wrote is done again,
// and a request in flight is not sent a second time.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cairnEntry, startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { connectToDataDir, expectStatus } from '../support/api-call.ts'
import { rowOf } from '../support/flow-calls.ts'
import { sized } from '../support/test-size.ts'

const rounds = sized(2, 8, 200)
const stepsPerRun = 12
const perRound = 3
const maxDelayMs = 120

type Records = Record<string, unknown>[]

const nodes = Array.from({ length: stepsPerRun }, (_, at) => ({
  id: `n${at}`,
  type: 'create_record',
  config: { object: 'entry', data: { run: '{{ run.id }}', step: at } },
}))

const flows: Record<string, object> = {
  asked: rowOf(...nodes),
  follows: (() => {
    const { nodes: all, edges } = rowOf(...nodes)
    const start = { id: 'start', type: 'start', config: { object: 'deal', events: ['create'] } }
    return { type: 'record_change', nodes: [start, ...all.slice(1)], edges }
  })(),
}

it(
  'loses no run, starts none twice and repeats no step',
  async () => {
    // Beside each other, since a host that starts or ends is mostly waited for.
    const asked = await Promise.all([kill(Math.ceil(rounds / 2)), kill(Math.floor(rounds / 2))])
    expect(asked[0] + asked[1]).toBeGreaterThanOrEqual(rounds)
  },
  sized(120_000, 1_800_000),
)

it('does not send again what was being sent', async () => {
  let requests = 0
  const arrived = Promise.withResolvers<void>()
  const target = createServer((_request, response) => {
    requests += 1
    arrived.resolve()
    setTimeout(() => response.end('{}'), 60_000).unref()
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const url = `http://localhost:${(target.address() as AddressInfo).port}/`
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-flow-sent-'))
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ outbound: { allowedHosts: ['localhost'] } }), {
    mode: 0o600,
  })
  let server: ChildServer | undefined
  try {
    server = await startChildServer({ dataDir, entry: cairnEntry })
    const before = connectToDataDir(dataDir)
    const flow = rowOf({ id: 'send', type: 'http_request', config: { method: 'POST', url, body: {} } })
    await expectStatus(before, 201, 'POST', '/api/v1/automation', { name: 'sends', status: 'active', ...flow })
    await expectStatus(before, 202, 'POST', '/api/v1/automation/sends/trigger?async=true', {})
    await arrived.promise
    await server.end('SIGKILL')
    server = await startChildServer({ dataDir, entry: cairnEntry })
    const call = connectToDataDir(dataDir)
    const [run] = await finished(call, 'sends')
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'execution_failed', reason: 'interrupted', nodeId: 'send' },
    })
    expect(requests).toBe(1)
  } finally {
    await server?.end('SIGKILL')
    target.closeAllConnections()
    target.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 60_000)

type ApiCall = ReturnType<typeof connectToDataDir>

/**
 * Starts a host, asks for runs and kills it, `count` times on one folder; then all that was asked for must have run once.
 * @returns how many of those runs were acknowledged
 */
async function kill(count: number): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-flows-'))
  let server: ChildServer | undefined
  const acknowledged: string[] = []
  const delays: number[] = []
  try {
    for (let round = 0; round < count; round += 1) {
      server = await startChildServer({ dataDir, entry: cairnEntry })
      const call = connectToDataDir(dataDir)
      if (round === 0) await define(call)
      const work = Array.from({ length: perRound }, async (_, at) => {
        await expectStatus(call, 201, 'POST', '/api/v1/data/deal', { name: `r${round}-${at}` })
        const { data } = (await expectStatus(call, 202, 'POST', '/api/v1/automation/asked/trigger?async=true', {})) as {
          data: { runId: string }
        }
        acknowledged.push(data.runId)
      })
      const settled = Promise.allSettled(work)
      const delay = Math.floor(Math.random() * maxDelayMs)
      delays.push(delay)
      // The first of them is under way, then the kill falls somewhere between its steps.
      await Promise.race([...work.map((one) => one.catch(() => undefined)), settled])
      await new Promise((resolve) => setTimeout(resolve, delay))
      await server.end('SIGKILL')
      await settled
    }
    server = await startChildServer({ dataDir, entry: cairnEntry })
    const call = connectToDataDir(dataDir)
    const deals = await list(call, 'deal')
    const runs = [...(await finished(call, 'asked')), ...(await finished(call, 'follows', deals.length))]
    const why = `delays ${delays.join(',')}`
    expect(
      runs.map(({ status }) => status).filter((status) => status !== 'completed'),
      why,
    ).toEqual([])
    const ids = new Set(runs.map(({ id }) => id))
    expect(
      acknowledged.filter((id) => !ids.has(id)),
      `${why}: lost`,
    ).toEqual([])
    const started = runs
      .filter(({ flowName }) => flowName === 'follows')
      .map(({ trigger }) => (trigger as { recordId: string }).recordId)
    expect(started.toSorted(), `${why}: one run per deal`).toEqual(deals.map(({ id }) => id as string).toSorted())
    const entries = await list(call, 'entry')
    const made = entries.map(({ run, step }) => `${String(run)} ${String(step)}`)
    expect(made.length - new Set(made).size, `${why}: repeated`).toBe(0)
    expect(made.length, why).toBe(runs.length * stepsPerRun)
    return acknowledged.length
  } finally {
    await server?.end('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function define(call: ApiCall): Promise<void> {
  const objects = {
    deal: { name: { type: 'text' } },
    entry: { run: { type: 'text' }, step: { type: 'number' } },
  }
  for (const [name, fields] of Object.entries(objects)) {
    const body = { type: 'object', name, item: { name, fields } }
    await expectStatus(call, 200, 'PUT', `/api/v1/meta/object/${name}`, body)
  }
  for (const [name, flow] of Object.entries(flows))
    await expectStatus(call, 201, 'POST', '/api/v1/automation', {
      name,
      status: 'active',
      ...flow,
      concurrency: { maxConcurrent: 10, onConflict: 'queue' },
    })
}

/** Every run of a flow once all have ended, and as many as there must be. */
async function finished(call: ApiCall, name: string, least = 0): Promise<Records> {
  for (let tries = 0; ; tries += 1) {
    const runs: Records = []
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const path = `/api/v1/automation/${name}/runs?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`
      const { data } = (await expectStatus(call, 200, 'GET', path)) as { data: { runs: Records; nextCursor?: string } }
      runs.push(...data.runs)
      cursor = data.nextCursor
    }
    const isOver = runs.every(({ status }) => !['pending', 'running', 'retrying'].includes(String(status)))
    if ((isOver && runs.length >= least) || tries > 600) return runs
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function list(call: ApiCall, object: string): Promise<Records> {
  const all: Records = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const path = `/api/v1/data/${object}?top=1000${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page = (await expectStatus(call, 200, 'GET', path)) as { records: Records; nextCursor?: string }
    all.push(...page.records)
    cursor = page.nextCursor
  }
  return all
}
