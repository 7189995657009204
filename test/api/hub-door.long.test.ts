// A hub of three machines, asked through the door of one that follows all the time while the other two hand the workspace
// to each other: nothing that is safe or carries an idempotency key fails, and nothing is done twice (D-368, D-369).
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiCall, expectStatus } from '../support/api-call.ts'
import { leaderOf } from '../support/hub-machine.ts'
import { createHub } from '../support/hub-of-machines.ts'
import type { HubOfMachines } from '../support/hub-of-machines.ts'
import { hasPostgres } from '../support/postgres-cluster.ts'

const handOvers = Number(process.env['CAIRN_RUNS'] ?? 20)
const everyMs = 10_000
const writers = 4

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('the door of a hub', () => {
  let made: HubOfMachines
  beforeAll(async () => void (made = await createHub(['a', 'b', 'c'])))
  afterAll(() => made.remove())

  it('fails nothing while the machines behind it hand over', { timeout: handOvers * 30_000 + 120_000 }, async () => {
    const [first, second, door] = made.machines as [
      (typeof made.machines)[0],
      (typeof made.machines)[0],
      (typeof made.machines)[0],
    ]
    first.start()
    const { call } = await leaderOf([first])
    const key = (await expectStatus(call, 201, 'POST', '/api/v1/keys', { name: 'door' })) as { key: string }
    const fields = { title: { type: 'text', label: 'Title' }, count: { type: 'number', label: 'Count' } }
    const item = { name: 'note', label: 'Note', fields }
    await expectStatus(call, 200, 'PUT', '/api/v1/meta/object/note', { type: 'object', name: 'note', item })
    second.start()
    door.start()
    await second.follows()
    await door.follows()

    const failed: string[] = []
    const written: string[] = []
    let isOver = false
    let last = 0
    let slowest = 0
    const ask = async (method: string, path: string, body?: unknown): Promise<Response | null> => {
      const began = performance.now()
      const headers: Record<string, string> = { 'x-api-key': key.key }
      if (body !== undefined) Object.assign(headers, { 'content-type': 'application/json' })
      if (method !== 'GET') headers['idempotency-key'] = `k${(last += 1)}`
      const once = () =>
        fetch(`${door.url}/api/v1${path}`, {
          ...{ method, headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }).catch((error: unknown) => {
          failed.push(`${method} ${path}: ${String((error as Error).cause ?? error)}`)
          return null
        })
      let answer = await once()
      // Four that write without a pause are faster than one may be for long (D-200); they wait as they are told to.
      while (answer?.status === 429) {
        await pause(Number(answer.headers.get('retry-after')) * 1_000)
        answer = await once()
      }
      slowest = Math.max(slowest, performance.now() - began)
      if (answer === null || answer.ok) return answer
      failed.push(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return null
    }
    const work = async (): Promise<void> => {
      while (!isOver) {
        const title = `n${(last += 1)}`
        const answer = await ask('POST', '/data/note', { title, count: 0 })
        if (answer === null) continue
        written.push(title)
        const { id } = (await answer.json()) as { id: string }
        await ask('PATCH', `/data/note/${id}`, { count: 1 })
        await ask('GET', `/data/note/${id}`)
        await ask('GET', '/data/note?top=20&sort=-created_at')
        await pause(200)
      }
    }
    /** What a machine is called by now: each second it says that it is there. */
    const nameOf = async (url: string): Promise<string> => {
      for (;;) {
        const status = JSON.parse((await made.hub('status', '--json')).output) as {
          nodes: { node: string; address: string; isHere: boolean }[]
        }
        const name = status.nodes.find(({ address, isHere }) => isHere && address === url)?.node
        if (name !== undefined) return name
        await pause(200)
      }
    }
    const working = Array.from({ length: writers }, work)
    for (let round = 0; round < handOvers; round += 1) {
      await pause(everyMs)
      const leader = await leaderOf([first, second])
      const heir = leader === first ? second : first
      await heir.follows()
      const handed = await made.hub('handover', '--to', await nameOf(heir.url))
      expect(handed, handed.error).toMatchObject({ code: 0, output: expect.stringContaining(heir.url) })
    }
    isOver = true
    await Promise.all(working)
    expect(failed).toEqual([])

    const leader = await leaderOf([first, second])
    const through = createApiCall(door.url, leader.token())
    const titles: string[] = []
    for (let skip = 0; ; skip += 200) {
      const page = await expectStatus(through, 200, 'GET', `/api/v1/data/note?top=200&skip=${skip}&select=title,count`)
      const { records } = page as { records: { title: string; count: number }[] }
      if (records.length === 0) break
      for (const record of records) {
        titles.push(record.title)
        expect(record.count).toBe(1)
      }
    }
    expect(titles.toSorted()).toEqual(written.toSorted())
    process.stderr.write(
      `door: ${last} requests over ${handOvers} handovers, 0 failed, slowest ${Math.round(slowest)} ms\n`,
    )
  })
})
