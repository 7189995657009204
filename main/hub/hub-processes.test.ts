// Two nodes as processes over a real PostgreSQL, under load: the leader is killed, or stands still until the other one leads
// and then goes on; the follower stands still; PostgreSQL is stopped hard; the way to it is cut, slow or silent. What was
// acknowledged is there in the end, on both, byte for byte.
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hashFile } from '#main/database/file-check.ts'
import { openReader, openWriter } from '#main/database/open.ts'
import { readStatus } from '#main/hub/hub-commands.ts'
import { initHub } from '#main/hub/node.ts'
import { readPosition } from '#main/hub/store/position.ts'
import { createLogger } from '#main/kernel/logger.ts'
import type { HubChildAsk, HubChildSettings, HubChildWord } from '../../test/support/hub-child.ts'
import { startFaultProxy } from '../../test/support/fault-proxy.ts'
import type { FaultProxy } from '../../test/support/fault-proxy.ts'
import { hasPostgres, startPostgres } from '../../test/support/postgres-cluster.ts'
import type { PostgresCluster } from '../../test/support/postgres-cluster.ts'
import { sized } from '../../test/support/test-size.ts'

const leaseMs = 700
const writers = 12
const restMs = sized(15, 30)
/** What happens to a machine, to the way to PostgreSQL, or to that. */
const kinds = [
  'killed',
  'stands still',
  'silent',
  'handed over',
  'store killed',
  'killed, follower behind',
  'cut',
  'stands still',
  'slow',
  'handed over',
] as const
const rounds = Number(process.env['CAIRN_RUNS'] ?? sized(20, 300))
const limitMs = sized(120_000, 1_800_000)

const script = fileURLToPath(new URL('../../test/support/hub-child.ts', import.meta.url))
const key = randomBytes(32)
const workspace = 'test'
let cluster: PostgresCluster
/** Between both machines and PostgreSQL. */
let proxy: FaultProxy
let throughProxy: string
let machines: readonly Machine[] = []
let folder: string

const fileOf = (name: string): string => join(folder, `${name}.db`)

/** One machine: a process that is started again over the same file when it has ended. */
class Machine {
  child!: ChildProcess
  node = ''
  leads = false
  isStopped = false
  /** Answers to come, by the number of the write or read. */
  readonly waiting = new Map<number, (word: HubChildWord | null) => void>()
  readonly name: string
  errors = ''
  exit!: Promise<number | null>

  constructor(name: string) {
    this.name = name
    this.start()
  }

  start(): void {
    const url = throughProxy
    const settings: HubChildSettings = {
      url,
      workspace,
      key: key.toString('base64'),
      file: fileOf(this.name),
      name: this.name,
      leaseMs,
    }
    this.leads = false
    this.node = ''
    // Flags of the tests' own process, such as a large heap from the beginning, are not those of a node.
    const options = { execArgv: [], stdio: ['ignore' as const, 'ignore' as const, 'pipe' as const, 'ipc' as const] }
    const child = fork(script, [JSON.stringify(settings)], options)
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.errors = (this.errors + text).slice(-4_000)))
    child.on('message', (word: HubChildWord) => {
      if ('node' in word) this.node = word.node
      if ('leads' in word) this.leads = true
      const number =
        'written' in word ? word.written : 'failed' in word ? word.failed : 'read' in word ? word.read : null
      if (number === null) return
      this.waiting.get(number)?.(word)
      this.waiting.delete(number)
    })
    this.exit = new Promise((resolve) => {
      child.on('exit', (code) => {
        this.leads = false
        this.giveUp()
        resolve(code)
        // As whatever starts programs on a machine does it.
        if (!this.isStopped) this.start()
      })
    })
    this.child = child
  }

  ask(number: number, ask: HubChildAsk): Promise<HubChildWord | null> {
    return new Promise((resolve) => {
      this.waiting.set(number, resolve)
      this.child.send(ask, (error) => {
        if (error === null) return
        this.waiting.delete(number)
        resolve(null)
      })
    })
  }

  /** Waits for no answer any more. */
  giveUp(): void {
    for (const answer of this.waiting.values()) answer(null)
    this.waiting.clear()
  }

  async kill(): Promise<void> {
    const { exit } = this
    this.child.kill('SIGKILL')
    await exit
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.child.send({ stop: true } satisfies HubChildAsk)
    await this.exit
  }
}

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('two nodes of a hub', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-hub-'))
    cluster = await startPostgres()
    const { port } = new URL(cluster.url)
    proxy = await startFaultProxy(Number(port))
    throughProxy = cluster.url.replace(`:${port}/`, `:${proxy.port}/`)
    openWriter(fileOf('a')).exec('CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT) STRICT').close()
    const log = createLogger({ destination: { write: () => undefined } })
    await initHub({ url: cluster.url, workspace, key }, { file: fileOf('a'), name: 'a', log })
  })
  afterAll(async () => {
    for (const machine of machines) {
      machine.isStopped = true
      await machine.kill()
    }
    await proxy.close()
    await cluster.remove()
    rmSync(folder, { recursive: true })
  })

  it('lose nothing that was acknowledged, whoever dies, stands still or hands over', { timeout: limitMs }, async () => {
    machines = [new Machine('a'), new Machine('b')]
    const acknowledged: number[] = []
    const gaps: number[] = []
    const handOvers: number[] = []
    let last = 0
    let isOver = false
    const other = (one: Machine): Machine => machines.find((machine) => machine !== one)!
    const leaderNow = async (): Promise<Machine> => {
      for (;;) {
        const leaders = machines.filter((machine) => machine.leads)
        if (leaders.length > 0) return leaders.at(-1)!
        await pause(5)
      }
    }
    const write = async (): Promise<void> => {
      while (!isOver) {
        const id = (last += 1)
        const machine = machines.find((one) => one.leads)
        const answer = machine === undefined ? null : await machine.ask(id, { write: id })
        if (answer !== null && 'written' in answer) acknowledged.push(id)
        // Who writes without a rest only makes the log longer that is read after each fault.
        await pause(restMs)
      }
    }
    const writing = Array.from({ length: writers }, write)
    const progress = async (): Promise<void> => {
      const before = acknowledged.length
      while (acknowledged.length < before + 30) await pause(5)
    }
    const stale: string[] = []

    await progress()
    for (let round = 0; round < rounds; round += 1) {
      const leader = await leaderNow()
      const follower = other(leader)
      const began = performance.now()
      const kind = kinds[round % kinds.length]!
      if (kind === 'store killed') {
        // Whoever leads goes on once it is back, or another one does.
        await cluster.kill()
        await pause(200)
        await cluster.start()
      } else if (kind === 'handed over') {
        // Planned: the other one leads without waiting for the lease.
        while (follower.node === '') await pause(5)
        const { exit } = leader
        const asked = performance.now()
        leader.child.send({ handOver: follower.node } satisfies HubChildAsk)
        await exit
        // An heir that dies meanwhile is another process then; whoever is there leads after a lease.
        await leaderNow()
        handOvers.push(performance.now() - asked)
      } else if (kind === 'killed') {
        await leader.kill()
      } else if (kind === 'killed, follower behind') {
        follower.child.kill('SIGSTOP')
        await progress()
        await pause(leaseMs)
        follower.child.kill('SIGCONT')
        await leader.kill()
      } else if (kind === 'cut') {
        proxy.cut()
      } else if (kind === 'slow') {
        proxy.latency(60)
        await progress()
        proxy.heal()
      } else if (kind === 'silent') {
        // What was stored and not answered is sent a second time.
        proxy.halfOpen()
        await pause(leaseMs / 2)
        proxy.heal()
        proxy.cut()
      } else {
        const { exit } = leader
        leader.child.kill('SIGSTOP')
        leader.leads = false
        leader.giveUp()
        while (!follower.leads) await pause(5)
        const before = acknowledged.length
        while (acknowledged.length < before + 20) await pause(5)
        // What waits at the old leader, and what is asked of it as it comes back, is never answered as done.
        const late = Array.from({ length: 5 }, () => (last += 1))
        const answers = late.map((id) => leader.ask(id, id % 2 === 0 ? { write: id } : { read: id }))
        leader.child.kill('SIGCONT')
        await exit
        for (const answer of await Promise.all(answers))
          if (answer !== null && !('failed' in answer)) stale.push(JSON.stringify(answer).slice(0, 100))
      }
      await progress()
      gaps.push(performance.now() - began)
    }
    isOver = true
    await Promise.all(writing)
    expect(stale).toEqual([])

    // The follower to the end of the log, then both to rest.
    const leader = await leaderNow()
    const follower = other(leader)
    await vi.waitFor(
      async () => {
        const { nodes } = await readStatus({ url: cluster.url, workspace, key })
        expect(nodes.find(({ node }) => node === follower.node)?.rowsBehind).toBe(0)
      },
      { timeout: 30_000, interval: 100 },
    )
    await pause(leaseMs)
    await follower.stop()
    await leader.stop()
    await expectWhole('a', acknowledged)
    await expectWhole('b', acknowledged)
    expect(hashFile(fileOf('a')).sha256).toBe(hashFile(fileOf('b')).sha256)
    expect(acknowledged.length).toBeGreaterThan(rounds * 30)
    const sorted = gaps.toSorted((a, b) => a - b)
    process.stderr.write(
      `hub: ${acknowledged.length} writes over ${rounds} rounds, gap p50 ${Math.round(sorted[Math.floor(rounds / 2)]!)} ms, longest ${Math.round(sorted.at(-1)!)} ms, handed over in ${Math.round(Math.max(...handOvers))} ms at most\n`,
    )
  })
})

async function expectWhole(name: string, acknowledged: readonly number[]): Promise<void> {
  const connection = openReader(fileOf(name))
  try {
    const ids = new Set(connection.prepare('SELECT id FROM item').pluck().all() as number[])
    expect({ name, lost: acknowledged.filter((id) => !ids.has(id)) }).toEqual({ name, lost: [] })
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(readPosition(connection)!.seq).toBeGreaterThan(0)
  } finally {
    connection.close()
  }
}
