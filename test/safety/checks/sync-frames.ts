// Frames that are none (S6): to the place where other machines connect, and to a relay. Lengths that are negative or huge,
// frames that end in the middle or in the middle of each other, in the frames of the WebSocket and in those of sync. The
// processes go on and let in who says what is right.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { findFreePort } from '../../support/free-port.ts'
import type { Destination } from '../../support/hostile-device.ts'
import { startRelayProcess } from '../../support/relay-process.ts'
import { until } from '../../support/synced-hosts.ts'
import { testUserId } from '../../support/test-identities.ts'
import { createRandom } from '../random.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import type { Attacker } from '../sync/attacker.ts'
import { pairAttacker } from '../sync/attacker.ts'
import { people, prepareForbidden } from '../sync/forbidden-writes.ts'
import { interleave, mutateBytes, mutateLength } from '../sync/mutate.ts'
import type { SyncGuard } from '../sync/mutations.ts'
import { openRawWire, opcodes, socketFrame } from '../sync/raw-wire.ts'
import type { RawWire } from '../sync/raw-wire.ts'
import type { SyncHost } from '../sync/sync-host.ts'
import { startSyncHost } from '../sync/sync-host.ts'

/** The most frames of one connection: a machine that sends more than twenty bad ones is shut out. */
const perConnection = 24
/** How long a process may not answer. */
const hangMs = 30_000

/** What is attacked. */
interface Victim {
  readonly name: string
  readonly place: Destination
  /** Lets the device in again, whatever it did. */
  readonly forgive: () => Promise<void>
  readonly isAlive: () => boolean
}

/** Processes that ended, or do not answer any more. */
async function countExits(context: CheckContext, guard: SyncGuard | null): Promise<number> {
  const wanted = { commit: guard === null ? 600 : 500, nightly: 5_000, release: 50_000 }[context.size]
  const host = await startSyncHost(guard)
  const folder = mkdtempSync(join(tmpdir(), 'cairn-frames-'))
  const port = await findFreePort()
  const relay = await startRelayProcess(['--data', folder, '--port', String(port)])
  if ('error' in relay) throw new Error(relay.error)
  try {
    const { fingerprint, token } = relay
    const relayUrl = `wss://127.0.0.1:${port}`
    await host.expect('PATCH', '/sync/settings', { relayUrl, relayFingerprint: fingerprint, relayToken: token })
    await prepareForbidden(host)
    const attacker = await pairAttacker(host, 'member', testUserId(people.chief))
    const { device } = attacker
    const greetsAt = async (place: Destination): Promise<boolean> => {
      const peer = await device.connect(place)
      const isIn = await until('an answer', () => peer.of('HELLO').length > 0 || peer.link.ended() !== undefined)
      peer.link.close('done')
      return isIn && peer.of('HELLO').length > 0
    }
    const relayPlace = { fingerprint, port }
    await until('the relay knows the device', () => greetsAt(relayPlace))
    const victims: Victim[] = [
      {
        name: 'the host',
        place: await placeOf(host),
        // Whether it answers is counted at the end.
        forgive: () =>
          host.expect('POST', `/sync/peers/${device.device}/reconnect`).then(
            () => undefined,
            () => undefined,
          ),
        isAlive: host.isAlive,
      },
      { name: 'the relay', place: relayPlace, forgive: async () => undefined, isAlive: () => isRunning(relay.pid) },
    ]
    let violations = 0
    for (const victim of victims) {
      const { name, place, forgive, isAlive } = victim
      const failure = await attack(context, { victim, attacker, wanted: wanted / victims.length }).catch(
        (error: unknown) => String(error),
      )
      if (failure !== undefined) context.log(`${name}: ${failure}`)
      await forgive()
      if (failure === undefined && isAlive() && (await until(name, () => greetsAt(place), hangMs).catch(() => false)))
        continue
      violations += 1
      context.log(`${name} ${isAlive() ? 'does not answer' : 'has ended'}`)
    }
    return violations
  } finally {
    await host.stop()
    await relay.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Sends so many frames that the other end could read; what went wrong, if anything did. */
async function attack(
  context: CheckContext,
  { victim, attacker, wanted }: { readonly victim: Victim; readonly attacker: Attacker; readonly wanted: number },
): Promise<string | undefined> {
  const random = createRandom(context.seed)
  const { device } = attacker
  const good = goodFrames(attacker)
  let [sent, connections, refusals] = [0, 0, 0]
  while (sent < wanted) {
    if (!victim.isAlive()) return `ended after ${sent} frames`
    if (connections % 10 === 0) await victim.forgive()
    const wire = await openRawWire(victim.place.port, device.keys.channel).catch(() => undefined)
    if (wire === undefined) {
      // A machine that was shut out is let in again; one that is never let in has been attacked with nothing.
      if ((refusals += 1) > 50) return 'lets nobody in'
      await victim.forgive()
      continue
    }
    refusals = 0
    connections += 1
    // One in ten never says who it is.
    if (connections % 10 !== 0)
      for (const frame of device.greeting(wire.secret)) await wire.write(socketFrame(encodeFrame(frame)))
    for (let count = 0; count < perConnection && wire.isOpen() && sent < wanted; count += 1) {
      await wire.write(badMessage(good, random))
      sent += 1
      if (count % 4 === 3) await new Promise((resolve) => setImmediate(resolve))
    }
    if (wire.isOpen()) sent += await endBadly(wire, connections, random)
    wire.end()
    if (connections % 100 === 0) context.log(`${victim.name}: ${sent} frames over ${connections} connections`)
  }
  context.log(`${victim.name}: ${sent} frames over ${connections} connections`)
  return undefined
}

/** Frames of all kinds, as they would be right. */
function goodFrames({ device }: Attacker): readonly Uint8Array[] {
  const [one, other] = [device.again(), device.again()]
  const doc = 'r/0123456789abcdef/0190f2a4-0000-7000-8000-000000000001'
  const bytes = new Uint8Array(64).fill(7)
  const frames: Frame[] = [
    ...one.write([{ doc, update: bytes }]),
    ...other.write([{ doc, update: bytes.slice(0, 9) }]),
    { kind: 'ENVPART', part: 0, parts: 3, size: 500, bytes },
    { kind: 'ENVPART', part: 2, parts: 3, size: 500, bytes },
    { kind: 'ACK', vector: new Map([[device.inc, 1]]) },
    { kind: 'WANT', inc: device.inc, from: 1, to: 9 },
    { kind: 'DIGEST', vector: new Map([[1, 2]]), buckets: new Uint8Array(8_192) },
    { kind: 'BUCKET', bucket: 3, entries: [] },
    { kind: 'DOCSYNC', doc, step: 1, part: 0, parts: 1, size: 64, bytes },
    { kind: 'DOCSYNC', doc, step: 2, part: 0, parts: 2, size: 99, bytes },
    { kind: 'LIVE', doc, update: bytes },
    { kind: 'BARRIER', id: 5, reply: false },
    { kind: 'ERR', code: 'gap', item: { inc: device.inc, seq: 1 } },
    { kind: 'PING', id: 3 },
    { kind: 'DONE', vector: new Map([[device.inc, 4]]) },
    ...device.greeting(new Uint8Array(32)),
  ]
  return frames.map((frame) => encodeFrame(frame))
}

/** A message of the WebSocket, whole or in parts, with a frame of sync in it that is none. */
function badMessage(good: readonly Uint8Array[], random: () => number): Uint8Array {
  const pick = (): Uint8Array => good[Math.floor(random() * good.length)]!
  const kind = random()
  const bad =
    kind < 0.35
      ? mutateLength(pick(), random)
      : kind < 0.6
        ? mutateBytes(pick(), random)
        : kind < 0.75
          ? pick().slice(0, Math.floor(random() * 20))
          : kind < 0.9
            ? interleave(pick(), pick(), random)
            : new Uint8Array(Math.floor(random() * 300)).map(() => Math.floor(random() * 256))
  if (random() < 0.8) return socketFrame(bad)
  // In three parts, with a question in between.
  const at = Math.floor(random() * bad.length)
  return new Uint8Array([
    ...socketFrame(bad.subarray(0, at), { isLast: false }),
    ...socketFrame(new Uint8Array([1]), { opcode: opcodes.ping }),
    ...socketFrame(bad.subarray(at), { opcode: opcodes.continuation }),
  ])
}

/** Ends a connection with a frame that no client may send; how many were sent. */
async function endBadly(wire: RawWire, number: number, random: () => number): Promise<number> {
  const some = new Uint8Array(40)
  const endings: readonly (() => Uint8Array)[] = [
    // A length of 2^63 and more, which is negative where lengths have a sign; 2^63 - 1; four gigabytes; one byte too many.
    () => socketFrame(some, { length: 2n ** 64n - 1n }),
    () => socketFrame(some, { length: 2n ** 63n - 1n }),
    () => socketFrame(some, { length: 2n ** 32n }),
    () => socketFrame(some, { length: 2n ** 20n + 1n }),
    // Half of a frame, and the end.
    () => socketFrame(some).slice(0, Math.floor(random() * 30)),
    // A message within a message that is not over, and a part of none.
    () => new Uint8Array([...socketFrame(some, { isLast: false }), ...socketFrame(some)]),
    () => socketFrame(some, { opcode: opcodes.continuation }),
    () => socketFrame(some, { opcode: opcodes.text }),
    () => socketFrame(some, { opcode: 11 }),
    () => socketFrame(new Uint8Array(1), { opcode: opcodes.close }),
    () => new Uint8Array(60).map(() => Math.floor(random() * 256)),
  ]
  await wire.write(endings[number % endings.length]!())
  await new Promise((resolve) => setTimeout(resolve, 2))
  return 1
}

async function placeOf(host: SyncHost): Promise<Destination> {
  const { fingerprint } = (await host.expect('GET', '/sync/status')).device
  const [address] = (await host.expect('GET', '/sync/settings')).listening
  return { fingerprint, port: Number(new URL(`tcp://${address}`).port) }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // Nobody has this number.
    return false
  }
}

defineCheck({
  id: 'S6',
  file: 'sync',
  stage: 3,
  unit: 'hosts and relays that ended or do not answer after frames that are none',
  target: 0,
  run: (context) => countExits(context, null),
  twin: (context) => countExits(context, 'frames'),
})
