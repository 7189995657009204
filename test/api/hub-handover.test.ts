// A planned handover as those notice it who ask the leader itself, with connections they keep: nothing is cut, and whoever led
// passes on what it is asked from then on (D-365, D-369).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus } from '../support/api-call.ts'
import type { ApiCall } from '../support/api-call.ts'
import { leaderOf, runCairn } from '../support/hub-machine.ts'
import { createHub } from '../support/hub-of-machines.ts'
import type { HubOfMachines } from '../support/hub-of-machines.ts'
import { editText } from '../support/live-text-client.ts'
import { hasPostgres } from '../support/postgres-cluster.ts'

const chains = 6
const handovers = Number(process.env['CAIRN_RUNS'] ?? 5)

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('a handover', () => {
  let made: HubOfMachines
  beforeAll(async () => void (made = await createHub(['a', 'b'])))
  afterAll(() => made?.remove())

  /** A node that is gone is listed until somebody, or a day, forgets it; it counts in no figure of rows. */
  const expectForgetting = async (): Promise<void> => {
    const [first, second] = made.machines as [(typeof made.machines)[0], (typeof made.machines)[0]]
    const address = 'https://gone.example'
    const client = new pg.Client({ connectionString: made.cluster.url })
    await client.connect()
    const put = 'INSERT INTO hub_node SELECT ws, $1, $2, clock_timestamp() - $3::interval, 1 FROM hub_head'
    await client.query(put, ['gone.1', address, '1 hour'])
    await client.query(put, ['old.1', 'https://old.example', '25 hours'])
    await client.end()
    const metrics = async (): Promise<string> => {
      const headers = { authorization: `Bearer ${first.token()}` }
      return (await fetch(`${first.url}/metrics`, { headers })).text()
    }
    const told = await metrics()
    expect(told).toContain(`cairn_hub_node_seen_seconds{address="${address}"}`)
    expect(told).not.toContain(`cairn_hub_node_behind_rows{address="${address}"}`)
    expect(told).not.toContain('old.example')
    const status = await made.hub('status')
    expect(status.output).toContain(`gone.1  ${address}`)
    const { nodes } = (await expectStatus((await leaderOf(made.machines)).call, 200, 'GET', '/api/v1/hub')) as {
      nodes: { node: string; address: string; state: string; rowsBehind: number; seenAt: string }[]
    }
    const leads = nodes.find(({ state }) => state === 'leads')!
    expect(leads).toMatchObject({ address: first.url, rowsBehind: 0 })
    // What it was before it led is seen as there for some seconds yet.
    const [follower] = nodes
      .filter(({ address: one, state }) => one === second.url && state === 'follows')
      .toSorted((a, b) => b.seenAt.localeCompare(a.seenAt))
    for (const name of [follower!.node, leads.node])
      expect(await made.hub('forget', name)).toMatchObject({ code: 1, error: expect.stringContaining('is there') })
    expect(await made.hub('forget', 'nobody')).toMatchObject({ code: 1, error: expect.stringContaining('No node') })
    expect(await made.hub('forget', 'gone.1')).toMatchObject({ code: 0, output: 'Forgotten: gone.1\n' })
    expect(await metrics()).not.toContain(address)
  }

  it('cuts nobody who asks the machines themselves, there and back', { timeout: 240_000 }, async () => {
    const [first, second] = made.machines as [(typeof made.machines)[0], (typeof made.machines)[0]]
    first.start()
    const { call } = await leaderOf([first])
    const { key } = (await expectStatus(call, 201, 'POST', '/api/v1/keys', { name: 'chain' })) as { key: string }
    const item = { name: 'note', label: 'Note', fields: { title: { type: 'text', label: 'Title' } } }
    await expectStatus(call, 200, 'PUT', '/api/v1/meta/object/note', { type: 'object', name: 'note', item })
    second.start()
    await second.follows()
    expect(await runCairn(['backup', '--data', second.dataDir])).toMatchObject({
      code: 1,
      error: expect.stringContaining('on the node that leads'),
    })

    const failed: string[] = []
    const written: string[] = []
    let isOver = false
    let slowest = 0
    const ask = async (method: string, path: string, title?: string): Promise<void> => {
      const began = performance.now()
      try {
        const answer = await fetch(`${first.url}/api/v1${path}`, {
          method,
          headers: { 'x-api-key': key, ...(title === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(title === undefined ? {} : { body: JSON.stringify({ title }) }),
        })
        const text = await answer.text()
        if (!answer.ok && answer.status !== 429) failed.push(`${method} ${path}: ${answer.status} ${text}`)
        if (answer.status === 201) written.push(title!)
      } catch (error) {
        failed.push(`${method} ${path}: ${String((error as Error).cause ?? error)}`)
      }
      slowest = Math.max(slowest, performance.now() - began)
    }
    // Writes without a key: what is cut could not be repeated.
    const chain = async (name: number): Promise<void> => {
      for (let at = 0; !isOver; at += 1) {
        await ask('POST', '/data/note', `${name}/${at}`)
        await ask('GET', '/data/note?top=5')
        await pause(5)
      }
    }
    const running = Array.from({ length: chains }, (_, name) => chain(name))
    for (const heir of [second, first]) {
      await pause(1_500)
      // The host name means the other one: a node that leads is no heir.
      const handed = await made.hub('handover', '--to', hostname())
      expect(handed, handed.error).toMatchObject({ code: 0, output: expect.stringContaining(heir.url) })
      expect((await leaderOf(made.machines)).name).toBe(heir.name)
      await expect
        .poll(async () => (await (await fetch(`${heir === first ? second.url : first.url}/readyz`)).json()) as unknown)
        .toMatchObject({ error: { details: { reason: 'standby', leader: heir.url } } })
      await pause(1_500)
    }
    isOver = true
    await Promise.all(running)
    await expectForgetting()
    expect(failed).toEqual([])
    // A node that has handed over goes on with its file.
    const logs = made.machines.map(({ dataDir }) => join(dataDir, 'logs', 'hub'))
    const said = logs.flatMap((folder) => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')))
    expect(said.join('').split('follows again').length).toBe(3)
    expect(said.join('')).not.toContain('copied anew')
    const { records } = (await expectStatus(
      (await leaderOf(made.machines)).call,
      200,
      'POST',
      '/api/v1/data/note/query',
      {
        aggregations: [{ function: 'count', alias: 'n' }],
      },
    )) as { records: { n: number }[] }
    expect(records[0]?.n).toBe(written.length)
    process.stderr.write(`handover: ${written.length} writes at the machines, slowest ${Math.round(slowest)} ms\n`)
  })

  it('to a node that cannot lead leaves nobody waiting for it', { timeout: 60_000 }, async () => {
    const leader = await leaderOf(made.machines)
    const heir = made.machines.find((one) => one !== leader)!
    const processes = async (): Promise<string[]> => {
      const { output } = await made.hub('status', '--json')
      const { nodes } = JSON.parse(output) as { nodes: { node: string; address: string; isHere: boolean }[] }
      return nodes.filter(({ address, isHere }) => isHere && address === heir.url).map(({ node }) => node)
    }
    const old = await processes()
    await heir.stop()
    writeFileSync(join(heir.dataDir, 'config.json'), '{"outbound":{"allowedHosts":"wrong"}}')
    heir.start()
    // Its former process is seen as there for some seconds yet.
    const isNew = async (): Promise<boolean> => {
      const now = await processes()
      return now.length > 0 && !now.some((node) => old.includes(node))
    }
    await expect.poll(isNew, { timeout: 20_000 }).toBe(true)
    const led = (): number => leader.output.split('Cairn is running at').length
    const before = led()
    const handed = await made.hub('handover', '--to', heir.url)
    expect(handed, handed.error).toMatchObject({ code: 0, output: expect.stringContaining(heir.url) })
    await expect.poll(led, { timeout: 10_000 }).toBe(before + 1)
    await expect.poll(() => heir.errors).toContain('outbound.allowedHosts')
  })
})

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('handovers one after the other', () => {
  let made: HubOfMachines
  beforeAll(async () => void (made = await createHub(['a', 'b'])))
  afterAll(() => made?.remove())

  it('leave those who edit a text in it, and lose no letter', { timeout: 240_000 }, async () => {
    for (const machine of made.machines) {
      machine.start()
      await (machine === made.machines[0] ? leaderOf([machine]) : machine.follows())
    }
    const call: ApiCall = async (...words) => (await leaderOf(made.machines)).call(...words)
    const fields = { body: { type: 'markdown', label: 'Body' } }
    const item = { name: 'page', label: 'Page', fields }
    await expectStatus(call, 200, 'PUT', '/api/v1/meta/object/page', { type: 'object', name: 'page', item })
    const { key } = (await expectStatus(call, 201, 'POST', '/api/v1/keys', { name: 'texts' })) as { key: string }
    const { id } = (await expectStatus(call, 201, 'POST', '/api/v1/data/page', { body: 'middle ' })) as { id: string }
    const place = { object: 'page', recordId: id, field: 'body' }
    // One asks a machine, the other one the other: each leads half of the time.
    const clients = await Promise.all(
      made.machines.map(({ url }) => editText({ url, headers: { 'x-api-key': key } }, place)),
    )
    const states = (): unknown[] => clients.map(({ live }) => live.state)
    let isOver = false
    const typed: string[][] = [[], []]
    // Each in a part of the text of its own: words of two people at one place may come out as either.
    const typing = clients.map(async (client, who) => {
      for (let at = 0; !isOver; at += 1) {
        const word = `${who === 0 ? 'one' : 'two'}${at} `
        client.insert(who === 0 ? 0 : client.text().length, word)
        typed[who]!.push(word)
        // Faster than a text is stored: there is no moment at which all that both typed is.
        await pause(5)
      }
    })
    for (let at = 0; at < handovers; at += 1) {
      const before = await leaderOf(made.machines)
      const heir = made.machines.find((one) => one !== before)!
      await heir.follows()
      expect(await made.hub('handover'), `handover ${at}`).toMatchObject({ code: 0 })
      await expect.poll(async () => (await leaderOf(made.machines)).name, { timeout: 30_000 }).toBe(heir.name)
      expect(states(), `after handover ${at}`).not.toContainEqual(expect.objectContaining({ phase: 'ended' }))
    }
    // A node that is stopped hands on as well.
    const last = await leaderOf(made.machines)
    await last.stop()
    last.start()
    await last.follows()
    isOver = true
    await Promise.all(typing)
    const whole = [...typed[0]!.toReversed(), 'middle ', ...typed[1]!].join('')
    for (const client of clients) await client.until(() => client.live.state.isStored, 60_000)
    for (const client of clients) expect(client.text()).toBe(whole)
    const read = (await expectStatus(call, 200, 'GET', `/api/v1/data/page/${id}`)) as { record: { body: string } }
    expect(read.record.body).toBe(whole)
    for (const client of clients) client.close()
  })
})
