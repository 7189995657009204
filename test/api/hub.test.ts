// A hub as a person sets it up and as it fails: two machines by the commands over a real PostgreSQL, people who write through
// HTTP, a leader that is killed or hands over. What was answered is there afterwards (D-359, D-362 to D-365).
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hashFile } from '#main/database/file-check.ts'
import { startHost } from '#main/index.ts'
import type { ApiCall } from '../support/api-call.ts'
import { createApiCall, expectStatus } from '../support/api-call.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import type { FaultProxy } from '../support/fault-proxy.ts'
import { findFreePort } from '../support/free-port.ts'
import { HubMachine, leaderOf, runCairn } from '../support/hub-machine.ts'
import { hasPostgres, startPostgres } from '../support/postgres-cluster.ts'
import type { PostgresCluster } from '../support/postgres-cluster.ts'
import { onlyInLongRun, sized } from '../support/test-size.ts'

const writers = 6
const unseenOnly = encodeURIComponent(JSON.stringify({ title: 'unseen' }))
/** What happens to a leader, to the way to PostgreSQL, or is asked for. */
const kinds = sized(
  ['killed', 'handover'] as const,
  ['killed', 'cut', 'handover', 'slow', 'paused', 'silent', 'killed', 'handover'] as const,
)
const rounds = Number(process.env['CAIRN_RUNS'] ?? sized(kinds.length, 8, 300))
const limitMs = sized(180_000, 7_200_000)

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('a hub of two machines', () => {
  let folder: string
  let cluster: PostgresCluster
  /** Between both machines and PostgreSQL. */
  let proxy: FaultProxy
  let machines: readonly HubMachine[] = []
  /** What runs beside them. */
  const others: HubMachine[] = []
  const acknowledged: string[] = []

  const hub = (command: string, ...args: string[]) =>
    runCairn(['hub', command, cluster.url, '--data', join(folder, 'a'), ...args])

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-hub-'))
    cluster = await startPostgres()
    const made = await hub('init')
    expect(made, made.error).toMatchObject({ code: 0, output: expect.stringContaining('hub.key') })
    mkdirSync(join(folder, 'b'))
    copyFileSync(join(folder, 'a', 'hub.key'), join(folder, 'b', 'hub.key'))
    proxy = await startFaultProxy(Number(new URL(cluster.url).port))
    const throughProxy = new URL(cluster.url)
    throughProxy.port = String(proxy.port)
    const args = ['--hub', throughProxy.href]
    machines = [
      new HubMachine({ folder, name: 'a', port: await findFreePort(), args }),
      new HubMachine({ folder, name: 'b', port: await findFreePort(), args }),
    ]
  })
  afterAll(async () => {
    for (const machine of [...machines, ...others]) await machine.stop('SIGKILL').catch(() => undefined)
    await proxy.close()
    await cluster.remove()
    rmSync(folder, { recursive: true })
  })

  it('is no folder to be opened alone, and is begun once', async () => {
    const alone = await runCairn(['serve', '--data', join(folder, 'a'), '--port', '0'])
    expect(alone).toMatchObject({ code: 1, error: expect.stringContaining('serve -- --hub postgres://') })
    expect(await hub('init')).toMatchObject({ code: 1, error: expect.stringContaining('already') })
  })

  it('is begun by one of several commands, and leaves no folder of one that could not', async () => {
    const late = join(folder, 'late')
    expect(await runCairn(['hub', 'init', cluster.url, '--data', late])).toMatchObject({ code: 1 })
    const away = await runCairn(['hub', 'init', 'postgres://cairn@127.0.0.1:1/none', '--data', late])
    expect(away).toMatchObject({ code: 1, error: expect.stringContaining('does not answer at 127.0.0.1:1') })
    expect(existsSync(late)).toBe(false)
    // Two who begin it at one moment: the other one has no key that nobody could read the hub with.
    const folders = [join(folder, "x's"), join(folder, 'y & co')]
    const url = `${cluster.url}?application_name=a%20node&connect_timeout=20`
    const begun = await Promise.all(
      folders.map((data) => runCairn(['hub', 'init', url, '--data', data, '--workspace', 'at-once'])),
    )
    // What it tells people to run next a shell reads as it was meant.
    const next = /run serve -- (.*)/.exec(begun.map(({ output }) => output).join(''))?.[1]
    const words = execFileSync('sh', ['-c', `printf '%s|' ${next}`], { encoding: 'utf8' }).split('|')
    const data = folders[begun.findIndex(({ code }) => code === 0)]
    expect(words).toEqual(['--hub', url, '--data', data, '--workspace', 'at-once', ''])
    expect(begun.map(({ code }) => code).toSorted()).toEqual([0, 1])
    expect(begun.map(({ error }) => error).join('')).toContain('already. Nothing was changed.')
    expect(folders.map((data) => existsSync(join(data, 'hub.key')))).toEqual(begun.map(({ code }) => code === 0))
  })

  it('takes no folder of another workspace, and no other key', async () => {
    const serve = (dataDir: string) =>
      runCairn(['serve', '--data', dataDir, '--hub', cluster.url, '--port', '0', '--lease', '1'])
    const foreign = join(folder, 'foreign')
    await (await startHost({ dataDir: foreign, port: 0 })).stop()
    copyFileSync(join(folder, 'a', 'hub.key'), join(foreign, 'hub.key'))
    const before = hashFile(join(foreign, 'cairn.db')).sha256
    expect(await serve(foreign)).toMatchObject({ code: 1, error: expect.stringContaining("is not this hub's") })
    expect(hashFile(join(foreign, 'cairn.db')).sha256).toBe(before)

    const keyless = join(folder, 'keyless')
    mkdirSync(keyless)
    expect(await serve(keyless)).toMatchObject({ code: 1, error: expect.stringContaining('Copy hub.key from a node') })
    writeFileSync(join(keyless, 'hub.key'), `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 })
    expect(await serve(keyless)).toMatchObject({
      code: 1,
      error: expect.stringContaining('the key file is another one'),
    })
    expect(existsSync(join(keyless, 'cairn.db'))).toBe(false)
    // Also where the file is at the end of the log, of which nothing would have to be opened.
    rmSync(join(keyless, 'cairn.db-hub'), { force: true })
    copyFileSync(join(folder, 'a', 'cairn.db'), join(keyless, 'cairn.db'))
    expect(await serve(keyless)).toMatchObject({
      code: 1,
      error: expect.stringContaining('the key file is another one'),
    })
  })

  it('loses nothing it has answered when its leader dies or hands over', { timeout: limitMs }, async () => {
    const [first, second] = machines as [HubMachine, HubMachine]
    first.start()
    const { call } = await leaderOf(machines)
    await define(call, 'note')
    // Another database in its place would not be what the log says.
    const backup = (await expectStatus(call, 201, 'POST', '/api/v1/backups', {})) as { id: string }
    const restored = await call('POST', `/api/v1/backups/${backup.id}/restore`, { confirm: backup.id })
    expect(restored).toMatchObject({ status: 503, body: { error: { details: { reason: 'hub' } } } })
    second.start()
    await second.follows()
    // Whoever follows passes on what it is asked.
    const through = createApiCall(second.url, first.token())
    await expectStatus(through, 201, 'POST', '/api/v1/data/note', { title: 'passed on' })
    await expect
      .poll(async () => (await (await fetch(`${second.url}/readyz`)).json()) as unknown, { timeout: 20_000 })
      .toMatchObject({ error: { code: 'service_unavailable', details: { reason: 'standby', leader: first.url } } })
    expect((await fetch(`${second.url}/healthz`)).status).toBe(200)

    let isOver = false
    let last = 0
    /** The longest time without an answer to anybody's write, by what happened. */
    const silences = new Map<string, number>()
    let answeredAt = performance.now()
    let kind: string = kinds[0]
    const unknown: string[] = []
    const write = async (): Promise<void> => {
      for (let title = ''; !isOver;) {
        if (title === '') title = `n${(last += 1)}`
        const leader = machines.find((one) => one.call !== null)
        const keyed = { 'idempotency-key': title }
        const answer = await leader?.call?.('POST', '/api/v1/data/note', { title }, keyed).catch(() => undefined)
        // What was under way when its leader went is repeated with its key until it is answered.
        if (answer?.status !== 201) {
          const { error } = (answer?.body ?? {}) as { error?: { details: { reason?: string } } }
          if (error?.details.reason === 'idempotency_answer_unknown') unknown.push(title)
          if (unknown.includes(title)) title = ''
          await pause(20)
          continue
        }
        acknowledged.push(title)
        title = ''
        const now = performance.now()
        silences.set(kind, Math.max(silences.get(kind) ?? 0, now - answeredAt))
        answeredAt = now
        await pause(15)
      }
    }
    const progress = async (): Promise<void> => {
      const before = acknowledged.length
      while (acknowledged.length < before + 30) await pause(20)
    }
    const writing = Array.from({ length: writers }, write)
    // Whatever fails: who writes ends with it, or the next test counts what it does not know of.
    onTestFinished(() => {
      isOver = true
    })
    for (let round = 0; round < rounds; round += 1) {
      await progress()
      const leader = await leaderOf(machines)
      const follower = machines.find((one) => one !== leader)!
      await follower.follows()
      kind = kinds[round % kinds.length]!
      if (kind === 'killed') await leader.kill()
      else if (kind === 'cut') proxy.cut()
      else if (kind === 'silent') {
        proxy.halfOpen()
        const unseen = leader.call('POST', '/api/v1/data/note', { title: 'unseen' })
        await pause(200)
        // What a failover could take back is shown to nobody.
        const read = await leader.call('GET', `/api/v1/data/note?filter=${unseenOnly}`).catch(() => null)
        expect(read === null || read.status === 503).toBe(true)
        proxy.heal()
        proxy.cut()
        await unseen.catch(() => undefined)
      } else if (kind === 'slow') {
        proxy.latency(200)
        await progress()
        proxy.heal()
      } else if (kind === 'paused') {
        leader.pause()
        await leaderOf(machines)
        leader.resume()
      } else {
        expect(await hub('handover', '--to', 'nobody')).toMatchObject({ code: 1 })
        let handed = await hub('handover', '--to', follower.url)
        // A follower that was cut off a moment ago is not back at once; an operator is told so, and tries again.
        for (let more = 0; handed.error.includes('no node that follows') && more < 20; more += 1) {
          await pause(500)
          handed = await hub('handover', '--to', follower.url)
        }
        expect(handed, handed.error).toMatchObject({ code: 0, output: expect.stringContaining(follower.url) })
      }
      await progress()
    }
    isOver = true
    await Promise.all(writing)
    const leader = await leaderOf(machines)
    await expectFigures(leader, cluster.url)
    const status = await hub('status', '--json')
    const unsafeSettings = ['full_page_writes']
    expect(JSON.parse(status.output)).toMatchObject({ head: { address: leader.url }, unsafeSettings })
    expect(unknown).toEqual([])
    const found = new Set<string>()
    let records = 0
    for (let skip = 0; skip < last; skip += 200) {
      const page = await expectStatus(leader.call, 200, 'GET', `/api/v1/data/note?top=200&skip=${skip}&select=title`)
      for (const { title } of (page as { records: { title: string }[] }).records) {
        if (/^n\d+$/.test(title)) records += 1
        found.add(title)
      }
    }
    expect(acknowledged.filter((title) => !found.has(title))).toEqual([])
    // Nothing was done twice.
    expect(records).toBe([...found].filter((title) => /^n\d+$/.test(title)).length)
    const longest = [...silences].map(([name, ms]) => `${name} ${Math.round(ms)} ms`).join(', ')
    process.stderr.write(
      `hub: ${acknowledged.length} writes over HTTP, ${rounds} rounds, longest time without a write: ${longest}\n`,
    )
  })

  it('is had again as it was in a folder of its own', async () => {
    const target = join(folder, 'restored')
    const restore = (...args: string[]) =>
      runCairn([
        ...['hub', 'restore', cluster.url, '--data', target, '--key-file', join(folder, 'a', 'hub.key'), ...args],
      ])
    expect(await restore('--to', '2020-01-01T00:00:00Z')).toMatchObject({
      code: 1,
      error: expect.stringContaining('keeps nothing as old as that'),
    })
    // The beginning of a hub is stored a moment after it: a minute before that copy is its beginning too, and no more (D-367).
    const { snapshots } = JSON.parse((await hub('status', '--json')).output) as { snapshots: { at: string }[] }
    const beginning = Date.parse(snapshots.at(-1)!.at)
    const before = (ms: number): string => new Date(beginning - ms).toISOString()
    const zoneless = await restore('--to', before(0).slice(0, -1))
    expect(zoneless).toMatchObject({ code: 1, error: expect.stringContaining('is no moment') })
    expect(await restore('--to', before(61_000))).toMatchObject({
      code: 1,
      error: expect.stringContaining('keeps nothing as old as that'),
    })
    expect(await restore('--to', before(59_000))).toMatchObject({
      code: 0,
      output: expect.stringContaining('look for what was revoked since'),
    })
    // Its first start ends what opened something then.
    expect(existsSync(join(target, 'restored.json'))).toBe(true)
    rmSync(target, { recursive: true })
    const restored = await restore()
    expect(restored, restored.error).toMatchObject({ code: 0, output: expect.stringContaining('part of no hub') })
    const alone = new HubMachine({ folder, name: 'restored', port: await findFreePort(), args: [] })
    others.push(alone)
    alone.start()
    const { call } = await leaderOf([alone])
    const page = await expectStatus(call, 200, 'GET', '/api/v1/data/note?top=1&count=true')
    expect((page as { total: number }).total).toBeGreaterThanOrEqual(acknowledged.length)
    const audit = await call('POST', '/api/v1/audit/verify', {})
    expect(audit).toMatchObject({ status: 200, body: { valid: true } })
    expect(await alone.stop()).toBe(0)
  })

  it('ends with words when PostgreSQL forgets, and is begun anew with what its node has', async (test) => {
    onlyInLongRun(test)
    const [first] = machines as [HubMachine, HubMachine]
    if (first.output === '') first.start()
    const leader = await leaderOf(machines)
    for (const machine of machines) if (machine !== leader && machine.output !== '') await machine.stop()
    await define(leader.call, 'memo')
    await expectStatus(leader.call, 201, 'POST', '/api/v1/data/memo', { title: 'acknowledged' })
    const client = new pg.Client({ connectionString: cluster.url })
    await client.connect()
    // As one does that comes back without its latest state.
    await client.query(
      'BEGIN; UPDATE hub_head SET seq = seq - 3; DELETE FROM hub_log l USING hub_head h WHERE l.seq > h.seq; COMMIT',
    )
    await client.end()
    expect(await leader.ended()).toBe(3)
    expect(leader.errors).toContain('PostgreSQL has forgotten')
    const again = await runCairn(['serve', '--data', leader.dataDir, '--hub', cluster.url, '--port', '0'])
    expect(again).toMatchObject({ code: 1, error: expect.stringContaining('--anew') })

    const second = ['--workspace', 'second']
    const begun = await runCairn(['hub', 'init', cluster.url, '--data', leader.dataDir, '--anew', ...second])
    expect(begun, begun.error).toMatchObject({ code: 0 })
    const args = ['--hub', cluster.url, ...second]
    const anew = new HubMachine({ folder, name: leader.name, port: leader.port, args })
    others.push(anew)
    anew.start()
    const { call } = await leaderOf([anew])
    const page = await expectStatus(call, 200, 'GET', '/api/v1/data/memo')
    expect(page).toMatchObject({ records: [{ title: 'acknowledged' }] })
    expect(await anew.stop()).toBe(0)
  })
})

async function define(call: ApiCall, name: string): Promise<void> {
  const item = { name, label: name, fields: { title: { type: 'text', label: 'Title' } } }
  await expectStatus(call, 200, 'PUT', `/api/v1/meta/object/${name}`, { type: 'object', name, item })
}

/** What the leader tells programs that watch it, and people (D-370, D-371). */
async function expectFigures(leader: HubMachine, postgres: string): Promise<void> {
  const { url } = leader
  expect((await fetch(`${url}/metrics`)).status).toBe(401)
  const ask = (path: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${leader.token()}` } })
  // What PostgreSQL was asked at the start may be otherwise since (D-360).
  const client = new pg.Client({ connectionString: postgres })
  await client.connect()
  const set = async (sql: string): Promise<void> => {
    await client.query(`ALTER SYSTEM ${sql}`)
    await client.query('SELECT pg_reload_conf()')
  }
  await set('SET full_page_writes = off')
  onTestFinished(async () => {
    await set('RESET full_page_writes')
    await client.end()
  })
  await expect
    .poll(async () => (await (await ask('/metrics')).text()).includes('\ncairn_hub_unsafe_settings 1\n'))
    .toBe(true)
  const answer = await ask('/metrics')
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await answer.text()
  const figure = (name: string): number => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`))
    return Number(line?.split(' ').at(-1))
  }
  expect(figure('cairn_hub_append_seconds_count')).toBeGreaterThan(0)
  expect(figure('cairn_hub_append_bytes_total')).toBeGreaterThan(4096)
  expect(figure('cairn_hub_lease_left_seconds')).toBeGreaterThan(0)
  expect(figure('cairn_hub_snapshot_age_seconds')).toBeGreaterThan(0)
  const status = (await (await ask('/api/v1/hub')).json()) as {
    row: number
    nodes: { address: string; state: string }[]
    unsafeSettings: string[]
  }
  expect(status.unsafeSettings).toEqual(['full_page_writes'])
  expect(status.row).toBeGreaterThanOrEqual(figure('cairn_hub_row'))
  expect(status.nodes).toContainEqual(expect.objectContaining({ address: url, state: 'leads' }))
}
