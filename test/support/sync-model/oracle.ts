// What must hold when machines are at rest, worked out from who had seen what, without Yjs. Knows the model's logs and
// compares them with what the machines show.
import { compareHlc } from '../../../main/replication/core/hlc.ts'
import { invalidEntries, readRegister } from '../../../main/replication/core/register.ts'
import { logicalHash } from '../../../main/replication/core/logical-hash.ts'
import { mergeValues } from '../../../main/replication/core/merge-values.ts'
import { readText } from '../../../main/replication/core/text-doc.ts'
import type { RegisterEntry } from '../../../main/replication/core/types.ts'
import type { Device, ModelEnvelope } from './device.ts'
import { feedOf, textOf } from './schedule.ts'
import type { Outcome } from './schedule.ts'

const FIELDS = [
  { uid: 'a', merge: 'latest' },
  { uid: 'b', merge: 'latest' },
  { uid: 'c', merge: 'latest' },
  { uid: 'n', merge: 'latest' },
  { uid: 'tags', merge: 'members' },
  { uid: 'hours', merge: 'sum' },
] as const

/**
 * Checks everything; the message of the error says what was broken.
 * @returns how many keys were written concurrently
 */
export function assertOutcome(outcome: Outcome): number {
  const [first] = outcome.devices
  if (first === undefined) throw new Error('There are no machines.')
  const survivors = outcome.envelopes.filter(({ id }) => first.appliedIds.has(id))
  for (const device of outcome.devices) {
    for (const record of outcome.records) {
      for (const name of [record, textOf(record), feedOf(record)]) {
        same(`hash of ${name}`, hashOf(device, name), hashOf(first, name))
      }
      same(`values of ${record}`, valuesOf(device, record), valuesOf(first, record))
    }
    same('applied envelopes', sorted(device.appliedIds), sorted(first.appliedIds))
    for (const record of outcome.records) {
      assertRegister(device, record, survivors, outcome.skewed)
      assertText(device, record, survivors)
    }
  }
  for (const envelope of outcome.envelopes) assertRank(envelope, outcome.envelopes)
  const registers = outcome.records.flatMap((record) => [...readRegister(first.open(record)).values()])
  return registers.filter(({ losers }) => losers.length > 0).length
}

/** What is alive in a register is exactly what no other write had seen, and the latest of it is shown. */
function assertRegister(device: Device, record: string, survivors: readonly ModelEnvelope[], skewed: boolean): void {
  const writes = survivors.filter(({ doc }) => doc === record)
  const doc = device.open(record)
  const register = readRegister(doc)
  same('entries that are none', invalidEntries(doc), [])
  const expected = aliveByKey(writes)
  same(`keys of ${record}`, sorted(register.keys()), sorted(expected.keys()))
  const shown = device.shown(record)
  const { conflicts } = mergeValues(register, FIELDS)
  for (const [key, alive] of expected) {
    const { winner, losers } = register.get(key)!
    same(`entries of ${key}`, sorted([winner, ...losers].map(stampOf)), sorted(alive.map(stampOfWrite)))
    const [latest] = alive.toSorted((a, b) => (skewed ? compareHlc(b.hlc, a.hlc) || b.inc - a.inc : b.time - a.time))
    same(`winner of ${key}`, stampOf(shown.get(key)!), stampOfWrite(latest!))
    const listed = conflicts.find((conflict) => conflict.winner[0] === key)
    const different = losers.filter((loser) => JSON.stringify(loser[1]) !== JSON.stringify(winner[1]))
    same(`conflicts of ${key}`, (listed?.losers ?? []).map(stampOf), different.map(stampOf))
  }
  const added = writes.reduce((sum, { note }) => sum + (note.delta ?? 0), 0)
  same(`sum of ${record}`, mergeValues(register, FIELDS).values.get('hours') ?? 0, added)
}

function aliveByKey(writes: readonly ModelEnvelope[]): ReadonlyMap<string, readonly ModelEnvelope[]> {
  const keys = new Set(writes.flatMap((write) => write.keys))
  return new Map(
    [...keys].map((key) => {
      const ofKey = writes.filter((write) => write.keys.includes(key))
      return [key, ofKey.filter((write) => !ofKey.some((other) => other.past.has(write.id)))]
    }),
  )
}

/** Every character that was typed is there once, unless somebody removed it. */
function assertText(device: Device, record: string, survivors: readonly ModelEnvelope[]): void {
  const ofText = survivors.filter(({ doc }) => doc === textOf(record))
  const removed = new Set(ofText.map(({ note }) => note.removed))
  const expected = ofText.map(({ note }) => note.added).filter((added) => added !== undefined && !removed.has(added))
  same(`characters of ${record}`, sorted(readText(device.open(textOf(record)))), sorted(expected))
}

/** An edit ranks above everything its author had seen in the document. */
function assertRank(envelope: ModelEnvelope, all: readonly ModelEnvelope[]): void {
  if (envelope.keys.length === 0) return
  for (const other of all) {
    if (other.doc !== envelope.doc || other.keys.length === 0 || !envelope.past.has(other.id)) continue
    if (compareHlc(envelope.hlc, other.hlc) <= 0) throw new Error('An edit ranks below one that its author had seen.')
  }
}

function valuesOf(device: Device, record: string): unknown {
  const { values, deleted } = mergeValues(readRegister(device.open(record)), FIELDS)
  return { values: [...values].toSorted(([a], [b]) => (a < b ? -1 : 1)), deleted }
}

function hashOf(device: Device, name: string): string {
  return Buffer.from(logicalHash(name, device.open(name))).toString('hex')
}

function stampOf([, , ms, ctr, inc]: RegisterEntry): string {
  return `${ms}.${ctr}.${inc}`
}

function stampOfWrite({ hlc, inc }: ModelEnvelope): string {
  return `${hlc.ms}.${hlc.ctr}.${inc}`
}

function sorted<T>(values: Iterable<T>): T[] {
  return [...values].sort()
}

function same(what: string, actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`)
}
