// Three devices and a relay through any sequence of writing, connecting, losing the connection with frames on the way,
// commits, restarts and the loss of the relay's file: in the end everybody has everything, once and vouched for.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RelayDevice } from '../../test/support/relay-device.ts'
import { createRelayDevice, testChannel, testWorkspace } from '../../test/support/relay-device.ts'
import type { Head, SealedEnvelope, Vector } from '#main/replication/core/types.ts'
import type { ChainPoint } from '#main/replication/wire/chain.ts'
import { chainStart, verifyRun } from '#main/replication/wire/chain.ts'
import { decodeFrame, encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { packRun } from '#main/replication/wire/pack-run.ts'
import { sayAdmission } from '#main/replication/wire/proofs.ts'
import { hashToken } from './admission.ts'
import type { Relay } from './relay.ts'
import { openRelay } from './relay.ts'
import type { RelaySession } from './relay-session.ts'
import { createRelaySession } from './relay-session.ts'
import { sized } from '../../test/support/test-size.ts'

/** The log of one incarnation as a device keeps it: what a head vouches for, and what waits for one. */
interface Log {
  readonly envelopes: SealedEnvelope[]
  readonly heads: Head[]
  point: ChainPoint
  waiting: SealedEnvelope[]
}

/** A device that keeps everything it gets, and gives a relay whatever that one lacks, its own or not. */
class ModelDevice {
  readonly device: RelayDevice
  readonly logs = new Map<number, Log>()
  readonly #devices: readonly RelayDevice[]
  session: RelaySession | undefined
  toRelay: Uint8Array[] = []
  fromRelay: Uint8Array[] = []
  readonly troubles: string[] = []

  constructor(device: RelayDevice, devices: readonly RelayDevice[]) {
    this.device = device
    this.#devices = devices
  }

  log(inc: number): Log {
    const log = this.logs.get(inc) ?? { envelopes: [], heads: [], point: chainStart(), waiting: [] }
    this.logs.set(inc, log)
    return log
  }

  vector(): Vector {
    return new Map([...this.logs].map(([inc, { envelopes }]) => [inc, envelopes.length]))
  }

  /** Envelopes and their head go apart: a connection can end between them. */
  send(...frames: Frame[]): void {
    for (const frame of frames) {
      const isRun = frame.kind === 'ENV' && frame.head !== undefined && frame.envelopes.length > 1
      const parts: Frame[] = isRun
        ? [
            { kind: 'ENV', envelopes: frame.envelopes.slice(0, -1) },
            { ...frame, envelopes: frame.envelopes.slice(-1) },
          ]
        : [frame]
      this.toRelay.push(...parts.map(encodeFrame))
    }
  }

  write(count: number): void {
    const { envelopes, head } = this.device.write(count)
    this.#accept(envelopes, head)
    if (this.session) this.send(...packRun(envelopes, [head]))
  }

  connect(relay: Relay): void {
    this.session = createRelaySession(relay, {
      channelHash: testChannel,
      send: (frames) => this.fromRelay.push(...frames.map(encodeFrame)),
      close: () => this.disconnect(),
      later: () => this.troubles.push('the rate is not part of this model'),
    })
    this.send(...this.device.greeting({ vector: this.vector() }))
  }

  disconnect(): void {
    this.session?.close()
    this.session = undefined
    this.toRelay = []
    this.fromRelay = []
    for (const log of this.logs.values()) log.waiting = []
  }

  /** Carries so many frames each way; answers whether there were any. */
  carry(count: number): boolean {
    const session = this.session
    if (!session) return false
    const up = this.toRelay.splice(0, count)
    for (const bytes of up) this.fromRelay.push(...session.receive(decodeFrame(bytes)).map(encodeFrame))
    const down = this.fromRelay.splice(0, count)
    for (const bytes of down) this.#take(decodeFrame(bytes))
    return up.length + down.length > 0
  }

  #take(frame: Frame): void {
    if (frame.kind === 'HELLO') this.#fill(frame.vector)
    else if (frame.kind === 'WANT') this.#fill(new Map([...this.vector(), [frame.inc, frame.from - 1]]))
    else if (frame.kind === 'ERR') this.troubles.push(frame.code)
    else if (frame.kind === 'ENV') {
      for (const envelope of frame.envelopes) {
        const log = this.log(envelope.inc)
        if (envelope.seq > log.envelopes.length) log.waiting.push(envelope)
      }
      if (frame.head && frame.head.seq > this.log(frame.head.inc).envelopes.length) {
        this.#accept(this.log(frame.head.inc).waiting, frame.head)
        this.send({ kind: 'ACK', vector: this.vector() })
      }
    }
  }

  /** Sends what somebody with this vector lacks. */
  #fill(vector: Vector): void {
    for (const [inc, { envelopes, heads }] of this.logs) {
      const run = envelopes.slice(vector.get(inc) ?? 0)
      if (run.length > 0) this.send(...packRun(run, heads))
    }
  }

  #accept(envelopes: readonly SealedEnvelope[], head: Head): void {
    const log = this.log(head.inc)
    const { publicKey } = this.#devices.find(({ inc }) => inc === head.inc)!.keys
    const verdict = verifyRun({ workspace: testWorkspace, before: log.point, envelopes, head, publicKey })
    log.waiting = []
    if (!verdict.ok) return void this.troubles.push(`run: ${verdict.fault}`)
    log.envelopes.push(...envelopes)
    log.heads.push(head)
    log.point = verdict.point
  }
}

type Step =
  | { readonly do: 'write'; readonly who: number; readonly count: number }
  | { readonly do: 'carry'; readonly count: number }
  | { readonly do: 'connect' | 'disconnect'; readonly who: number }
  | { readonly do: 'commit' }
  | { readonly do: 'restart' }
  | { readonly do: 'wipe' }

const who = fc.nat(2)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('write' as const), who, count: fc.integer({ min: 1, max: 9 }) }),
  },
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('carry' as const), count: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('connect' as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('disconnect' as const), who }) },
  { weight: 8, arbitrary: fc.constant({ do: 'commit' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'wipe' as const }) },
)

/** The relay of a model: opened, registered and granted by the first device. */
class ModelRelay {
  readonly #dir = mkdtempSync(join(tmpdir(), 'cairn-relay-model-'))
  readonly #devices: readonly RelayDevice[]
  #generation = 0
  relay: Relay

  constructor(devices: readonly RelayDevice[]) {
    this.#devices = devices
    this.relay = this.#open()
    this.#register()
  }

  restart(isWiped: boolean): void {
    this.relay.close()
    if (isWiped) this.#generation += 1
    this.relay = this.#open()
    if (isWiped) this.#register()
  }

  end(): void {
    this.relay.close()
    rmSync(this.#dir, { recursive: true })
  }

  #open(): Relay {
    return openRelay({
      file: join(this.#dir, `${this.#generation}.db`),
      adminTokenHash: hashToken('secret'),
      version: '1.0.0',
      envelopesPerSecond: 1e9,
      onFailure(error) {
        throw error
      },
    })
  }

  #register(): void {
    const { admission } = this.relay
    const [{ key, signer }] = this.#devices as [RelayDevice]
    const verdict = admission.admit({ ws: testWorkspace, epoch: 1, key, token: 'secret' })
    if (!verdict.ok) throw new Error(verdict.code)
    for (const [index, device] of this.#devices.entries())
      admission.say(
        verdict.workspace,
        sayAdmission('GRANT', { signer, workspace: testWorkspace, key: device.key, at: Date.now() + index }),
      )
  }
}

function play(steps: readonly Step[]): void {
  const devices = [21, 22, 23].map((inc) => createRelayDevice(inc))
  const peers = devices.map((device) => new ModelDevice(device, devices))
  const host = new ModelRelay(devices)
  try {
    for (const peer of peers) peer.connect(host.relay)
    for (const one of steps) {
      if (one.do === 'commit') host.relay.store.commit()
      else if (one.do === 'carry') for (const peer of peers) peer.carry(one.count)
      else if (one.do === 'restart' || one.do === 'wipe') {
        for (const peer of peers) peer.disconnect()
        host.restart(one.do === 'wipe')
      } else {
        const peer = peers[one.who]!
        if (one.do === 'write') peer.write(one.count)
        else if (one.do === 'disconnect') peer.disconnect()
        else if (!peer.session) peer.connect(host.relay)
      }
    }
    for (const peer of peers) if (!peer.session) peer.connect(host.relay)
    for (let isBusy = true; isBusy;) {
      // First: what is not committed yet brings frames when it is.
      host.relay.store.commit()
      isBusy = peers.map((peer) => peer.carry(50)).some(Boolean)
    }
    const written = devices.map(({ inc, log }) => [inc, log.flatMap(({ envelopes }) => envelopes)] as const)
    const expected = new Map(written.filter(([, envelopes]) => envelopes.length > 0))
    for (const peer of peers) {
      expect(peer.troubles).toEqual([])
      for (const [inc, envelopes] of expected) expect([inc, peer.log(inc).envelopes]).toEqual([inc, envelopes])
    }
    const vector = new Map([...expected].map(([inc, envelopes]) => [inc, envelopes.length]))
    expect(host.relay.store.vector(1)).toEqual(vector)
  } finally {
    host.end()
  }
}

it('brings everything to everybody, whatever was lost on the way', { timeout: 300_000 }, () => {
  fc.assert(fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), play), {
    numRuns: sized(12, 500),
  })
})
