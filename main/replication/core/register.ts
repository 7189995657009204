// The multi-value register: scalars of a document as entries of one Y.Array. An edit removes what it has seen and adds
// its own entry; what was made meanwhile elsewhere stays beside it. Knows nothing of fields or records.
import type * as Y from 'yjs'
import { canonicalCbor, compareBytes } from './canonical-cbor.ts'
import { compareHlc, isHlc, laterHlc, ZERO_HLC } from './hlc.ts'
import { isJson, packValue, unpackValue } from './json-value.ts'
import type { Hlc, Json, RegisterEntry, RegisterValue } from './types.ts'

/** Name of the Y.Array that holds the entries. */
export const REGISTER_ROOT = 'f'

/** A register by key, in the order of its entries in the document, which is the same everywhere. */
export type Register = ReadonlyMap<string, RegisterValue>

const MAX_INC = 2 ** 32 - 1
const NO_LOSERS: readonly RegisterEntry[] = []

/**
 * Writes values: for each key, every entry that is visible here gives way to the new one.
 * @param hlc a stamp greater than every one in the document
 * @throws TypeError for a value that is not JSON; nothing is written then
 * @source sync.md section 4
 */
export function setEntries(doc: Y.Doc, patch: Readonly<Record<string, Json>>, hlc: Hlc, inc: number): void {
  const entries = newEntries(patch, hlc, inc)
  if (entries.length === 0) return
  doc.transact(() => {
    removeEntries(doc, Object.keys(patch))
    doc.getArray<unknown>(REGISTER_ROOT).push(entries)
  })
}

/** The entries that writing values makes. @throws TypeError for a value that is not JSON */
export function newEntries(patch: Readonly<Record<string, Json>>, hlc: Hlc, inc: number): RegisterEntry[] {
  return Object.entries(patch).map(([key, value]) => [key, packValue(value), hlc.ms, hlc.ctr, inc])
}

/**
 * Removes every entry of some keys that is visible here and puts none in its place; what was written of them meanwhile
 * elsewhere stays.
 */
export function removeEntries(doc: Y.Doc, keys: Iterable<string>): void {
  const meant = new Set(keys)
  doc.transact(() => {
    const array = doc.getArray<unknown>(REGISTER_ROOT)
    const current = array.toArray()
    // Neighbours go in one step, from the end, so that positions stay true.
    let end = -1
    for (let i = current.length - 1; i >= -1; i--) {
      const isMeant = i >= 0 && isEntryOf(current[i], meant)
      if (isMeant && end < 0) end = i + 1
      if (!isMeant && end >= 0) {
        array.delete(i + 1, end - i - 1)
        end = -1
      }
    }
  })
}

/** Reads a register. Entries that are none are passed over; {@link invalidEntries} has them. */
export function readRegister(doc: Y.Doc): Register {
  return registerOf(liveEntries(doc))
}

/** The register that live entries make, wherever they were read. */
export function registerOf(entries: Iterable<unknown>): Register {
  const register = new Map<string, RegisterValue>()
  for (const entry of entries) {
    if (!isRegisterEntry(entry)) continue
    const read = unpackEntry(entry)
    const known = register.get(read[0])
    register.set(read[0], known === undefined ? { winner: read, losers: NO_LOSERS } : withEntry(known, read))
  }
  return register
}

/** The object that counts of a key, such as who deleted a record and when; null for anything else, and for no register. */
export function markAt(register: Register | undefined, key: string): Readonly<Record<string, Json>> | null {
  return objectIn(register?.get(key)?.winner[1])
}

/** A value that is an object, no list; null for anything else. */
export function objectIn(value: unknown): Readonly<Record<string, Json>> | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, Json>>) : null
}

/** What is in the register and is no entry: of a newer version or of a hostile peer. It stays in the document. */
export function invalidEntries(doc: Y.Doc): readonly unknown[] {
  return liveEntries(doc).filter((entry) => !isRegisterEntry(entry))
}

/** Everything in the register's array, as it is stored. */
export function liveEntries(doc: Y.Doc): readonly unknown[] {
  return doc.getArray<unknown>(REGISTER_ROOT).toArray()
}

/** Whether something read from a document is an entry of a register. */
export function isRegisterEntry(value: unknown): value is RegisterEntry {
  if (!Array.isArray(value) || value.length !== 5) return false
  const [key, stored, ms, ctr, inc] = value as unknown[]
  return typeof key === 'string' && key !== '' && isHlc(ms, ctr) && isIncarnation(inc) && isJson(stored)
}

/**
 * Orders entries of one key: by stamp, then by incarnation, then by value, which only decides after an incarnation was
 * used twice. The greatest wins.
 */
export function compareEntries(a: RegisterEntry, b: RegisterEntry): number {
  return (
    compareHlc(hlcOf(a), hlcOf(b)) ||
    a[4] - b[4] ||
    compareBytes(canonicalCbor(a[1] ?? null), canonicalCbor(b[1] ?? null))
  )
}

/** The greatest stamp in a register: what the next edit has to be later than. */
export function registerHlc(register: Register): Hlc {
  let greatest = ZERO_HLC
  for (const { winner } of register.values()) greatest = laterHlc(greatest, hlcOf(winner))
  return greatest
}

/** The stamp of an entry. */
export function hlcOf(entry: RegisterEntry): Hlc {
  return { ms: entry[2], ctr: entry[3] }
}

function withEntry({ winner, losers }: RegisterValue, entry: RegisterEntry): RegisterValue {
  const [first, ...rest] = [winner, ...losers, entry].sort((a, b) => compareEntries(b, a))
  return { winner: first!, losers: rest }
}

/** Whether something read from a document is an entry of one of some keys. */
export function isEntryOf(entry: unknown, keys: ReadonlySet<string>): boolean {
  return Array.isArray(entry) && keys.has(entry[0] as string) && isRegisterEntry(entry)
}

function unpackEntry(entry: RegisterEntry): RegisterEntry {
  const value = unpackValue(entry[1])
  return value === entry[1] ? entry : [entry[0], value, entry[2], entry[3], entry[4]]
}

function isIncarnation(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_INC
}
