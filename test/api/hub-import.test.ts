// An import job whose machine is lost goes on at the next leader of the hub, with every row once (D-372).
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus } from '../support/api-call.ts'
import type { ApiCall } from '../support/api-call.ts'
import { leaderOf } from '../support/hub-machine.ts'
import { createHub } from '../support/hub-of-machines.ts'
import type { HubOfMachines } from '../support/hub-of-machines.ts'
import { hasPostgres } from '../support/postgres-cluster.ts'
import { sized } from '../support/test-size.ts'

const rows = sized(20_000, 30_000, 200_000)
const csv = `title\n${Array.from({ length: rows }, (_, at) => `row ${at}`).join('\n')}\n`
const jobs = '/api/v1/data/note/import/jobs'

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('an import in a hub', () => {
  let made: HubOfMachines
  beforeAll(async () => void (made = await createHub(['a', 'b'])))
  afterAll(() => made?.remove())

  it(
    'goes on in mid-slice at the next leader, and its rows are kept no longer than it',
    { timeout: 600_000 },
    async () => {
      const [first, second] = made.machines as [(typeof made.machines)[0], (typeof made.machines)[0]]
      first.start()
      const { call } = await leaderOf([first])
      await makeObject(call)
      second.start()
      await second.follows()
      const started = await expectStatus(call, 202, 'POST', jobs, { format: 'csv', csv })
      const { jobId } = started as { jobId: string }
      const path = `/api/v1/data/import/jobs/${jobId}`
      const read = (ask: ApiCall) => readJob(ask, path)
      while (Number((await read(call))['processed']) < rows / 10) await pause(5)
      await first.stop('SIGKILL')

      const next = await leaderOf([second])
      const found = await read(next.call)
      expect(Number(found['processed'])).toBeLessThan(rows)
      let job = found
      while (job['status'] === 'running' || job['status'] === 'pending') {
        await pause(100)
        job = await read(next.call)
      }
      expect(job).toMatchObject({ status: 'completed', processed: rows, created: rows, failed: 0 })
      await expectEachOnce(next.call)
      expect(await keptNames(made)).toEqual([])
    },
  )
})

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('an import of a hub whose PostgreSQL is away', () => {
  let made: HubOfMachines
  beforeAll(async () => void (made = await createHub(['a'])))
  afterAll(() => made?.remove())

  it('is refused as an upload, and waits as a job that goes on when it is back', { timeout: 600_000 }, async () => {
    const [machine] = made.machines as [(typeof made.machines)[0]]
    machine.start()
    const { call } = await leaderOf([machine])
    await makeObject(call)
    const { jobId } = (await expectStatus(call, 202, 'POST', jobs, { format: 'csv', csv })) as { jobId: string }
    const path = `/api/v1/data/import/jobs/${jobId}`
    while (Number((await readJob(call, path))['processed']) < rows / 10) await pause(5)

    await made.cluster.kill()
    const refused = await call('POST', jobs, { format: 'csv', csv: 'title\nrefused\n' })
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { code: 'service_unavailable', details: { reason: 'hub_store' } } },
    })
    // Longer than a write waits for its row: the job has been refused by now.
    await pause(7_000)
    await made.cluster.start()

    let job = await readJob(call, path)
    while (job['status'] === 'running' || job['status'] === 'pending') {
      await pause(100)
      job = await readJob(call, path)
    }
    expect(job).toMatchObject({ status: 'completed', processed: rows, created: rows, failed: 0 })
    await expectEachOnce(call)
    expect(await keptNames(made)).toEqual([])
  })
})

async function makeObject(call: ApiCall): Promise<void> {
  const item = { name: 'note', label: 'Note', fields: { title: { type: 'text', label: 'Title' } } }
  await expectStatus(call, 200, 'PUT', '/api/v1/meta/object/note', { type: 'object', name: 'note', item })
}

async function readJob(call: ApiCall, path: string): Promise<Record<string, unknown>> {
  const { status, body } = await call('GET', path)
  // On a machine with other work a leader may wait longer for the processor than its lease lasts.
  if (status === 503) return pause(100).then(() => readJob(call, path))
  expect(status).toBe(200)
  return body as Record<string, unknown>
}

async function expectEachOnce(call: ApiCall): Promise<void> {
  const titles = new Set<string>()
  for (let skip = 0; skip <= rows; skip += 200) {
    const page = await expectStatus(call, 200, 'GET', `/api/v1/data/note?top=200&skip=${skip}&select=title`)
    for (const { title } of (page as { records: { title: string }[] }).records) {
      expect(titles.has(title)).toBe(false)
      titles.add(title)
    }
  }
  expect(titles.size).toBe(rows)
}

/** Names of the files that PostgreSQL keeps for the next leader. */
async function keptNames({ cluster }: HubOfMachines): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  const kept = await client.query("SELECT name FROM hub_file WHERE name LIKE 'shared/%'")
  await client.end()
  return kept.rows
}
