// Three hosts and a relay as processes of their own, hurt in every way a machine and a network can be while people write
// what they write in the model: nothing acknowledged is lost, and all have what follows from who had seen what.
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFaults } from '../support/cluster-faults.ts'
import type { FaultName } from '../support/cluster-faults.ts'
import { converged } from '../support/cluster-view.ts'
import { bundledEntry } from '../support/host-bundle.ts'
import { copyDatabase, expectCall, startSyncCluster } from '../support/sync-cluster.ts'
import type { ClusterNode, SyncCluster } from '../support/sync-cluster.ts'
import { assertHosts } from '../support/sync-model/host-oracle.ts'
import { writesAtOnce } from '../support/sync-model/host-steps.ts'
import { itemOf, OBJECTS, sums } from '../support/sync-model/objects.ts'
import { ProcessRun } from '../support/sync-model/process-run.ts'
import { isLong, sized } from '../support/test-size.ts'

const first = Number(process.env['CAIRN_SEED'] ?? Date.now() % 1_000_000)
const seeds = Number(process.env['CAIRN_RUNS'] ?? sized(4, 10, 200))
const names = Object.keys(clusterFaults) as FaultName[]
/** The goal is 10 s on a quiet machine; one with other work is given more, and the time is printed. */
const restMs = Number(process.env['CAIRN_CONVERGE_MS'] ?? 60_000)
const entry = bundledEntry('model-host')

/** Rounds on one cluster: what is checked after each is all that was ever written on it. */
const roundsEach = 25

/** A cluster with the objects of the model, and what was written on it. */
interface Rounds {
  readonly cluster: SyncCluster
  readonly run: ProcessRun
  stop(): Promise<void>
}

async function startRounds(): Promise<Rounds> {
  const define = async (founder: ClusterNode): Promise<void> => {
    const { part, item, memo } = OBJECTS
    for (const [name, fields] of Object.entries({ part, item, memo, 'part ': { ...part, ...sums } })) {
      const object = name.trim()
      const body = { type: 'object', name: object, item: itemOf(object, fields) }
      await expectCall(founder, 200, 'PUT', `/meta/object/${object}`, body)
    }
  }
  const cluster = await startSyncCluster(define, { entry })
  await converged(cluster.nodes)
  const run = new ProcessRun(cluster)
  return {
    cluster,
    run,
    async stop() {
      run.close()
      await cluster.stop()
    },
  }
}

let kept: Rounds

beforeAll(async () => {
  kept = await startRounds()
}, 300_000)

afterAll(async () => kept?.stop(), 60_000)

/** The same numbers for the same seed, between 0 and 1. */
function numbersOf(start: number): () => number {
  let state = start | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Does a round for each seed; the message of the error names the seed. */
async function runSeeds({ run }: Rounds, mine: readonly number[]): Promise<void> {
  const longest = { ms: 0, fault: '' }
  for (const seed of mine) {
    const fault = names[seed % names.length]!
    const [steps] = fc.sample(writesAtOnce(), { seed, numRuns: 1 })
    const what = `seed ${seed}, ${fault}`
    try {
      const ms = await run.round(steps!, clusterFaults[fault], numbersOf(seed), restMs)
      assertHosts(run)
      if (ms > longest.ms) Object.assign(longest, { ms, fault })
      if (isLong) console.log(`${what}: ${Math.round(ms)} ms to rest`)
    } catch (error) {
      throw new Error(`${what}: ${(error as Error).message} ${String((error as Error).cause ?? '')}`, { cause: error })
    }
  }
  const { envelopes, conflicts } = assertHosts(run)
  console.log(
    `${mine.length} seeds from ${mine[0]}: ${run.acknowledged} calls answered, ${envelopes} envelopes, conflicts ${JSON.stringify(conflicts)}, ${Math.round(longest.ms)} ms at most (${longest.fault})`,
  )
}

describe('three hosts and a relay', () => {
  it(
    `agree with what they had seen after ${seeds} seeds`,
    async () => {
      const all = Array.from({ length: seeds }, (_, index) => first + index)
      const left = Array.from({ length: Math.ceil(seeds / roundsEach) }, (_, index) =>
        all.slice(index * roundsEach, (index + 1) * roundsEach),
      )
      let acknowledged = 0
      const lane = async (own?: Rounds): Promise<void> => {
        for (let mine = left.shift(); mine !== undefined; mine = left.shift()) {
          const rounds = own ?? (await startRounds())
          try {
            await runSeeds(rounds, mine)
            acknowledged += rounds.run.acknowledged
          } finally {
            if (own === undefined) await rounds.stop()
          }
          own = undefined
        }
      }
      // A round mostly waits for processes to start: two at a time take little longer than one.
      await Promise.all([lane(kept), lane()])
      expect(acknowledged).toBeGreaterThan(10 * seeds)
    },
    isLong ? 200 * 120_000 : 300_000,
  )

  it('get back what a restored database lacks', async () => {
    const { cluster, run } = kept
    const [, , node] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode]
    const older = join(node.dataDir, 'older.db')
    const before = (await node.call('GET', '/sync/status')).body.device.inc
    run.close()
    await node.end('SIGTERM')
    copyDatabase(node.database, older)
    await node.start()
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1)
      ids.push((await expectCall(node, 201, 'POST', '/data/part', { title: `Lost ${index}` })).id)
    await converged(cluster.nodes)
    await node.end('SIGTERM')
    copyDatabase(older, node.database)
    await node.start()
    const { device } = (await node.call('GET', '/sync/status')).body
    expect(device.inc).not.toBe(before)
    await converged(cluster.nodes)
    for (const id of ids) expect((await node.call('GET', `/data/part/${id}`)).status).toBe(200)
    const after = await expectCall(node, 201, 'POST', '/data/part', { title: 'After' })
    await converged(cluster.nodes)
    for (const one of cluster.nodes) expect((await one.call('GET', `/data/part/${after.id}`)).status).toBe(200)
  }, 300_000)
})
