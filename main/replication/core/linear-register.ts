// A register whose entries were put one behind the other, by however many machines: what a record is while nobody edits it
// at the same time as somebody else. It is read, edited and merged as lists of entries, without integrating anything into
// a Y.Doc; the bytes are the ones Yjs would make. Everything else is left to `record-doc.ts`.
import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'
import { decodeState } from './inspect-update.ts'
import type { DecodedUpdate } from './inspect-update.ts'
import { isEntryOf, isRegisterEntry, newEntries, REGISTER_ROOT } from './register.ts'
import type { Hlc, Json } from './types.ts'

/** Neighbours of one client with rising clocks: all there, or all gone. */
interface Run {
  readonly client: number
  readonly clock: number
  readonly length: number
  /** Null: they were removed. */
  readonly entries: readonly unknown[] | null
}

/** A register in the order of its entries. A value: what changes it makes another one. */
export interface LinearRegister {
  readonly runs: readonly Run[]
  /** The next clock of each client. */
  readonly next: ReadonlyMap<number, number>
}

/** A register nothing was ever written into. */
export const emptyRegister: LinearRegister = { runs: [], next: new Map() }

/** What a change made of a register. */
export interface ChangedRegister {
  readonly register: LinearRegister
  /** Keys of entries that came or went. */
  readonly changedKeys: ReadonlySet<string>
  /** Whether anything came or went, entries that cannot be read included. */
  readonly isChanged: boolean
}

type Ranges = ReadonlyMap<number, readonly { readonly clock: number; readonly len: number }[]>

/**
 * Reads a stored document.
 * @returns null for one in which entries stand beside each other, or anything else is: load it
 * @throws DocError `damaged_state`
 */
export function readLinear(state: Uint8Array): LinearRegister | null {
  return mergeLinear(emptyRegister, decodeState(state))?.register ?? null
}

/** What is in a register, in its order: what {@link liveEntries} gives for a document. */
export function entriesIn({ runs }: LinearRegister): unknown[] {
  const entries: unknown[] = []
  for (const run of runs) if (run.entries !== null) entries.push(...run.entries)
  return entries
}

/** Writes values, as {@link setEntries} does into a document. @throws TypeError for a value that is not JSON */
export function setLinear(
  register: LinearRegister,
  patch: Readonly<Record<string, Json>>,
  { hlc, inc }: { readonly hlc: Hlc; readonly inc: number },
): LinearRegister {
  const entries = newEntries(patch, hlc, inc)
  if (entries.length === 0) return register
  const clock = register.next.get(inc) ?? 0
  const runs = withoutKeys(register, new Set(Object.keys(patch)))
  runs.push({ client: inc, clock, length: entries.length, entries })
  return { runs: joined(runs), next: new Map(register.next).set(inc, clock + entries.length) }
}

/** Removes every entry of some keys, as {@link removeEntries} does from a document. */
export function removeLinear(register: LinearRegister, keys: Iterable<string>): LinearRegister {
  const runs = withoutKeys(register, new Set(keys))
  const isSame = runs.length === register.runs.length && runs.every((run, index) => run === register.runs[index])
  return isSame ? register : { ...register, runs: joined(runs) }
}

function withoutKeys({ runs }: LinearRegister, keys: ReadonlySet<string>): Run[] {
  return runs.flatMap((run) => withoutWhere(run, (entry) => isEntryOf(entry, keys)))
}

/** The whole document. */
export function encodeLinear(register: LinearRegister): Uint8Array {
  return encode(register, emptyRegister)
}

/** What an edit added to a register, for others. */
export function encodeChange(before: LinearRegister, after: LinearRegister): Uint8Array {
  return encode(after, before)
}

/**
 * Merges an update that goes on where the register ends and removes what is in it: its structs are put behind the register,
 * each behind the last one.
 * @returns null for every other update: merge it into a document
 */
export function mergeLinear(register: LinearRegister, { structs, ds }: DecodedUpdate): ChangedRegister | null {
  const next = new Map(register.next)
  const runs = [...register.runs]
  const byOrigin = new Map<string, Y.Item>()
  for (const struct of structs) {
    if (!(struct instanceof Y.Item) || struct.rightOrigin !== null || struct.parentSub !== null) return null
    const { origin } = struct
    // An update that was only decoded has the name of a root where an integrated one has the root.
    if (origin === null && (struct.parent as unknown) !== REGISTER_ROOT) return null
    const key = origin === null ? '' : `${origin.client} ${origin.clock}`
    if (byOrigin.has(key)) return null
    byOrigin.set(key, struct)
  }
  const firstNew = runs.length
  for (let left = byOrigin.size; left > 0; left -= 1) {
    const last = runs.at(-1)
    const struct = byOrigin.get(last === undefined ? '' : `${last.client} ${last.clock + last.length - 1}`)
    if (struct === undefined) return null
    const { client, clock } = struct.id
    if (clock !== (next.get(client) ?? 0)) return null
    const { content } = struct
    if (content instanceof Y.ContentAny) runs.push({ client, clock, length: struct.length, entries: content.arr })
    else if (content instanceof Y.ContentDeleted) runs.push({ client, clock, length: struct.length, entries: null })
    else return null
    next.set(client, clock + struct.length)
  }
  for (const [client, ranges] of ds.clients)
    // Nothing removed is said by no version: Yjs judges it.
    if (ranges.some(({ clock, len }) => len === 0 || clock + len > (next.get(client) ?? 0))) return null
  const changedKeys = new Set<string>()
  let isChanged = structs.length > 0
  const note = (entry: unknown): void => {
    isChanged = true
    if (isRegisterEntry(entry)) changedKeys.add(entry[0])
  }
  const left: Run[] = []
  for (const [index, run] of runs.entries()) {
    const parts = withoutRanges(run, ds.clients, index < firstNew ? note : undefined)
    left.push(...parts)
    if (index >= firstNew) for (const part of parts) part.entries?.forEach(note)
  }
  return { register: { runs: joined(left), next }, changedKeys, isChanged }
}

/** A run without the entries that are meant. */
function withoutWhere(run: Run, isMeant: (entry: unknown, clock: number) => boolean): Run[] {
  const { client, clock, entries } = run
  if (entries === null) return [run]
  const parts: Run[] = []
  let from = 0
  let isGone = false
  const close = (to: number): void => {
    if (to === from) return
    const part = { client, clock: clock + from, length: to - from }
    parts.push({ ...part, entries: isGone ? null : entries.slice(from, to) })
    from = to
  }
  for (const [index, entry] of entries.entries()) {
    const isNext = isMeant(entry, clock + index)
    if (isNext === isGone) continue
    close(index)
    isGone = isNext
  }
  if (from === 0 && !isGone) return [run]
  close(entries.length)
  return parts
}

function withoutRanges(run: Run, removed: Ranges, note?: (entry: unknown) => void): Run[] {
  const ranges = removed.get(run.client)
  if (ranges === undefined || run.entries === null) return [run]
  const near = ranges.filter(({ clock, len }) => clock < run.clock + run.length && clock + len > run.clock)
  if (near.length === 0) return [run]
  return withoutWhere(run, (entry, at) => {
    const isGone = near.some(({ clock, len }) => at >= clock && at < clock + len)
    if (isGone) note?.(entry)
    return isGone
  })
}

/** Neighbours that are one run. */
function joined(runs: readonly Run[]): Run[] {
  const result: Run[] = []
  for (const run of runs) {
    const last = result.at(-1)
    const follows = last?.client === run.client && last.clock + last.length === run.clock
    if (last === undefined || !follows || (last.entries === null) !== (run.entries === null)) {
      result.push(run)
      continue
    }
    const entries = last.entries === null || run.entries === null ? null : [...last.entries, ...run.entries]
    result[result.length - 1] = { ...last, length: last.length + run.length, entries }
  }
  return result
}

interface Placed {
  readonly run: Run
  /** The entry before it. */
  readonly origin: { readonly client: number; readonly clock: number } | null
}

type AnyValue = Parameters<typeof encoding.writeAny>[1]

const hasOrigin = 0x80
const anyContent = 8
const deletedContent = 1

/** One for all: it grows once, and what it holds is copied out of it. */
const encoder = encoding.createEncoder()
encoder.cbuf = new Uint8Array(64 * 1024)

/** What `register` has beyond `known`, as an update of Yjs. */
function encode(register: LinearRegister, known: LinearRegister): Uint8Array {
  encoder.cpos = 0
  encoder.bufs = []
  const byClient = new Map<number, Placed[]>()
  const removed = new Map<number, { clock: number; length: number }[]>()
  const before = removedClocks(known)
  let origin: Placed['origin'] = null
  for (const run of register.runs) {
    const from = known.next.get(run.client) ?? 0
    const end = run.clock + run.length
    if (end > from) {
      const isCut = run.clock < from
      const cut = isCut ? cutBefore(run, from) : run
      const placed = { run: cut, origin: isCut ? { client: run.client, clock: from - 1 } : origin }
      const list = byClient.get(run.client)
      if (list === undefined) byClient.set(run.client, [placed])
      else list.push(placed)
    }
    if (run.entries === null) noteRemoved(removed, run, before.get(run.client) ?? [])
    origin = { client: run.client, clock: end - 1 }
  }
  const clients = [...byClient].sort(([a], [b]) => b - a)
  encoding.writeVarUint(encoder, clients.length)
  for (const [client, placed] of clients) {
    placed.sort((a, b) => a.run.clock - b.run.clock)
    encoding.writeVarUint(encoder, placed.length)
    encoding.writeVarUint(encoder, client)
    encoding.writeVarUint(encoder, placed[0]!.run.clock)
    for (const one of placed) writeRun(one)
  }
  const gone = [...removed].sort(([a], [b]) => b - a)
  encoding.writeVarUint(encoder, gone.length)
  for (const [client, ranges] of gone) {
    ranges.sort((a, b) => a.clock - b.clock)
    const merged: { clock: number; length: number }[] = []
    for (const range of ranges) {
      const last = merged.at(-1)
      if (last !== undefined && last.clock + last.length === range.clock) last.length += range.length
      else merged.push({ ...range })
    }
    encoding.writeVarUint(encoder, client)
    encoding.writeVarUint(encoder, merged.length)
    for (const { clock, length } of merged) {
      encoding.writeVarUint(encoder, clock)
      encoding.writeVarUint(encoder, length)
    }
  }
  return encoding.toUint8Array(encoder)
}

function writeRun({ run, origin }: Placed): void {
  encoding.writeUint8(encoder, (run.entries === null ? deletedContent : anyContent) | (origin === null ? 0 : hasOrigin))
  if (origin === null) {
    encoding.writeVarUint(encoder, 1)
    encoding.writeVarString(encoder, REGISTER_ROOT)
  } else {
    encoding.writeVarUint(encoder, origin.client)
    encoding.writeVarUint(encoder, origin.clock)
  }
  encoding.writeVarUint(encoder, run.length)
  for (const entry of run.entries ?? []) encoding.writeAny(encoder, entry as AnyValue)
}

function cutBefore({ client, clock, length, entries }: Run, from: number): Run {
  const offset = from - clock
  return { client, clock: from, length: length - offset, entries: entries === null ? null : entries.slice(offset) }
}

/** Where a register has nothing any more, by client. */
function removedClocks({ runs }: LinearRegister): Map<number, Run[]> {
  const removed = new Map<number, Run[]>()
  for (const run of runs) {
    if (run.entries !== null) continue
    const list = removed.get(run.client)
    if (list === undefined) removed.set(run.client, [run])
    else list.push(run)
  }
  return removed
}

/** Notes what of a removed run was still there before. */
function noteRemoved(
  removed: Map<number, { clock: number; length: number }[]>,
  { client, clock, length }: Run,
  before: readonly Run[],
): void {
  let list = removed.get(client)
  const add = (from: number, to: number): void => {
    if (to <= from) return
    if (list === undefined) removed.set(client, (list = []))
    list.push({ clock: from, length: to - from })
  }
  let at = clock
  for (const gone of before.toSorted((a, b) => a.clock - b.clock)) {
    if (gone.clock >= clock + length || gone.clock + gone.length <= at) continue
    add(at, Math.min(gone.clock, clock + length))
    at = gone.clock + gone.length
  }
  add(at, clock + length)
}
