// The side that wrote: what another device refused becomes a conflict of this machine's, with what stands there and what
// stands here, and goes when the other one has accepted it.
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { DocName, RefusalName } from '#main/replication/core/doc-names.ts'
import { formatDocName, parseDocName } from '#main/replication/core/doc-names.ts'
import { parseFeedKey } from '#main/replication/core/feed-doc.ts'
import { mergeValues } from '#main/replication/core/merge-values.ts'
import { DELETED_KEY, parseKey } from '#main/replication/core/register-keys.ts'
import type { Register } from '#main/replication/core/register.ts'
import { markAt } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { conflictId, openConflict, readConflict, settleConflict } from '../conflicts/conflict-store.ts'
import type { ConflictDraft } from '../conflicts/conflict-store.ts'
import { fromEntry, parseEntryKey } from '../metadata/entry-keys.ts'
import { readDocument, readTexts } from '../store/doc-store.ts'
import { readEnvelope } from '../store/log-store.ts'
import { PURGED_KEY } from '../write/record-edits.ts'
import { syncedFields } from '../write/synced-fields.ts'
import type { Held, Refusal } from './refusal-doc.ts'
import { targetOf } from './refusal-doc.ts'
import { docsIn } from '../apply/calls.ts'

/** What listing works with. */
export interface RefusedListParts {
  readonly clock: Pick<Clock, 'iso'>
  /** Id of this machine. */
  readonly device: string
  /** The person whose machine this is, as documents name people. */
  author(): string
  schemaOf(uid: string): ObjectSchema | undefined
  /** Whether an incarnation is one of this machine's. */
  isOwn(inc: number): boolean
}

type Reader = Pick<Reads, 'all' | 'get'>

/** What stands in one place and in the other: values by the uid of their field; null where there is no such record. */
interface Sides {
  readonly here: Json
  readonly there: Json
}

/** Lists what a device refused, brings it up to date, or with null ends it. */
export function listRefusal(
  tx: Tx,
  parts: RefusedListParts,
  name: RefusalName,
  refusal: Refusal | null,
  again: string | undefined,
): void {
  const at = parts.clock.iso()
  const doc = formatDocName(name)
  const place = { kind: 'refused' as const, doc, field: '' }
  const known = readConflict(tx, conflictId(place))
  const target = parseDocName(name.target)
  if (target === null || target.kind === 'workspace') return
  if (refusal !== null && !isOwnWrite(tx, parts, name, refusal)) return
  // Whoever has taken back what they wrote has nothing refused, though the other machine may not know yet.
  const sides = refusal === null || isAsThere(tx, refusal) ? null : sidesOf(tx, parts, target, refusal)
  if (refusal === null || sides === null) {
    if (known !== undefined) settleConflict(tx, known.id, { choice: 'elsewhere', by: null, at })
    return
  }
  // What stays on this machine on purpose is not asked for with each edit of it.
  if (known?.resolution?.choice === 'keep' && sides.there === null) return
  const { code, message, closed, tried } = refusal
  const isAsked = again !== undefined && again !== tried
  const said = {
    ...{ code, message, closed, isNew: sides.there === null, mayTakeBack: mayTakeBack(target, refusal) },
    ...(isAsked ? { askedAt: again } : {}),
    ...(tried === undefined ? {} : { triedAt: tried }),
  }
  const draft: ConflictDraft = {
    ...place,
    object: 'record' in target ? target.object : '',
    recordId: 'record' in target ? target.record : '',
    winner: { value: sides.there, actor: '', device: name.by, at: refusal.at, refused: said },
    losers: [{ value: sides.here, actor: parts.author(), device: parts.device, at: refusal.at }],
  }
  openConflict(tx, draft, at)
}

/**
 * Whether what is refused was written by this machine, and is about what the refusal says: no machine makes another one
 * offer to change what nobody here has written to.
 */
export function isOwnWrite(
  read: Reader,
  parts: Pick<RefusedListParts, 'isOwn'>,
  { target }: RefusalName,
  { entries, held }: Refusal,
): boolean {
  const isAbout = ([inc, seq]: readonly [number, number]): boolean => {
    const envelope = parts.isOwn(inc) ? readEnvelope(read, inc, seq) : undefined
    const body = envelope === undefined ? undefined : decodeBody(envelope.body)
    return body !== undefined && !isOpaque(body) && docsIn(body).some(({ name }) => targetOf(name) === target)
  }
  return entries.length > 0 && entries.every(isAbout) && Object.keys(held).every((doc) => targetOf(doc) === target)
}

/** Whether what stands there can be restored here: it is known, and what is new here can be taken away. */
function mayTakeBack(target: DocName, { held, isPart }: Refusal): boolean {
  if (isPart) return false
  if (target.kind === 'record') return true
  const there = held[formatDocName(target)]
  if (typeof there !== 'object' || there === null) return false
  const isNewItem = ([key, value]: [string, Json]): boolean => value === null && parseFeedKey(key)?.kind === 'item'
  return target.kind !== 'feed' || !Object.entries(there).some(isNewItem)
}

/** Whether the documents here say what those there do. */
function isAsThere(read: Reader, { held, isPart }: Refusal): boolean {
  if (isPart) return false
  const names = Object.keys(held)
  return names.length > 0 && names.every((name) => isSame(read, name, held[name]!))
}

function isSame(read: Reader, name: string, there: Held): boolean {
  const stored = readDocument(read, name)
  if (stored === undefined) return there === null
  if (typeof there === 'string') return stored.text === there
  const { register } = stored
  if (there === null) return name.startsWith('t/') ? stored.text === '' : markAt(register, PURGED_KEY) !== null
  return Object.entries(there).every(
    ([key, value]) => canonicalJson(register.get(key)?.winner[1] ?? null) === canonicalJson(value),
  )
}

function sidesOf(read: Reader, parts: RefusedListParts, target: DocName, { held, closed }: Refusal): Sides {
  switch (target.kind) {
    case 'record':
      return recordSides(read, parts, target, { held, closed })
    case 'metadata':
    case 'feed':
      return entrySides(read, target, held[formatDocName(target)])
    default:
      return { here: {}, there: {} }
  }
}

function recordSides(
  read: Reader,
  parts: RefusedListParts,
  target: Extract<DocName, { kind: 'record' }>,
  { held, closed }: Pick<Refusal, 'held' | 'closed'>,
): Sides {
  const schema = parts.schemaOf(target.object)
  const name = formatDocName(target)
  const here = registerAt(read, name)
  const there = held[name]
  const isNew = there === null
  const mine: Record<string, Json> = {}
  const theirs: Record<string, Json> = {}
  const texts = new Map(readTexts(read, target).map(({ field, document }) => [field, document.text]))
  for (const [doc, text] of Object.entries(held)) {
    const field = doc.startsWith('t/') ? doc.slice(doc.lastIndexOf('/') + 1) : undefined
    if (field === undefined) continue
    mine[field] = texts.get(field) ?? null
    theirs[field] = typeof text === 'string' ? text : null
  }
  if (schema !== undefined && there !== undefined && typeof there !== 'string') {
    const { merged } = syncedFields(schema)
    const now = mergeValues(here, merged).values
    const then = mergeValues(withHeld(here, there ?? {}), merged).values
    const isGone = [PURGED_KEY, DELETED_KEY].some((key) => markAt(here, key) !== null)
    const touched = new Set(Object.keys(there ?? {}).map((key) => parseKey(key).uid))
    const shown = isNew || isGone ? new Set([...now.keys(), ...then.keys()]) : touched
    for (const uid of shown) {
      if (uid.startsWith('_')) continue
      mine[uid] = now.get(uid) ?? null
      theirs[uid] = then.get(uid) ?? null
    }
    if (isGone && !isNew) return { here: null, there: theirs }
    // What stands there is not told of a field that may not be read.
    for (const uid of closed) mine[uid] ??= now.get(uid) ?? null
  }
  return { here: mine, there: isNew ? null : theirs }
}

/** Parts of an item of the feed by its id and their names, or properties of a definition. */
function entrySides(read: Reader, target: DocName, there: Held | undefined): Sides {
  const here = registerAt(read, formatDocName(target))
  if (there === undefined || typeof there === 'string') return { here: {}, there: {} }
  const keys = there === null ? [...here.keys()] : Object.keys(there)
  const shown = (value: Json | undefined): Json => (fromEntry(value ?? null) ?? null) as Json
  const label = (key: string): string => (target.kind === 'metadata' ? propertyOf(key) : key)
  const mine = Object.fromEntries(keys.map((key) => [label(key), shown(here.get(key)?.winner[1])]))
  if (there === null) return { here: mine, there: null }
  return { here: mine, there: Object.fromEntries(keys.map((key) => [label(key), shown(there[key])])) }
}

/** A property of a definition in a word; of a field behind the mark of its uid, for which its name is shown. */
function propertyOf(key: string): string {
  const entry = parseEntryKey(key)
  if (entry === null) return key
  const property = entry.key.replace(/^_/, '')
  return 'uid' in entry ? `uid_${entry.uid}.${property}` : property
}

function registerAt(read: Reader, name: string): Register {
  return readDocument(read, name)?.register ?? new Map()
}

/** A register as it would be with what the other machine holds. */
function withHeld(register: Register, held: Readonly<Record<string, Json>>): Register {
  const result = new Map(register)
  for (const [key, value] of Object.entries(held)) {
    if (value === null) result.delete(key)
    else result.set(key, { winner: [key, value, 0, 0, 0], losers: [] })
  }
  return result
}
