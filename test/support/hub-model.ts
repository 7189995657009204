// Nodes of a hub in virtual time: the program's own followers, leaders, leases and rows over a log and files in memory.
// Calls are slow, lost on the way there or back, or done long after their caller gave up; nodes die, stand still and
// come again; clocks run at rates of their own. Knows no PostgreSQL and no SQLite.
import { createHash } from 'node:crypto'
import { createFollower } from '#main/hub/follower.ts'
import { createLeadership } from '#main/hub/leadership.ts'
import type { Leadership } from '#main/hub/leadership.ts'
import type { HubTime } from '#main/hub/hub-time.ts'
import type { NodeFile, Place } from '#main/hub/node-file.ts'
import { decodePageRow, hashOfRow, noRow } from '#main/hub/page-row.ts'
import type { FileWrites } from '#main/hub/page-row.ts'
import type { PageSet } from '#main/hub/frames.ts'
import type { Position } from '#main/hub/store/position.ts'
import type { Head, HubStore, Snapshot, StoredRow } from '#main/hub/store/hub-store.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { createRandom } from '../safety/random.ts'

/** What is wrong about a world on purpose; absent in the right one. */
export interface WorldMistakes {
  /** Rows of an epoch that is over are stored all the same. */
  readonly noFence?: true
  /** A row that was found stored counts as one that was stored now. */
  readonly foundRenews?: true
}

/** What a schedule came to. */
export interface WorldReport {
  readonly acknowledged: number
  readonly reads: number
  readonly epochs: number
  readonly copies: number
  /** What must never be; empty in the right world. */
  readonly broken: readonly string[]
}

const leaseMs = 1_000
const pageSize = 512
const dataPages = 8
const size = dataPages + 1
const snapshotPart = 1024 * 1024
const log = createLogger({ destination: { write: () => undefined } })

interface Event {
  readonly at: number
  readonly order: number
  readonly owner: ModelNode | null
  readonly call: () => void
  off: boolean
}

/** Events in the order of a clock that only the model moves. */
class Timeline {
  now = 0
  #order = 0
  #events: Event[] = []

  add(delayMs: number, owner: ModelNode | null, call: () => void): Event {
    const event = { at: this.now + Math.max(0, delayMs), order: (this.#order += 1), owner, call, off: false }
    const place = this.#events.findLastIndex((other) => other.at <= event.at) + 1
    this.#events.splice(place, 0, event)
    return event
  }

  /** Runs the events up to a time; those of a node that stands still wait until it goes on. */
  async run(until: number): Promise<void> {
    for (;;) {
      const event = this.#events[0]
      if (event === undefined || event.at > until) break
      this.#events.shift()
      this.now = event.at
      if (event.off || event.owner?.isDead === true) continue
      if (event.owner?.isPaused === true) {
        event.owner.held.push(event)
        continue
      }
      event.call()
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.now = until
  }
}

/** A file in memory that outlives its processes. */
class ModelFile implements NodeFile {
  pages = new Map<number, Buffer>()
  state: 'none' | 'copying' | 'following' | 'leading' = 'none'
  noted: Place | null = null
  copies = 0

  place(): Place | null {
    if (this.state === 'following') return this.noted
    const first = this.pages.get(1)
    if (this.state !== 'leading' || first === undefined) return null
    return { epoch: first.readUInt32BE(0), seq: first.readUInt32BE(4), hash: null }
  }
  apply({ writes }: FileWrites): void {
    for (const { at, bytes } of writes) {
      const number = Math.floor(at / pageSize) + 1
      const page = Buffer.from(this.pages.get(number) ?? Buffer.alloc(pageSize))
      bytes.copy(page, at % pageSize)
      this.pages.set(number, page)
    }
    this.#highest = Math.max(this.#highest, this.pages.get(1)!.readUInt32BE(4))
  }
  /** Told whenever the file is said to be somewhere. */
  check: (seq: number) => void = () => undefined
  /** The last row that was ever applied: one that died notes less than that, and goes through those rows again. */
  #highest = 0
  settle(place: Position & { readonly hash: Buffer }): void {
    if (place.seq >= this.#highest) this.check(place.seq)
    this.state = 'following'
    this.noted = place
  }
  beginCopy(): void {
    this.state = 'copying'
    this.#highest = 0
    this.pages.clear()
    this.copies += 1
  }
  writeCopy(bytes: Buffer, at: number): void {
    for (let done = 0; done < bytes.length; done += pageSize)
      this.pages.set((at + done) / pageSize + 1, Buffer.from(bytes.subarray(done, done + pageSize)))
  }
  bytes(): Buffer {
    return Buffer.concat(Array.from({ length: size }, (_, i) => this.pages.get(i + 1)!))
  }
  digest(): string {
    return createHash('sha256').update(this.bytes()).digest('hex')
  }
  copyTo(): void {
    throw new Error('The model makes snapshots by itself.')
  }
  lead(): void {
    this.state = 'leading'
  }
  keep(): void {
    throw new Error('The log of the model forgets nothing.')
  }
  leave(): void {
    throw new Error('Nodes of the model stay.')
  }
  isKept(): boolean {
    return false
  }
  close(): void {
    // Nothing is open.
  }
  has(id: number): boolean {
    const page = this.pages.get(2 + (id % dataPages))!
    for (let i = 0; i < page.readUInt32BE(0); i += 1) if (page.readUInt32BE(4 + i * 4) === id) return true
    return false
  }
  /** Commits a write with its position. @returns what it changed */
  commit(id: number, position: Position): PageSet {
    const number = 2 + (id % dataPages)
    const page = Buffer.from(this.pages.get(number)!)
    const count = page.readUInt32BE(0)
    page.writeUInt32BE(id, 4 + count * 4)
    page.writeUInt32BE(count + 1, 0)
    const first = Buffer.from(this.pages.get(1)!)
    first.writeUInt32BE(position.epoch, 0)
    first.writeUInt32BE(position.seq, 4)
    this.pages.set(number, page)
    this.pages.set(1, first)
    return {
      pageSize,
      size,
      pages: new Map([
        [1, Buffer.from(first)],
        [number, Buffer.from(page)],
      ]),
    }
  }
}

interface LoggedRow {
  readonly epoch: number
  readonly seq: number
  readonly body: Buffer
  readonly at: number
}

/** The log, one statement after the other. */
class ModelStore {
  epoch = 0
  seq = 0
  leaseUntil = 0
  node: string | null = null
  heir: string | null = null
  rows = new Map<number, LoggedRow>()
  /** The file as the log says it, and its digest after each row. */
  latest = new ModelFile()
  digests = new Map<number, string>()
  base = { seq: 0, epoch: 0, hash: noRow, file: new ModelFile() }

  constructor() {
    for (let page = 1; page <= size; page += 1) {
      this.base.file.pages.set(page, Buffer.alloc(pageSize))
      this.latest.pages.set(page, Buffer.alloc(pageSize))
    }
    this.digests.set(0, this.latest.digest())
  }

  store(row: LoggedRow): void {
    this.rows.set(row.seq, row)
    this.seq = row.seq
    this.latest.apply(decodePageRow(row.body))
    this.digests.set(row.seq, this.latest.digest())
  }

  snapshot(): Snapshot {
    const { seq, epoch, hash, file } = this.base
    return { seq, epoch, hash, digest: file.digest(), parts: 1, madeBy: 'x', verifiedBy: 'y', at: 0, ageMs: 0 }
  }

  /** Moves the snapshot up to the end of the log, and drops the rows before it. */
  trim(): void {
    for (let seq = this.base.seq + 1; seq <= this.seq; seq += 1) {
      const row = this.rows.get(seq)!
      this.base.file.apply(decodePageRow(row.body))
      this.base = { ...this.base, seq, epoch: row.epoch, hash: hashOfRow(row.body) }
      this.rows.delete(seq - 1)
    }
  }
}

/** One process at a time over one file. */
class ModelNode {
  isDead = false
  isPaused = false
  held: Event[] = []
  leader: Leadership | null = null
  readonly name: string
  readonly file: ModelFile

  constructor(name: string, file: ModelFile) {
    this.name = name
    this.file = file
  }
}

/** Runs one schedule. Equal seeds give equal schedules. */
export async function runWorld(seed: number, mistakes: WorldMistakes = {}): Promise<WorldReport> {
  const random = createRandom(seed)
  const between = (low: number, high: number): number => low + random() * (high - low)
  const timeline = new Timeline()
  const store = new ModelStore()
  const broken: string[] = []
  const acknowledged: number[] = []
  let writes = 0
  let reads = 0
  let isStoreAway = false
  let isHealed = false

  const nodes: ModelNode[] = []
  const latest = new Map<string, ModelNode>()

  const call = <T>(owner: ModelNode, work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const fate = isHealed ? 1 : random()
      const lost = new Error('connection lost')
      const isSlow = fate < 0.02
      const there = isSlow ? between(500, 3_000) : between(0.2, 4)
      // Given up long before it is done: what it does then, it does all the same.
      if (isSlow) timeline.add(300, owner, () => reject(lost))
      if (fate > 0.02 && fate < 0.04) {
        timeline.add(between(5, 300), owner, () => reject(lost))
        return
      }
      timeline.add(there, null, () => {
        if (isStoreAway) {
          timeline.add(5, owner, () => reject(lost))
          return
        }
        let answer: T
        try {
          answer = work()
        } catch (error) {
          timeline.add(1, owner, () => reject(error as Error))
          return
        }
        if (fate > 0.04 && fate < 0.07) timeline.add(between(5, 300), owner, () => reject(lost))
        else timeline.add(between(0.2, fate > 0.97 && !isHealed ? 400 : 4), owner, () => resolve(answer))
      })
    })

  const storeOf = (owner: ModelNode): HubStore => ({
    head: () =>
      call(owner, (): Head => {
        const { epoch, seq, node, heir } = store
        return { epoch, seq, node, heir, address: node, leaseLeftMs: store.leaseUntil - timeline.now }
      }),
    append: ({ epoch, seq, body }) =>
      call(owner, () => {
        const isMine = store.epoch === epoch || (mistakes.noFence === true && !store.rows.has(seq))
        if (isMine && store.seq === seq - 1) {
          store.leaseUntil = timeline.now + leaseMs
          store.store({ epoch, seq, body, at: timeline.now })
          return 'stored'
        }
        if (store.rows.get(seq)?.epoch !== epoch) return 'over'
        return mistakes.foundRenews === true ? 'stored' : 'found'
      }),
    renew: (epoch) =>
      call(owner, () => {
        if (store.epoch !== epoch) return false
        store.leaseUntil = timeline.now + leaseMs
        return true
      }),
    take: (epoch, node) =>
      call(owner, () => {
        const isLate = store.leaseUntil < timeline.now - leaseMs
        if (store.epoch !== epoch || store.leaseUntil >= timeline.now) return null
        if (store.heir !== null && store.heir !== node && !isLate) return null
        store.epoch += 1
        store.node = node
        store.heir = null
        store.leaseUntil = timeline.now + leaseMs
        return { epoch: store.epoch, seq: store.seq }
      }),
    handOver: ({ epoch, seq }, heir) =>
      call(owner, () => {
        if (store.epoch !== epoch || store.seq !== seq) return false
        store.heir = heir
        store.leaseUntil = timeline.now - 1
        return true
      }),
    rows: (after) =>
      call(owner, () => {
        const found: StoredRow[] = []
        // The next one that is kept: rows before a snapshot are not.
        const first = [...store.rows.keys()].filter((seq) => seq > after).toSorted((a, b) => a - b)[0]
        for (let seq = first ?? store.seq + 1; seq <= store.seq && found.length < 5; seq += 1)
          found.push(store.rows.get(seq)!)
        return found
      }),
    rowAt: (seq) => call(owner, () => store.rows.get(seq) ?? null),
    snapshots: () => call(owner, () => [store.snapshot()]),
    snapshotPart: (seq) =>
      call(owner, () => {
        if (seq !== store.base.seq) throw new Error('not kept')
        return store.base.file.bytes().subarray(0, snapshotPart)
      }),
    addSnapshotPart: () => Promise.resolve(),
    addSnapshot: () => Promise.resolve(),
    verifySnapshot: () => call(owner, () => undefined),
    trim: () => Promise.resolve(0),
    seen: () => call(owner, () => undefined),
    nodes: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  })

  const timeOf = (owner: ModelNode): HubTime => {
    const rate = between(0.96, 1.04)
    const offset = between(0, 1e6)
    return {
      monotonic: () => timeline.now * rate + offset,
      wall: () => timeline.now * rate + 1e12,
      after: (ms, fn) => {
        const event = timeline.add(ms / rate, owner, fn)
        return () => void (event.off = true)
      },
    }
  }

  const holds = (node: ModelNode): boolean =>
    !node.isDead && !node.isPaused && node.leader?.chain.ended() === undefined && node.leader?.lease.holds() === true

  /** As the write queue does it: the next group is committed once the one before is answered. */
  const work = async (node: ModelNode, leader: Leadership, time: HubTime): Promise<void> => {
    const pause = (ms: number): Promise<void> => new Promise((resolve) => void time.after(ms, resolve))
    await pause(between(1, 150))
    while (leader.chain.ended() === undefined && acknowledged.length < 700 && writes < 880) {
      const ids = Array.from({ length: 1 + Math.floor(between(0, 2)) }, () => (writes += 1))
      for (const id of ids) leader.chain.take(node.file.commit(id, leader.chain.next()))
      if (random() < 0.1) {
        await pause(between(1, 50))
        continue
      }
      try {
        await leader.chain.settled()
        acknowledged.push(...ids)
      } catch {
        // Told to nobody as done.
      }
      await pause(isHealed ? 200 : between(1, 150))
    }
  }

  const start = (name: string, file: ModelFile): void => {
    const node = new ModelNode(name, file)
    nodes.push(node)
    latest.set(name.split('.')[0]!, node)
    const time = timeOf(node)
    const parts = { store: storeOf(node), leaseMs, time }
    const follower = createFollower({ ...parts, file, node: name, address: name, log })
    const die = (reason: Error): void => {
      if (node.isDead) return
      node.isDead = true
      void reason
      timeline.add(between(10, 500), null, () => restart(node))
    }
    void follower.follow().then(
      (taken) => {
        if (taken === null) return
        node.leader = createLeadership({ ...parts, log, taken, patienceMs: 2_000, idleMs: 100, onEnd: die })
        void work(node, node.leader, time)
      },
      (error: unknown) => {
        if (!node.isDead) broken.push(`${name} stopped: ${String(error)}`)
      },
    )
  }

  const restart = (old: ModelNode): void => {
    const [name, life] = old.name.split('.')
    if (latest.get(name!) !== old) return
    start(`${name!}.${Number(life) + 1}`, old.file)
  }

  for (const name of ['a', 'b', 'c']) {
    const file = new ModelFile()
    // A follower has the bytes of the log, wherever it is.
    file.check = (seq) => {
      if (file.digest() !== store.digests.get(seq)) broken.push(`${name} has another file than the log at row ${seq}`)
    }
    start(`${name}.1`, file)
  }

  const disturb = async (): Promise<void> => {
    const living = [...latest.values()].filter((node) => !node.isDead)
    const node = living[Math.floor(random() * living.length)]
    const leader = living.find((one) => one.leader !== null)
    const kind = random()
    if (kind < 0.25 && node !== undefined) {
      const victim = random() < 0.6 ? (leader ?? node) : node
      victim.isDead = true
      timeline.add(between(10, 3_000), null, () => restart(victim))
    } else if (kind < 0.6 && node !== undefined) {
      const victim = random() < 0.7 ? (leader ?? node) : node
      victim.isPaused = true
      // Half of them about as long as the lease: the old leader comes back as others take.
      const standMs = random() < 0.5 ? between(0.9 * leaseMs, 1.3 * leaseMs) : between(100, 3 * leaseMs)
      timeline.add(standMs, null, () => {
        victim.isPaused = false
        for (const event of victim.held.splice(0)) timeline.add(0, victim, event.call)
      })
    } else if (kind < 0.7) {
      isStoreAway = true
      timeline.add(between(50, 2_500), null, () => void (isStoreAway = false))
    } else if (kind < 0.8) store.trim()
    else if (kind < 0.9 && leader?.leader && node !== undefined && node !== leader)
      void leader.leader.handOver(node.name).catch(() => undefined)
    await timeline.run(timeline.now + between(50, 1_200))
  }

  /** Whoever answers a read has everything that anybody was told is kept. */
  const read = (): void => {
    for (const node of latest.values()) {
      if (!holds(node)) continue
      reads += 1
      const missing = acknowledged.filter((id) => !node.file.has(id))
      if (missing.length > 0)
        broken.push(`${node.name} answered at ${Math.round(timeline.now)} without ${missing.length} writes`)
    }
  }
  const reading = (): void => {
    read()
    timeline.add(between(5, 60), null, reading)
  }
  reading()

  for (let i = 0; i < 25 && broken.length === 0; i += 1) await disturb()
  isHealed = true
  isStoreAway = false
  for (const node of latest.values()) {
    node.isPaused = false
    for (const event of node.held.splice(0)) timeline.add(0, node, event.call)
  }
  await timeline.run(timeline.now + 8 * leaseMs)

  const leaders = [...latest.values()].filter(holds)
  if (leaders.length !== 1) broken.push(`${leaders.length} nodes lead in the end`)
  const lost = acknowledged.filter((id) => leaders.length === 1 && !leaders[0]!.file.has(id))
  if (lost.length > 0) broken.push(`${lost.length} acknowledged writes are lost`)
  const last = leaders[0]?.leader?.chain.stored().seq
  if (last !== undefined && last > store.seq) broken.push('the leader believes in rows that are not in the log')
  for (const id of acknowledged) if (!store.latest.has(id)) broken.push(`write ${id} is not in the log`)
  for (const node of nodes) node.isDead = true
  const copies = [...latest.values()].reduce((sum, node) => sum + node.file.copies, 0)
  return { acknowledged: acknowledged.length, reads, epochs: store.epoch, copies, broken }
}
