// What both sides of a conflict began from, found in the log: each envelope says which entries it replaced, so the way back
// from every side leads to the last entry all of them had seen. Reads the log; stores nothing. A value that cannot be
// found for certain is none.
import * as Y from 'yjs'
import type { Reads } from '#main/kernel/database.ts'
import { compareHlc } from '#main/replication/core/hlc.ts'
import { inspectUpdate } from '#main/replication/core/inspect-update.ts'
import { unpackValue } from '#main/replication/core/json-value.ts'
import { isRegisterEntry } from '#main/replication/core/register.ts'
import { nameOfEntry, readReplaced } from '#main/replication/core/replaced.ts'
import type { EntryName } from '#main/replication/core/replaced.ts'
import type { EnvelopeBody, Json, RegisterEntry } from '#main/replication/core/types.ts'
import { readEnvelope, readIncarnation } from '../store/log-store.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { unpackGenesis } from '../write/genesis-body.ts'

/** A value that stood before; null where it cannot be known. Its own value is null where nothing stood there. */
export type BaseValue = { readonly value: Json } | null

/** The past of documents. */
export type EntryHistory = ReturnType<typeof createEntryHistory>

type Reader = Pick<Reads, 'get'>

/** What an envelope says of one entry. */
interface Written {
  /** Undefined where the envelope removed what stood there and put nothing in its place. */
  readonly value: Json | undefined
  /** What it replaced under the same key. */
  readonly replaced: readonly EntryName[]
}

/** Looks into the log for one conflict; beyond, what stood before is unknown. */
const maxLooks = 200

/** Makes the history over the log as a transaction sees it. */
export function createEntryHistory(read: Reader) {
  const writtenBy = (doc: string, name: EntryName): Written | null => {
    const body = findBody(read, name)
    if (body === undefined) return null
    if (body.kind === 'genesis') {
      const made = unpackGenesis(body.update).find((one) => one.name === doc)
      const entry = made === undefined ? undefined : entryIn(made.update, name)
      return entry === undefined ? null : { value: entry[1], replaced: [] }
    }
    if (body.doc !== doc || compareHlc(body.hlc, name) !== 0) return null
    const replaced = readReplaced(body.facts)
    if (replaced === null) return null
    return {
      value: entryIn(body.update, name)?.[1],
      replaced: replaced.filter(({ key }) => key === name.key),
    }
  }

  /** Goes back from the latest entry on; stops at the first one that is meant. */
  const walk = (
    doc: string,
    sides: readonly EntryName[],
    isMeant: (name: EntryName, reachedBy: number) => boolean,
  ): BaseValue => {
    const open = new Map<string, { readonly name: EntryName; sides: number }>()
    const reach = (name: EntryName, from: number): void => {
      const known = open.get(idOf(name))
      if (known === undefined) open.set(idOf(name), { name, sides: from })
      else known.sides |= from
    }
    for (const [index, name] of sides.entries()) reach(name, 1 << index)
    for (let looks = 0; open.size > 0; looks += 1) {
      if (looks >= maxLooks) return null
      // Whatever builds on an entry has a later stamp, so all of it was seen by now.
      const latest = [...open.values()].toSorted((a, b) => compareNames(b.name, a.name))[0]!
      open.delete(idOf(latest.name))
      const written = attempt(() => writtenBy(doc, latest.name))
      if (written === null) return null
      if (isMeant(latest.name, latest.sides)) return written.value === undefined ? null : { value: written.value }
      for (const name of written.replaced) {
        // A log that says otherwise is not to be trusted.
        if (compareNames(name, latest.name) >= 0) return null
        reach(name, latest.sides)
      }
    }
    return { value: null }
  }

  return {
    /** The last value that the writers of all these entries of one document had seen under a key. */
    commonBase(doc: string, sides: readonly EntryName[]): BaseValue {
      if (sides.length < 2 || sides.length > 30) return null
      const all = (1 << sides.length) - 1
      return walk(doc, sides, (_name, reachedBy) => reachedBy === all)
    },
    /** The last value before an entry that meets a condition. */
    lastBefore: (doc: string, entry: EntryName, isMeant: (name: EntryName) => boolean): BaseValue =>
      walk(doc, [entry], (name) => isMeant(name)),
  }
}

/** The first envelope of an incarnation that is not earlier than an entry: their stamps rise with their numbers. */
function findBody(read: Reader, { inc, ms, ctr }: EntryName): EnvelopeBody | undefined {
  let low = 1
  let high = readIncarnation(read, inc)?.storedSeq ?? 0
  let found: EnvelopeBody | undefined
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const body = bodyAt(read, inc, middle)
    if (body === undefined) return undefined
    if (compareHlc(body.hlc, { ms, ctr }) < 0) low = middle + 1
    else {
      found = body
      high = middle - 1
    }
  }
  return found
}

function bodyAt(read: Reader, inc: number, seq: number): EnvelopeBody | undefined {
  const envelope = readEnvelope(read, inc, seq)
  if (envelope === undefined || envelope.seal !== 0) return undefined
  const body = decodeBody(envelope.body)
  return isOpaque(body) ? undefined : body
}

/** The entry of this name among those an update makes: the last one, where one job wrote it twice. */
function entryIn(update: Uint8Array, name: EntryName): RegisterEntry | undefined {
  let found: RegisterEntry | undefined
  for (const struct of inspectUpdate(update).structs) {
    if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentAny)) continue
    for (const entry of struct.content.arr as readonly unknown[]) {
      if (isRegisterEntry(entry) && idOf(nameOfEntry(entry)) === idOf(name))
        found = [entry[0], unpackValue(entry[1]), entry[2], entry[3], entry[4]]
    }
  }
  return found
}

/** Envelopes that lie aside because they cannot be read tell nothing of the past either. */
function attempt<T>(look: () => T): T | null {
  try {
    return look()
  } catch {
    return null
  }
}

function compareNames(a: EntryName, b: EntryName): number {
  return compareHlc(a, b) || a.inc - b.inc
}

function idOf({ key, ms, ctr, inc }: EntryName): string {
  return JSON.stringify([ms, ctr, inc, key])
}
