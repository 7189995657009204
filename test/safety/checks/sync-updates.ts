// Updates that are none (S5): envelopes whose signatures are right and whose updates are broken in every way bytes can be.
// The host goes on, what it lays aside changes nothing, and its memory stays where it was.
import { randomUUID } from 'node:crypto'
import { testUserId } from '../../support/test-identities.ts'
import { createRandom } from '../random.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import type { Attacker } from '../sync/attacker.ts'
import { pairAttacker } from '../sync/attacker.ts'
import { people, prepareForbidden } from '../sync/forbidden-writes.ts'
import { mutateBytes } from '../sync/mutate.ts'
import type { SyncGuard } from '../sync/mutations.ts'
import type { SyncHost } from '../sync/sync-host.ts'
import { startSyncHost } from '../sync/sync-host.ts'

/** Documents of each kind that are written to. */
const perKind = 100
const heapBoundBytes = 20 * 1024 * 1024
/** What is counted no further. */
const enough = 10
/** No batch takes so long that people would notice. */
const hangMs = 30_000

interface Target {
  readonly doc: string
  readonly kind: 'update' | 'text' | 'feed'
  /** A change of it that is right. */
  write(): Uint8Array
}

/** Crashes, hangs, documents changed by updates that were laid aside, and a heap that grows. */
async function countBroken(context: CheckContext, guard: SyncGuard | null): Promise<number> {
  const wanted = { commit: 600, nightly: 3_000, release: 30_000 }[context.size]
  const random = createRandom(context.seed)
  const host = await startSyncHost(guard)
  try {
    await prepareForbidden(host)
    const attacker = await pairAttacker(host, 'member', testUserId(people.chief))
    const targets = await makeTargets(host, attacker)
    let [sent, aside, violations, before] = [0, 0, 0, 0]
    while (sent < wanted) {
      if (before === 0 && sent >= wanted / 20) before = await host.heap()
      const batch = targets.map(({ doc, kind, write }) => ({ doc, kind, update: mutateBytes(write(), random) }))
      const earlier = batch.map(({ doc }) => countAside(host, attacker, doc))
      const states = batch.map(({ doc }) => imageOf(host, doc))
      const first = attacker.device.seq() + 1
      const failure = await attacker.send(batch, hangMs).then(
        () => undefined,
        (error: unknown) => error,
      )
      sent += batch.length
      if (failure !== undefined || !host.isAlive()) {
        context.log(host.isAlive() ? `hangs: ${String(failure)}` : 'the host has ended')
        return violations + 1
      }
      for (const [index, { doc }] of batch.entries()) {
        if (attacker.problem(first + index) === undefined) continue
        aside += 1
        if (imageOf(host, doc) === states[index]) continue
        // What had waited may have found its place meanwhile.
        if (countAside(host, attacker, doc) <= earlier[index]!) continue
        violations += 1
        context.log(`changed by an update that lies aside: ${doc}`)
      }
      if (violations >= enough) return violations
      if (sent % 10_000 < batch.length) context.log(`${sent} sent, ${aside} aside`)
    }
    const grownBytes = (await host.heap()) - before
    context.log(`${sent} updates, ${aside} aside, heap ${(grownBytes / 1024 / 1024).toFixed(1)} MB more`)
    if (aside < sent / 2) throw new Error('Most updates were taken: they were not broken.')
    if (grownBytes >= heapBoundBytes) violations += 1
    if ((await host.call('POST', '/data/part', { title: 'Still here' })).status !== 201) violations += 1
    return violations
  } finally {
    await host.stop()
  }
}

async function makeTargets(host: SyncHost, attacker: Attacker): Promise<readonly Target[]> {
  const targets: Target[] = []
  let turn = 0
  for (let count = 0; count < perKind; count += 1) {
    const { id } = await host.expect('POST', '/data/part', { title: 'Part', notes: 'A text of some length.' })
    const doc = host.docOf('part', id)
    const text = host.docOf('part', id, 'notes')
    const feed = `${doc.replace(/^r/, 'f')}/0`
    const [title, price] = [host.uidOf('part', 'title'), host.uidOf('part', 'price')]
    await host.expect('POST', `/data/part/${id}/feed`, { body: 'A word.' }).catch(() => undefined)
    targets.push(
      { doc, kind: 'update', write: () => attacker.values(doc, { [title]: `Turn ${(turn += 1)}`, [price]: turn }) },
      { doc: text, kind: 'text', write: () => attacker.text(text, `Turn ${(turn += 1)} of a text of some length.`) },
      { doc: feed, kind: 'feed', write: () => attacker.values(feed, { [randomUUID()]: { type: 'comment', turn } }) },
    )
  }
  return targets
}

/** A document as it is stored, and what is shown of it. */
function imageOf(host: SyncHost, doc: string): string {
  const state = host.stateOf(doc)
  const shown = doc.startsWith('f/') ? [] : host.all(doc.startsWith('t/') ? ofText : ofRecord, doc.split('/')[2])
  return `${state === null ? '' : Buffer.from(state).toString('base64')} ${JSON.stringify(shown)}`
}

const ofRecord = 'SELECT title, price, deleted_at FROM o_part WHERE id = ?'
const ofText = 'SELECT notes FROM o_part WHERE id = ?'

const countAside = (host: SyncHost, { device }: Attacker, doc: string): number =>
  host.all<{ n: number }>('SELECT count(*) AS n FROM sync_problem WHERE inc = ? AND doc = ?', device.inc, doc)[0]!.n

defineCheck({
  id: 'S5',
  file: 'sync',
  stage: 3,
  unit: 'crashes, hangs, documents changed by updates that were laid aside, and 20 MB more of heap',
  target: 0,
  run: (context) => countBroken(context, null),
  twin: (context) => countBroken(context, 'scratch'),
})
