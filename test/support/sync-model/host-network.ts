// The network of the model: runs of the log on their way between machines, which may be lost, repeated, overtaken or late,
// and a relay that only keeps what it is given. Knows no documents.
import type { Head, SealedEnvelope, Vector } from '#main/replication/core/types.ts'
import { missingRanges } from '#main/replication/wire/vector-codec.ts'
import type { ModelMachine } from './host-machine.ts'

/** A run on its way. */
export interface Packet {
  readonly envelopes: readonly SealedEnvelope[]
  readonly head: Head
}

interface Link {
  /** What was sent, by incarnation; the other side may not have it. */
  readonly sent: Map<number, number>
  queue: Packet[]
}

interface RelayState {
  readonly logs: ReadonlyMap<number, readonly Packet[]>
}

/** What became of packets, for the figures. */
export interface Traffic {
  delivered: number
  dropped: number
  repeated: number
  gaps: number
  delayed: number
}

/** The network of a schedule. */
export class Network {
  readonly traffic: Traffic = { delivered: 0, dropped: 0, repeated: 0, gaps: 0, delayed: 0 }
  readonly #links = new Map<string, Link>()
  readonly #parted = new Set<string>()
  #relay: RelayState = { logs: new Map() }
  #relayBackup: RelayState = { logs: new Map() }

  /** Sends what the other side was not sent yet and lets some of what is on its way arrive. */
  async flow(from: ModelMachine, to: ModelMachine, salt: number): Promise<void> {
    if (!from.isOn || !to.isOn || this.#parted.has(pairOf(from, to))) return
    const link = this.#link(from, to)
    for (const [inc, last] of from.engine.replica.vector()) {
      const sent = link.sent.get(inc) ?? 0
      if (last > sent) link.queue.push(...runsOf(from, { inc, from: sent + 1, to: last }, salt % 3 === 0 ? 1 : 65_536))
      link.sent.set(inc, Math.max(last, sent))
    }
    const order = link.queue.map((packet, index) => ({ packet, dice: scramble(salt + index * 977) }))
    const isFair = salt % 5 === 0
    if (!isFair) order.sort((a, b) => a.dice - b.dice)
    link.queue = []
    for (const { packet, dice } of order) {
      const fate = isFair ? 7 : dice % 16
      if (fate < 2) this.traffic.dropped += 1
      else if (fate < 7) {
        this.traffic.delayed += 1
        link.queue.push(packet)
      } else {
        await this.#arrive(from, to, packet, link)
        if (fate === 15) {
          this.traffic.repeated += 1
          await this.#arrive(from, to, packet, link)
        }
      }
    }
  }

  /** Gives a machine's log to the relay, or the relay's logs to a machine. */
  async relay(machine: ModelMachine, way: 'push' | 'pull'): Promise<void> {
    if (!machine.isOn) return
    const held = this.#relayVector()
    if (way === 'push') {
      const logs = new Map(this.#relay.logs)
      for (const range of missingRanges(held, machine.engine.replica.vector())) {
        logs.set(range.inc, [...(logs.get(range.inc) ?? []), ...runsOf(machine, range, 65_536)])
      }
      this.#relay = { logs }
      return
    }
    for (const { inc, from } of missingRanges(machine.engine.replica.vector(), held)) {
      for (const packet of this.#relay.logs.get(inc) ?? []) {
        if (packet.head.seq >= from) await deliver(machine, packet, true)
      }
    }
  }

  wipeRelay(): void {
    this.#relay = { logs: new Map() }
  }

  backupRelay(): void {
    this.#relayBackup = this.#relay
  }

  rollBackRelay(): void {
    this.#relay = this.#relayBackup
  }

  part(one: ModelMachine, other: ModelMachine): void {
    this.#parted.add(pairOf(one, other))
  }

  heal(): void {
    this.#parted.clear()
  }

  /** Forgets what is on its way to and from a machine that started anew: its connections are others now. */
  forget(machine: ModelMachine): void {
    for (const key of this.#links.keys()) if (key.split('>').includes(machine.name)) this.#links.delete(key)
  }

  /** Gives everything to everybody. */
  async settle(machines: readonly ModelMachine[]): Promise<void> {
    const first = machines[0]!
    for (let round = 0; round < 10; round += 1) {
      let moved = 0
      for (const other of machines.slice(1)) moved += await giveAll(other, first)
      for (const other of machines.slice(1)) moved += await giveAll(first, other)
      if (moved === 0) return
    }
    throw new Error('The machines do not come to rest: each exchange makes new envelopes.')
  }

  #link(from: ModelMachine, to: ModelMachine): Link {
    const key = `${from.name}>${to.name}`
    let link = this.#links.get(key)
    if (link === undefined) this.#links.set(key, (link = { sent: new Map(), queue: [] }))
    return link
  }

  async #arrive(from: ModelMachine, to: ModelMachine, packet: Packet, link: Link): Promise<void> {
    const gap = await deliver(to, packet, false)
    if (gap === null) this.traffic.delivered += 1
    else {
      this.traffic.gaps += 1
      link.sent.set(packet.head.inc, gap - 1)
    }
  }

  #relayVector(): Vector {
    return new Map([...this.#relay.logs].map(([inc, packets]) => [inc, packets.at(-1)!.head.seq]))
  }
}

/** Resolves when a machine has nothing under way: what came is in its rows, and what follows from it is written. */
export async function quiet({ engine }: ModelMachine): Promise<void> {
  await engine.replica.settled()
  while (engine.state() === 'preparing') {
    await new Promise((resolve) => setImmediate(resolve))
    await engine.replica.settled()
  }
}

async function giveAll(from: ModelMachine, to: ModelMachine): Promise<number> {
  let moved = 0
  await quiet(from)
  for (const range of missingRanges(to.engine.replica.vector(), from.engine.replica.vector())) {
    for (const packet of runsOf(from, range, 65_536)) {
      await deliver(to, packet, true)
      moved += packet.envelopes.length
    }
  }
  await quiet(to)
  return moved
}

/** Reads runs; each range is sent up to its end, or the log is broken. */
function runsOf(from: ModelMachine, range: { inc: number; from: number; to: number }, maxBytes: number): Packet[] {
  const { replica } = from.engine
  const packets: Packet[] = []
  if (range.inc === from.inc) replica.beforeSending(range.to)
  for (let at = range.from; at <= range.to;) {
    const { envelopes, heads } = replica.read({ ...range, from: at }, maxBytes)
    const last = envelopes.at(-1)
    const head = heads.find(({ seq }) => seq === last?.seq)
    if (last === undefined || head === undefined)
      throw new Error(`The log ${range.inc} of ${from.name} cannot be read from ${at} to ${range.to}.`)
    packets.push({ envelopes, head })
    at = last.seq + 1
  }
  return packets
}

/** Answers from where the receiver has to be sent; null when it has stored the run. */
async function deliver(to: ModelMachine, { envelopes, head }: Packet, mustFit: boolean): Promise<number | null> {
  const received = await to.engine.replica.receive(envelopes, head)
  if (received.ok) return null
  if (received.reason === 'gap' && !mustFit) return received.from
  throw new Error(`${to.name} refused a run of ${head.inc} up to ${head.seq}: ${received.reason}.`)
}

function pairOf(one: ModelMachine, other: ModelMachine): string {
  return [one.name, other.name].toSorted().join('-')
}

/** A uint32 that depends on every bit of `n`. */
export function scramble(n: number): number {
  let hash = n | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return (hash ^ (hash >>> 16)) >>> 0
}
