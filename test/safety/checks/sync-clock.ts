// A device whose clock is ten years ahead (S7): it freezes no record, what it wins it wins in the open, and it takes no
// other clock along.
import { DELETED_KEY } from '#main/replication/core/register-keys.ts'
import type { Hlc } from '#main/replication/core/types.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { testUserId } from '../../support/test-identities.ts'
import { until } from '../../support/synced-hosts.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import type { Attacker } from '../sync/attacker.ts'
import { pairAttacker } from '../sync/attacker.ts'
import { people, prepareForbidden } from '../sync/forbidden-writes.ts'
import type { SyncGuard } from '../sync/mutations.ts'
import type { SyncHost } from '../sync/sync-host.ts'
import { startSyncHost } from '../sync/sync-host.ts'

const tenYearsMs = 10 * 365.25 * 86_400_000
const trustedMs = 5 * 60_000
const records = 10

/** Records that stay frozen, edits that win in silence, and times that run ahead. */
async function countFrozen(context: CheckContext, guard: SyncGuard | null): Promise<number> {
  const host = await startSyncHost(guard)
  try {
    await prepareForbidden(host)
    const attacker = await pairAttacker(host, 'member', testUserId(people.chief))
    const liar = await pairAttacker(host, 'member', testUserId(people.chief))
    const scene: Scene = { host, attacker, liar, violations: 0, log: context.log }
    for (let count = 0; count < records; count += 1) {
      await judgeLater(scene)
      await judgeElsewhere(scene)
      await judgeConcurrent(scene)
      await judgeClaim(scene)
    }
    await judgeClock(scene, 'after ten years of stamps')
    // The last thing the machine wrote follows a stamp of the future, and is where its clock begins anew.
    await judgeLater(scene)
    await host.restart()
    await judgeClock(scene, 'after a restart')
    context.log(`${records} records each way, ${scene.violations} violations`)
    return scene.violations
  } finally {
    await host.stop()
  }
}

interface Scene {
  readonly host: SyncHost
  readonly attacker: Attacker
  /** Another device, that says to have seen what nobody has written yet. */
  readonly liar: Attacker
  violations: number
  log(line: string): void
}

const ahead = (): Hlc => ({ ms: Math.floor(Date.now() + tenYearsMs), ctr: 0 })

function expectSame(scene: Scene, what: string, shown: unknown, wanted: unknown): void {
  if (shown === wanted) return
  scene.violations += 1
  scene.log(`${what}: ${String(shown)} instead of ${String(wanted)}`)
}

const newRecord = async ({ host }: Scene): Promise<string> =>
  (await host.expect('POST', '/data/part', { title: 'Before' })).id
const recordOf = async ({ host }: Scene, id: string) => (await host.expect('GET', `/data/part/${id}`)).record
const edit = ({ host }: Scene, id: string, title: string) =>
  host.expect('PATCH', `/data/part/${id}`, { title, expectedVersion: '*' })

/** An update that says a title, as of ten years from now. */
function fromTheFuture({ host, attacker }: Scene, id: string, title: string) {
  const doc = host.docOf('part', id)
  const hlc = ahead()
  return { doc, hlc, update: attacker.values(doc, { [host.uidOf('part', 'title')]: title }, { hlc }) }
}

/** Somebody here edits what came from the future. */
async function judgeLater(scene: Scene): Promise<void> {
  const id = await newRecord(scene)
  await scene.attacker.send([fromTheFuture(scene, id, 'Future')])
  expectSame(scene, 'what came from the future', (await recordOf(scene, id)).title, 'Future')
  await edit(scene, id, 'Here')
  const { title, updated_at: version } = await recordOf(scene, id)
  expectSame(scene, 'an edit here after it', title, 'Here')
  expectSame(scene, 'a version that is not in the future', Date.parse(version) < Date.now() + trustedMs, true)
}

/** Somebody elsewhere, whose clock is right, edits what came from the future. */
async function judgeElsewhere(scene: Scene): Promise<void> {
  const { host, attacker } = scene
  const id = await newRecord(scene)
  await attacker.send([fromTheFuture(scene, id, 'Future')])
  const doc = host.docOf('part', id)
  await attacker.send([{ doc, update: attacker.values(doc, { [host.uidOf('part', 'title')]: 'Elsewhere' }) }])
  expectSame(scene, 'an edit elsewhere after it', (await recordOf(scene, id)).title, 'Elsewhere')
}

/** Somebody here edits without knowing of it: it may win, and both are there to choose from. */
async function judgeConcurrent(scene: Scene): Promise<void> {
  const id = await newRecord(scene)
  const future = fromTheFuture(scene, id, 'Future')
  await edit(scene, id, 'Meanwhile')
  await scene.attacker.send([future])
  const path = `/sync/conflicts?object=part&recordId=${id}`
  const [conflict] = (await scene.host.expect('GET', path)).conflicts
  const sides = conflict === undefined ? [] : [conflict.winner, ...conflict.losers].map(({ value }) => value)
  expectSame(scene, 'both sides of it', sides.toSorted().join(), 'Future,Meanwhile')
  if (conflict === undefined) return
  const loser = conflict.losers.findIndex(({ value }: { value: unknown }) => value === 'Meanwhile')
  const choice = loser < 0 ? { choice: 'winner' } : { choice: 'loser', loser }
  await scene.host.expect('POST', `/sync/conflicts/${conflict.id}/resolve`, choice)
  expectSame(scene, 'what was chosen', (await recordOf(scene, id)).title, 'Meanwhile')
}

/** Somebody here lets a deletion stand that says to have seen what others will write: it is not believed any more. */
async function judgeClaim(scene: Scene): Promise<void> {
  const { host, attacker, liar } = scene
  const id = await newRecord(scene)
  const doc = host.docOf('part', id)
  const title = { [host.uidOf('part', 'title')]: 'Elsewhere' }
  const conflict = async () => (await host.expect('GET', `/sync/conflicts?object=part&recordId=${id}`)).conflicts[0]
  const seen = { [attacker.device.inc]: `${ahead().ms}.0` }
  const mark = { at: new Date().toISOString(), by: liar.user, seen }
  const before = attacker.values(doc, title, { hlc: { ms: Date.now() + 1_000, ctr: 0 } })
  await liar.send([{ doc, update: liar.values(doc, { [DELETED_KEY]: mark }) }])
  const first = await conflict()
  if (first === undefined) throw new Error('A deletion that did not see the record itself is no conflict.')
  await host.expect('POST', `/sync/conflicts/${first.id}/resolve`, { choice: 'delete' })
  await attacker.send([{ doc, update: before }])
  expectSame(scene, 'an edit whose deletion was kept before it came', (await conflict())?.kind, 'delete_edit')
}

/** What this machine writes next has a stamp of now. */
async function judgeClock(scene: Scene, when: string): Promise<void> {
  const { host } = scene
  const { inc } = (await host.expect('GET', '/sync/status')).device
  const last = (): { seq: number; body: Uint8Array } | undefined =>
    host.all<{ seq: number; body: Uint8Array }>(
      'SELECT seq, body FROM sync_env WHERE inc = ? ORDER BY seq DESC LIMIT 1',
      inc,
    )[0]
  const before = last()?.seq ?? 0
  await newRecord(scene)
  const { body } = await until('the record is in the log', () => {
    const found = last()
    return found !== undefined && found.seq > before ? found : undefined
  })
  const decoded = decodeBody(new Uint8Array(body))
  if (isOpaque(decoded)) throw new Error('The host writes what it cannot read.')
  const aheadMs = decoded.hlc.ms - Date.now()
  scene.log(`${when} the clock is ${aheadMs} ms ahead`)
  expectSame(scene, `a clock of now ${when}`, aheadMs < trustedMs, true)
}

defineCheck({
  id: 'S7',
  file: 'sync',
  stage: 3,
  unit: 'records frozen, edits lost in silence and clocks moved more than five minutes by a device ten years ahead',
  target: 0,
  run: (context) => countFrozen(context, null),
  twin: (context) => countFrozen(context, 'clock'),
})
