// kill -9 while a host applies what another one sends (R1s): no call of the other one is there in half, what was
// acknowledged anywhere is everywhere once the two have met again, and the file is sound.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../support/synced-hosts.ts'
import { compareWithFile, defineLoadObject, startLoad } from '../kill-load.ts'
import type { Journal, KillReport } from '../kill-load.ts'
import { createRandom } from '../random.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import type { SyncGuard } from '../sync/mutations.ts'
import type { SyncHost } from '../sync/sync-host.ts'
import { startSyncHost } from '../sync/sync-host.ts'

const meetMs = 120_000

/** Half calls and damage after each kill, and what is missing anywhere at the end. */
async function countAfterKills(context: CheckContext, guard: SyncGuard | null): Promise<number> {
  const isTwin = guard === 'groups'
  // Whether a kill falls into a group hangs on how busy the machine is: a twin tries until one does.
  const kills = isTwin ? 10 : { commit: 1, nightly: 4, release: 100 }[context.size]
  const random = createRandom(context.seed)
  const founder = await startSyncHost(guard)
  const other = await startSyncHost(guard, 'joins').catch(async (error: unknown) => {
    await founder.stop()
    throw error
  })
  const journal: Journal = new Map()
  let violations = 0
  const judge = (what: string, { lost, half, damaged, acknowledged }: KillReport, isEnd: boolean): void => {
    context.log(
      `${what}: ${acknowledged} acknowledged, ${half} half, ${damaged} damaged${isEnd ? `, ${lost} lost` : ''}`,
    )
    violations += half + damaged + (isEnd ? lost : 0)
  }
  try {
    await defineLoadObject(founder.server())
    await bringIn(founder, other)
    await until('both have the same', async () => (await isEven(founder)) && (await isEven(other)), meetMs)
    for (let kill = 1; kill <= kills && !(isTwin && violations > 0); kill += 1) {
      // More than is applied in half a second comes while it joins again; all that can be written would cost minutes.
      const loads = [startLoad(founder.server(), journal, 4, 15), startLoad(other.server(), journal, 1, 15)]
      // It is killed while it applies: something came, and more is on its way.
      const before = countRows(other)
      await until('something comes', () => countRows(other) > before, meetMs)
      await pause(random() * 400)
      await other.end('SIGKILL')
      await Promise.all(loads.map((load) => load.stop()))
      judge(`kill ${kill}`, compareWithFile(join(other.dataDir, 'cairn.db'), journal), false)
      await other.start()
    }
    await until('both have the same', async () => (await isEven(founder)) && (await isEven(other)), meetMs)
    for (const host of [founder, other]) await host.end('SIGTERM')
    for (const [what, { dataDir }] of [
      ['who wrote', founder],
      ['who was killed', other],
    ] as const)
      judge(what, compareWithFile(join(dataDir, 'cairn.db'), journal), true)
    return violations
  } finally {
    await founder.stop()
    await other.stop()
  }
}

const countRows = (host: SyncHost): number => host.all<{ n: number }>('SELECT count(*) AS n FROM o_kill_note')[0]!.n

/** Brings a host into the workspace of another one. */
async function bringIn(founder: SyncHost, other: SyncHost): Promise<void> {
  const invite = await founder.expect('POST', '/sync/pairing', {})
  const joined = await other.expect('POST', '/sync/pairing/join', { link: invite.link, deviceName: 'Laptop' })
  await founder.expect('POST', `/sync/pairing/${invite.pairingId}/confirm`, { matches: true })
  await other.expect('POST', `/sync/pairing/${joined.pairingId}/confirm`, { matches: true })
  const isDone = async (): Promise<boolean> =>
    (await other.expect('GET', `/sync/pairing/${joined.pairingId}`)).state === 'done'
  await until('the two are paired', isDone, meetMs)
}

async function isEven(host: SyncHost): Promise<boolean> {
  const { state, proof, outgoing, incoming } = await host.expect('GET', '/sync/status')
  return state === 'up_to_date' && proof !== undefined && outgoing.waiting === 0 && incoming.remaining === 0
}

defineCheck({
  id: 'R1s',
  file: 'sync-faults',
  stage: 3,
  unit: 'calls halved, acknowledged writes lost and damaged files after kill -9 while changes of another host are applied',
  target: 0,
  // A call is one envelope where it makes records, and a group of envelopes where it does not.
  // Both mostly wait for the host that was killed to start.
  run: async (context) => {
    const counts = await Promise.all([countAfterKills(context, null), countAfterKills(context, 'packs')])
    return counts[0] + counts[1]
  },
  twin: (context) => countAfterKills(context, 'groups'),
})
