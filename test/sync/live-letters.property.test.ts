// Texts under way on several machines at once, as documents alone: letters typed live are lost, late and out of order,
// rows are written by others between, rooms come and go, machines are killed and windows bring what was lost. In the end all have one text, and every letter that nobody took
// out is in it once.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { editDoc, loadDoc, mergeUpdate } from '#main/replication/core/record-doc.ts'
import { applyLetters, applyTextDiff, readText } from '#main/replication/core/text-doc.ts'
import type { LiveDocument, TextMark } from '#main/plugins/sync/service/text/document.ts'
import { createLiveDocument, fromElsewhere } from '#main/plugins/sync/service/text/document.ts'
import { missingFor, vectorOf } from '#main/plugins/sync/service/text/vectors.ts'
import { sized } from '../support/test-size.ts'

/** What of a text is written into its document when it is stored. */
type LettersOf = (mark: TextMark, own: ReadonlySet<number>) => Uint8Array

const allLetters: LettersOf = (mark) => mark.update

/** The mutant: only what was typed on this machine, without what came from others and lies before it. */
const ownLetters: LettersOf = ({ update }, own) => {
  const { structs } = Y.decodeUpdate(update)
  const others = structs.filter(({ id }) => !own.has(id.client))
  const known = new Map<number, number>()
  for (const { id, length } of others) known.set(id.client, Math.max(known.get(id.client) ?? 0, id.clock + length))
  return Y.diffUpdate(update, Y.encodeStateVector(known))
}

interface Machine {
  committed: Uint8Array | null
  row: string
  live: LiveDocument | undefined
  readonly leased: Set<number>
  /** Those that edit there, with all they have; they outlive a room. */
  readonly windows: Y.Doc[]
  /** Envelopes that have not arrived, by sender. */
  readonly inbox: Uint8Array[][]
  /** Letters on their way. */
  lost: Uint8Array[]
  parked: Uint8Array[]
}

/** A schedule by the numbers of a seed. */
interface Schedule {
  readonly seed: number
  readonly count: number
  readonly steps: number
  /** Whether no letter comes live at all. */
  readonly losesAll: boolean
  /** Whether machines are killed, and windows come back to what is left. */
  readonly kills?: boolean
  readonly lettersOf: LettersOf
}

/** Runs a schedule and looks at what it ends with. */
function run({ seed, count, steps, losesAll, kills = false, lettersOf }: Schedule): void {
  let state = seed
  const pick = (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  let nextId = 1_000
  let nextLetter = 0x4e00
  const inserted = new Set<string>()
  const removed = new Set<string>()
  const machines: Machine[] = Array.from({ length: count }, () => ({
    committed: null,
    row: '',
    live: undefined,
    leased: new Set<number>(),
    windows: [],
    inbox: Array.from({ length: count }, () => []),
    lost: [],
    parked: [],
  }))

  const newLetters = (): string => {
    const letters = Array.from({ length: 1 + pick(3) }, () => String.fromCharCode(nextLetter++)).join('')
    for (const letter of letters) inserted.add(letter)
    return letters
  }

  const open = (machine: Machine): void => {
    const ids = { doc: nextId++, base: nextId++ }
    machine.leased.clear()
    if (!kills) machine.windows.length = 0
    for (const id of [ids.doc, ids.base]) machine.leased.add(id)
    const changed = (update: Uint8Array, origin: unknown): void => {
      if (origin === fromElsewhere) return
      for (const other of machines) if (other !== machine && !losesAll && pick(3) > 0) other.lost.push(update)
    }
    const forged = (): void => expect.unreachable('nobody forged anything')
    const common = { state: () => machine.committed, isOfRoom: (id: number) => machine.leased.has(id), forged }
    machine.live = createLiveDocument(machine.row, ids, changed, common)
  }

  const publish = (machine: Machine, index: number, update: Uint8Array | null): void => {
    if (update === null) return
    for (const other of machines) if (other !== machine) other.inbox[index]!.push(update)
  }

  /** A window comes into the room, with its client id and with what it has and the room does not. */
  const enter = (machine: Machine, window: Y.Doc): void => {
    const live = machine.live!
    const { clientID: clientId } = window
    Y.applyUpdate(window, Y.encodeStateAsUpdate(live.doc, Y.encodeStateVector(window)))
    window.clientID = clientId
    if (machine.leased.has(clientId)) return
    const answer = Y.encodeStateAsUpdate(window, vectorOf(live.doc))
    live.apply(answer, { clientId, isLeased: (id) => machine.leased.has(id) }, 'window')
    machine.leased.add(clientId)
  }

  const crash = (machine: Machine): void => {
    machine.live?.close()
    machine.live = undefined
  }

  const comeBack = (machine: Machine): void => {
    const window = machine.windows[pick(Math.max(1, machine.windows.length))]
    if (window === undefined) return
    if (machine.live === undefined) open(machine)
    enter(machine, window)
  }

  const type = (machine: Machine): void => {
    if (machine.live === undefined) open(machine)
    const live = machine.live!
    const which = pick(2)
    let window = machine.windows[which]
    if (window === undefined) {
      window = new Y.Doc()
      window.clientID = nextId++
      machine.windows.push(window)
    }
    enter(machine, window)
    const id = window.clientID
    const before = Y.encodeStateVector(window)
    const text = window.getText('t')
    const at = pick(text.length + 1)
    if (pick(4) === 0 && at < text.length) {
      for (const letter of text.toJSON().slice(at, at + 2)) removed.add(letter)
      text.delete(at, Math.min(2, text.length - at))
    } else text.insert(at, newLetters())
    live.apply(Y.encodeStateAsUpdate(window, before), { clientId: id }, 'window')
  }

  const store = (machine: Machine, index: number): void => {
    const { live } = machine
    if (live === undefined || !live.isDirty) return
    const mark = live.mark()
    const edited = editDoc(machine.committed, index + 1, (doc) => {
      applyLetters(doc, lettersOf(mark, machine.leased))
      if (readText(doc) !== mark.text) applyTextDiff(doc, mark.text)
    })
    machine.committed = edited.state
    machine.row = mark.text
    publish(machine, index, edited.update)
    live.follow(machine.row, { ...mark, isTaken: true })
  }

  const write = (machine: Machine, index: number): void => {
    const at = pick(machine.row.length + 1)
    const taken = pick(3) === 0 ? machine.row.slice(at, at + 2) : ''
    for (const letter of taken) removed.add(letter)
    const row = machine.row.slice(0, at) + newLetters() + machine.row.slice(at + taken.length)
    const edited = editDoc(machine.committed, index + 1, (doc) => applyTextDiff(doc, row))
    machine.committed = edited.state
    machine.row = row
    publish(machine, index, edited.update)
    machine.live?.follow(row)
  }

  const merge = (machine: Machine, update: Uint8Array): boolean => {
    const merged = mergeUpdate(machine.committed, update, { read: readText })
    if (merged.pending) return false
    machine.committed = merged.state
    machine.row = merged.value!
    machine.live?.follow(machine.row)
    return true
  }

  const receive = (machine: Machine): void => {
    const waiting = machine.inbox.filter((list) => list.length > 0)
    const list = waiting[pick(Math.max(1, waiting.length))]
    if (list === undefined) return
    machine.parked.push(list.shift()!)
    for (let isNew = true; isNew;) {
      const before = machine.parked.length
      machine.parked = machine.parked.filter((update) => !merge(machine, update))
      isNew = machine.parked.length > 0 && machine.parked.length < before
    }
  }

  const hearLive = (machine: Machine): void => {
    const update = machine.lost.splice(pick(Math.max(1, Math.min(3, machine.lost.length))), 1)[0]
    if (update !== undefined) machine.live?.applyLive(update, (id) => machine.leased.has(id))
  }

  const ask = (machine: Machine): void => {
    const other = machines[pick(count)]!
    if (losesAll || other === machine || other.live === undefined || machine.live === undefined) return
    const missing = missingFor(other.live.doc, vectorOf(machine.live.doc))
    if (missing !== null) machine.live.applyLive(missing, (id) => machine.leased.has(id))
  }

  for (let step = 0; step < steps; step += 1) {
    const index = pick(count)
    const machine = machines[index]!
    const kind = pick(kills ? 22 : 20)
    if (kind < 8) type(machine)
    else if (kind < 12) hearLive(machine)
    else if (kind < 14) store(machine, index)
    else if (kind < 17) receive(machine)
    else if (kind === 17) write(machine, index)
    else if (kind === 18) ask(machine)
    else if (kind === 20) crash(machine)
    else if (kind === 21) comeBack(machine)
    else if (machine.live?.isDirty === false && !machine.live.isAhead) {
      machine.live.close()
      machine.live = undefined
    }
  }
  for (const machine of kills ? machines : [])
    for (const window of machine.windows) {
      if (machine.live === undefined) open(machine)
      enter(machine, window)
    }
  const isBusy = (): boolean =>
    machines.some(({ live, inbox }) => live?.isDirty === true || inbox.some((list) => list.length > 0))
  for (let round = 0; isBusy() && round < 1_000; round += 1) {
    for (const [index, machine] of machines.entries()) {
      store(machine, index)
      receive(machine)
    }
  }

  const wanted = [...inserted].filter((letter) => !removed.has(letter)).toSorted()
  for (const machine of machines) {
    expect(machine.parked).toEqual([])
    // Throws for a document that waits for something.
    expect(readText(loadDoc(machine.committed))).toBe(machine.row)
    expect(machine.row).toBe(machines[0]!.row)
    expect([...machine.row].toSorted()).toEqual(wanted)
    if (machine.live !== undefined) {
      expect(machine.live.text()).toBe(machine.row)
      expect(machine.live.doc.store.pendingStructs).toBe(null)
    }
  }
}

/** Runs many schedules. @throws Error naming the first one that does not end as it must */
const schedules = (numRuns: number, lettersOf: LettersOf, more: Partial<Schedule> = {}): void => {
  const property = fc.property(fc.integer({ min: 1, max: 2 ** 31 }), fc.integer({ min: 2, max: 3 }), (seed, count) =>
    run({ seed, count, steps: 120, losesAll: false, lettersOf, ...more }),
  )
  fc.assert(property, { numRuns })
}

describe('texts under way on several machines', () => {
  it('end in one text with every letter once, whatever of the live letters is lost', () => {
    expect(() => schedules(sized(50, 300, 1_000), allLetters)).not.toThrow()
  }, 120_000)

  it('end in one text where a letter comes live after it was taken out for good', () => {
    const schedule = { seed: 157551297, count: 3, steps: 120, losesAll: false, lettersOf: allLetters }
    expect(() => run(schedule)).not.toThrow()
  })

  it('end in one text when no letter comes live', () => {
    expect(() => schedules(sized(25, 150, 500), allLetters, { losesAll: true })).not.toThrow()
  }, 120_000)

  it('end in one text with every letter once when machines are killed and windows bring what they have', () => {
    expect(() => schedules(sized(50, 300, 1_000), allLetters, { kills: true })).not.toThrow()
    expect(() => schedules(sized(25, 150, 500), allLetters, { kills: true, losesAll: true })).not.toThrow()
  }, 120_000)

  it('do not when the stored letters leave out those of others they build on', () => {
    expect(() => schedules(400, ownLetters)).toThrow('Property failed')
  }, 120_000)
})
