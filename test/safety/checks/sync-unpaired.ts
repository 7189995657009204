// A device that was unpaired (S2): what it writes arrives nowhere and what is new reaches it nowhere, directly and through
// the relay, over links from before, over new ones, and in the hands of a third machine.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Frame } from '#main/replication/wire/frames.ts'
import { findFreePort } from '../../support/free-port.ts'
import type { Destination, HostileDevice } from '../../support/hostile-device.ts'
import type { RawPeer } from '../../support/raw-peer.ts'
import { startRelayProcess } from '../../support/relay-process.ts'
import { until } from '../../support/synced-hosts.ts'
import { testUserId } from '../../support/test-identities.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import type { Attacker } from '../sync/attacker.ts'
import { pairAttacker } from '../sync/attacker.ts'
import { people, prepareForbidden } from '../sync/forbidden-writes.ts'
import { hears } from '../sync/hears.ts'
import type { SyncGuard } from '../sync/mutations.ts'
import type { SyncHost } from '../sync/sync-host.ts'
import { startSyncHost } from '../sync/sync-host.ts'

/** How long everything that was sent may take to arrive. */
const arriveMs = 1_500

/** Changes of the device that were applied, and canaries it heard, after it was unpaired. */
async function countAfterUnpairing(context: CheckContext, guard: SyncGuard | null): Promise<number> {
  const host = await startSyncHost(guard)
  const folder = mkdtempSync(join(tmpdir(), 'cairn-unpaired-'))
  const port = await findFreePort()
  const relay = await startRelayProcess(['--data', folder, '--port', String(port)])
  if ('error' in relay) throw new Error(relay.error)
  try {
    const { fingerprint, token } = relay
    const relayUrl = `wss://127.0.0.1:${port}`
    await host.expect('PATCH', '/sync/settings', { relayUrl, relayFingerprint: fingerprint, relayToken: token })
    await prepareForbidden(host)
    const shut = await pairAttacker(host, 'member', testUserId(people.chief))
    const third = await pairAttacker(host, 'member', testUserId(people.chief))
    return await attack(context, host, { shut, third, relay: { fingerprint, port } })
  } finally {
    await host.stop()
    await relay.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Scene {
  readonly shut: Attacker
  readonly third: Attacker
  readonly relay: Destination
}

async function attack(context: CheckContext, host: SyncHost, { shut, third, relay }: Scene): Promise<number> {
  const { device } = shut
  const direct = await shut.enter()
  const throughRelay = await admitted(device, relay)
  const thirdAtRelay = await admitted(third.device, relay)
  // From before, and silent until the device is no longer known.
  const lateAtRelay = await device.dial(relay)
  const before = 'canary before'
  await host.expect('POST', '/data/part', { title: before })
  await until('the device hears of what is new', () => [direct, throughRelay].every((peer) => hears(peer, before)))
  await shut.send([written(host, shut, 'before')])
  const known = device.seq()

  const [late] = await Promise.all([
    device.dial().catch(() => undefined),
    host.expect('DELETE', `/sync/peers/${device.device}`),
  ])
  // In the same moment: what is on its way, and what is new.
  const frames = [...device.write([written(host, shut, 'after, at once')])]
  for (const peer of [direct, throughRelay]) peer.say(...frames)
  const canaries = Array.from({ length: 5 }, (_, index) => `canary after ${index}`)
  for (const title of canaries) await host.expect('POST', '/data/part', { title })
  const links = [direct, throughRelay, lateAtRelay]
  if (late !== undefined) links.push(late)
  for (const peer of links.slice(2)) peer.say(peer.hello(), peer.auth(), ...frames)
  await pause(arriveMs)

  const say = (peer: RawPeer, more: readonly Frame[]): void => {
    links.push(peer)
    peer.say({ kind: 'WANT', inc: hostInc(host), from: 1, to: 1_000_000 }, ...more)
  }
  for (const to of [undefined, relay])
    await device.connect(to).then(
      (peer) => say(peer, frames),
      () => undefined,
    )
  // A third machine brings its log, as it is and as one nobody has seen yet.
  const reborn = device.again()
  const other = reborn.write([written(host, shut, 'after, another log')])
  for (const peer of [await third.enter(), thirdAtRelay]) peer.say(...frames, ...other)
  for (const title of canaries) await host.expect('POST', '/data/part', { title: `${title}, later` })
  await pause(arriveMs)

  const sql = 'SELECT count(*) AS n FROM sync_env WHERE (inc = ? AND seq > ?) OR inc = ?'
  const stored = host.all<{ n: number }>(sql, device.inc, known, reborn.inc)[0]!.n
  const applied = host.all<{ n: number }>("SELECT count(*) AS n FROM o_part WHERE title LIKE 'after,%'")[0]!.n
  const heard = links.reduce((sum, peer) => sum + canaries.filter((canary) => hears(peer, canary)).length, 0)
  const shown = (await host.expect('GET', '/sync/peers')).peers.find(({ id }: { id: string }) => id === device.device)
  const isListed = shown?.state === 'unpaired' ? 0 : 1
  context.log(`${stored} envelopes stored, ${applied} records, ${heard} canaries heard, listed as ${shown?.state}`)
  for (const peer of [...links, thirdAtRelay]) peer.link.close('done')
  return stored + applied + heard + isListed
}

/** A link to the relay, once the host has told it to let the device in. */
function admitted(device: HostileDevice, relay: Destination): Promise<RawPeer> {
  return until('the relay lets the device in', async () => {
    const peer = await device.connect(relay)
    const isIn = await until('the relay answers', () => {
      if (peer.of('HELLO').length > 0) return 'yes'
      return peer.link.ended() === undefined ? undefined : 'no'
    })
    return isIn === 'yes' ? peer : undefined
  })
}

/** A new record of the device. */
function written(host: SyncHost, by: Attacker, title: string) {
  const doc = host.docOf('part', crypto.randomUUID())
  return { doc, author: by.user, update: by.values(doc, { [host.uidOf('part', 'title')]: title }) }
}

const hostInc = (host: SyncHost): number => host.all<{ inc: number }>('SELECT inc FROM sync_workspace')[0]!.inc

defineCheck({
  id: 'S2',
  file: 'sync',
  stage: 3,
  unit: 'changes of an unpaired device taken, and new records it can read, over every way it could try',
  target: 0,
  run: (context) => countAfterUnpairing(context, null),
  twin: (context) => countAfterUnpairing(context, 'unpaired'),
})
