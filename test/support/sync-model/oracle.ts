// What must hold when machines of documents alone are at rest: what holds for hosts of each of their documents, and that each
// machine shows the latest.
import { logicalHash } from '../../../main/replication/core/logical-hash.ts'
import { mergeValues } from '../../../main/replication/core/merge-values.ts'
import { invalidEntries, readRegister } from '../../../main/replication/core/register.ts'
import { readText } from '../../../main/replication/core/text-doc.ts'
import type { Device } from './device.ts'
import { assertRank, assertRegister, assertReplay, assertText } from './oracle-documents.ts'
import { aliveOf, same } from './oracle-marks.ts'
import { feedOf, textOf } from './schedule.ts'
import type { Outcome } from './schedule.ts'
import { hex, stampOf } from './stored-docs.ts'

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
export function assertOutcome({ devices, records, envelopes, skewed }: Outcome): number {
  const first = devices[0]!
  const survivors = envelopes.filter(({ id }) => first.appliedIds.has(id))
  let concurrent = 0
  for (const device of devices) same('applied envelopes', sorted(device.appliedIds), sorted(first.appliedIds))
  for (const name of records.flatMap((record) => [record, textOf(record), feedOf(record)])) {
    const writes = survivors.filter(({ docs }) => docs[0]!.doc === name)
    const expected = hashOf(first, name)
    assertReplay(name, writes, expected)
    assertRank(
      name,
      envelopes.filter(({ docs }) => docs[0]!.doc === name),
    )
    for (const device of devices) same(`hash of ${name}`, hashOf(device, name), expected)
    const doc = first.open(name)
    if (name.startsWith('t/')) {
      assertText(name, writes, readText(doc), [])
      continue
    }
    same('entries that are none', invalidEntries(doc), [])
    const register = readRegister(doc)
    concurrent += assertRegister(name, register, aliveOf(name, writes), skewed)
    for (const device of devices) {
      const shown = [...device.shown(name)].map(([key, entry]) => [key, stampOf(entry)])
      const latest = [...register].map(([key, { winner }]) => [key, stampOf(winner)])
      same(`what is shown of ${name}`, shown, latest)
    }
    if (!name.startsWith('r/')) continue
    const { values, conflicts } = mergeValues(register, FIELDS)
    const added = writes.reduce((sum, { notes }) => sum + (notes[0]!.grown ?? 0), 0)
    same(`sum of ${name}`, values.get('hours') ?? 0, added)
    const listed = conflicts.map(({ winner, losers }) => [winner, ...losers].map(stampOf))
    const different = [...register.values()].flatMap(({ winner, losers }) => {
      const others = losers.filter((loser) => JSON.stringify(loser[1]) !== JSON.stringify(winner[1]))
      return others.length === 0 ? [] : [[winner, ...others].map(stampOf)]
    })
    same(`conflicts of ${name}`, sorted(listed.map(String)), sorted(different.map(String)))
  }
  return concurrent
}

function hashOf(device: Device, name: string): string {
  return hex(logicalHash(name, device.open(name)))
}

function sorted<T>(values: Iterable<T>): T[] {
  return [...values].sort()
}
