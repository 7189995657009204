// Schedules of the model: what machines do and what the network does to them, as data that can be shrunk, and how one is
// run to rest. Knows what happens, not what should come of it.
import fc from 'fast-check'
import { seedText, applyTextDiff, readText } from '../../../main/replication/core/text-doc.ts'
import {
  memberPatch,
  partsOf,
  readMembers,
  readSum,
  sumPatch,
} from '../../../main/replication/core/register-patches.ts'
import { Device } from './device.ts'
import type { ModelEnvelope, World } from './device.ts'
import type { Strategy } from './strategies.ts'

/** One step of a schedule. Numbers are taken modulo what there is. */
export type Step =
  | { readonly kind: 'edit'; readonly device: number; readonly record: number; readonly fields: number }
  | {
      readonly kind: 'member'
      readonly device: number
      readonly record: number
      readonly member: number
      readonly on: boolean
    }
  | { readonly kind: 'add'; readonly device: number; readonly record: number; readonly delta: number }
  | { readonly kind: 'delete'; readonly device: number; readonly record: number; readonly on: boolean }
  | {
      readonly kind: 'text'
      readonly device: number
      readonly record: number
      readonly at: number
      readonly remove: boolean
    }
  | {
      readonly kind: 'feed'
      readonly device: number
      readonly record: number
      readonly item: number
      readonly remove: boolean
    }
  | {
      readonly kind: 'send'
      readonly device: number
      readonly to: number
      readonly salt: number
      readonly share: number
    }
  | { readonly kind: 'clock'; readonly device: number; readonly ms: number }
  | { readonly kind: 'backup' | 'restore' | 'upgrade'; readonly device: number }

/** A whole schedule. */
export interface Schedule {
  readonly devices: number
  readonly seed: number
  /** Whether clocks may be wrong. */
  readonly skewed: boolean
  /** Whether all have the records before the first step. */
  readonly together: boolean
  readonly steps: readonly Step[]
}

/** Machines at rest after a schedule. */
export interface Outcome {
  readonly devices: readonly Device[]
  readonly records: readonly string[]
  readonly envelopes: readonly ModelEnvelope[]
  readonly skewed: boolean
  readonly ways: World['ways']
}

/** The records of the model. */
export const RECORDS = ['r/o/1', 'r/o/2']
const START = 1_790_000_000_000
/** Above the basic plane, so that every character is a surrogate pair and most share their first half. */
const FIRST_CHARACTER = 0x20000

const small = fc.nat({ max: 7 })
const on = { device: small, record: small }
const kind = <K extends Step['kind']>(name: K) => fc.constant(name)

/** Arbitrary steps; `restores` makes lost ends of databases common. */
function step(restores: boolean): fc.Arbitrary<Step> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: kind('edit'), ...on, fields: fc.integer({ min: 1, max: 15 }) }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('member'), ...on, member: fc.nat({ max: 3 }), on: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('add'), ...on, delta: fc.integer({ min: -3, max: 9 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('delete'), ...on, on: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ kind: kind('text'), ...on, at: fc.nat({ max: 9 }), remove: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('feed'), ...on, item: fc.nat({ max: 3 }), remove: fc.boolean() }) },
    {
      weight: 10,
      arbitrary: fc.record({
        kind: kind('send'),
        device: small,
        to: small,
        salt: fc.nat(),
        share: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: kind('clock'), device: small, ms: fc.integer({ min: -3_600_000, max: 3_600_000 }) }),
    },
    { weight: restores ? 4 : 1, arbitrary: fc.record({ kind: kind('backup'), device: small }) },
    { weight: restores ? 4 : 1, arbitrary: fc.record({ kind: kind('restore'), device: small }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('upgrade'), device: small }) },
  )
}

/** Arbitrary schedules of two to four machines. */
export function schedules(restores = false): fc.Arbitrary<Schedule> {
  return fc.record({
    devices: fc.integer({ min: 2, max: 4 }),
    seed: fc.nat(),
    skewed: fc.boolean(),
    together: fc.boolean(),
    steps: fc.array(step(restores), { minLength: 10, maxLength: 60, size: 'max' }),
  })
}

/** Runs a schedule, then delivers everything to everybody until nothing moves. */
export function runSchedule(schedule: Schedule, strategy: Strategy): Outcome {
  let incs = 0
  const world: World = {
    time: START,
    ways: { decoded: 0, merged: 0, waited: 0 },
    nextEnvelope: 0,
    freshInc: () => scramble(schedule.seed + (incs += 1) * 7919),
  }
  const devices = Array.from({ length: schedule.devices }, () => new Device(world, strategy))
  const at = (index: number): Device => devices[index % devices.length]!
  RECORDS.forEach((record, i) => {
    at(i).setKeys(record, () => ({ a: `${record} a`, b: `${record} b`, hours: 0 }))
    at(i).edit(
      textOf(record),
      (doc) => void seedText(doc, seedOf(record)),
      () => ({ note: { added: seedOf(record) } }),
    )
  })
  if (schedule.together) {
    settle(devices)
    for (const device of devices) device.backup()
  }
  const made: { value: number } = { value: 0 }
  for (const each of schedule.steps) {
    world.time += 7
    runStep(each, at, schedule, strategy, made)
  }
  settle(devices)
  const envelopes = new Map(devices.flatMap((device) => [...device.stored].map((envelope) => [envelope.id, envelope])))
  return { devices, records: RECORDS, envelopes: [...envelopes.values()], skewed: schedule.skewed, ways: world.ways }
}

/** The text document of a record of the model. */
export function textOf(record: string): string {
  return record.replace(/^r/, 't') + '/x'
}

/** The feed document of a record of the model. */
export function feedOf(record: string): string {
  return record.replace(/^r/, 'f') + '/0'
}

function seedOf(record: string): string {
  return String.fromCodePoint(FIRST_CHARACTER + RECORDS.indexOf(record))
}

function runStep(
  each: Step,
  at: (index: number) => Device,
  schedule: Schedule,
  strategy: Strategy,
  made: { value: number },
): void {
  const device = at(each.device)
  switch (each.kind) {
    case 'send':
      return send(device, at(each.to), each.salt, each.share)
    case 'clock':
      if (schedule.skewed) device.skew = each.ms
      return
    case 'backup':
      return device.backup()
    case 'restore':
      return device.restore()
    case 'upgrade':
      device.known.add('n')
      return
    default:
      return write(each, device, strategy, made)
  }
}

function write(
  each: Extract<Step, { record: number }>,
  device: Device,
  strategy: Strategy,
  made: { value: number },
): void {
  const record = RECORDS[each.record % RECORDS.length]!
  if (!device.has(record)) return
  const unique = (made.value += 1)
  switch (each.kind) {
    case 'edit': {
      const fields = ['a', 'b', 'c', 'n'].filter((field, i) => (each.fields >> i) % 2 === 1 && device.known.has(field))
      if (fields.length > 0) device.setKeys(record, () => Object.fromEntries(fields.map((field) => [field, unique])))
      return
    }
    case 'member':
      return device.setKeys(record, (register) => {
        const parts = partsOf(register, 'tags')
        const member = `m${each.member}`
        const others = (readMembers(parts) ?? []).filter((other) => other !== member)
        return memberPatch(parts, each.on ? [...others, member] : others)
      })
    case 'add': {
      const { delta } = each
      return device.setKeys(
        record,
        (register) => {
          const parts = partsOf(register, 'hours')
          return sumPatch(parts, Number(readSum(parts) ?? 0) + delta, device.inc)
        },
        { grown: delta },
      )
    }
    case 'delete':
      return device.setKeys(record, () => ({ _del: each.on ? { at: unique, by: 'u' } : null }))
    case 'text':
      return writeText(each, device, record, strategy, unique)
    case 'feed':
      return device.setKeys(feedOf(record), () => ({ [`i${each.item}`]: each.remove ? null : { text: unique } }))
  }
}

function writeText(
  each: Extract<Step, { kind: 'text' }>,
  device: Device,
  record: string,
  strategy: Strategy,
  unique: number,
): void {
  const name = textOf(record)
  if (!device.has(name)) {
    if (!strategy.seedsForOthers) return
    device.edit(
      name,
      (doc) => void seedText(doc, seedOf(record)),
      () => ({ note: { added: seedOf(record) } }),
    )
  }
  const characters = [...readText(device.open(name))]
  const index = characters.length === 0 ? 0 : each.at % characters.length
  const added = String.fromCodePoint(FIRST_CHARACTER + RECORDS.length + unique)
  const removed = characters[index]
  const isRemoval = each.remove && removed !== undefined
  const next = isRemoval ? characters.toSpliced(index, 1) : characters.toSpliced(index, 0, added)
  device.edit(
    name,
    (doc) => void applyTextDiff(doc, next.join('')),
    () => ({ note: isRemoval ? { removed } : { added } }),
  )
}

/** Some of what the receiver lacks, in any order, and some of what it has once more; the rest is lost on the way. */
function send(from: Device, to: Device, salt: number, share: number): void {
  const picked = [...from.stored]
    .map((envelope) => ({ envelope, dice: scramble(envelope.id * 31 + salt) }))
    .filter(({ envelope, dice }) => (to.holds(envelope) ? dice % 16 === 0 : dice % 4 < share))
    .toSorted((a, b) => a.dice - b.dice)
  to.receive(picked.map(({ envelope }) => envelope))
}

/** Full exchange until nobody learns anything; each round moves what is known one machine further. */
function settle(devices: readonly Device[]): void {
  for (let round = 0; round < devices.length; round++) {
    for (const from of devices) for (const to of devices) if (from !== to) to.receive([...from.stored])
  }
}

/** A uint32 that depends on every bit of `n`. */
function scramble(n: number): number {
  let hash = n | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return (hash ^ (hash >>> 16)) >>> 0
}
