// What a written record means for its documents: entries of its register, changes of its long texts. Knows fields and
// documents, no database.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { sameJson } from '#main/replication/core/json-value.ts'
import { mergeValues } from '#main/replication/core/merge-values.ts'
import { convertedTextKey, DELETED_KEY, formerTextKey, parseKey } from '#main/replication/core/register-keys.ts'
import {
  memberPatch,
  partsOf,
  readMembers,
  readSum,
  sumPatch,
  wholePatch,
} from '#main/replication/core/register-patches.ts'
import type { RegisterPatch } from '#main/replication/core/register-patches.ts'
import { hlcOf, markAt } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Edit, EditPlace } from '#main/replication/core/sync-document.ts'
import type { Json } from '#main/replication/core/types.ts'
import { convertedPatch, isUnseenText, markOf, seenSince, seenStamps, seenWith } from './deletion-mark.ts'
import type { Deletion, DeletionMark } from './deletion-mark.ts'
import { syncedFields } from './synced-fields.ts'
import type { SyncedField } from './synced-fields.ts'

/** Who made the record and when. */
export const CREATED_KEY = '_created'
/** Whose it is. */
export const OWNER_KEY = '_owner'
/** Set when it was removed for good. */
export const PURGED_KEY = '_purge'

/** An edit of a document by its name. */
export interface NamedEdit {
  readonly name: DocName
  readonly edit: Edit
}

/** What is known of the fields, by uid, of a record that has documents. */
export interface KnownRecord {
  /** Whether a value that does not fit a field waits for people to decide. */
  isOpen(field: string): boolean
  /** Whether a field was a long text before: what its document says counts no more. */
  hadText(field: string): boolean
  /** Whether a value beside the one of a field waits for people to decide. */
  hasOther(field: string): boolean
  /** The hashes of its long texts, former ones too, by the uid of their field. */
  hashes(): Readonly<Record<string, string>>
  /**
   * Whether the definition was changed on this machine: all that was there was seen. What was written without knowing of the
   * change stays apart from what this machine writes.
   */
  readonly isConverted: boolean
}

/**
 * Everything of a record that has no documents yet; of one that has, what differs.
 * @param known of a record that may have documents
 */
export function newRecordEdits(
  schema: ObjectSchema,
  record: PlatformRecord,
  deleted: Deletion | null = null,
  known?: KnownRecord,
): NamedEdit[] {
  const id = record['id'] as string
  const { scalars, texts } = syncedFields(schema)
  const edits: NamedEdit[] = []
  const textsBefore = known === undefined || texts.length === 0 ? undefined : deleted?.texts?.()
  const changedTexts = new Map<string, SeenBefore>()
  // Before the record: whoever takes it over has its texts by then, and stores one row once.
  for (const field of texts) {
    const value = record[field.name]
    const text = typeof value === 'string' ? value : ''
    if (text === '' && known === undefined) continue
    edits.push({
      name: { kind: 'text', object: schema.uid, record: id, field: field.uid },
      edit(place) {
        const before = place.text.read()
        if (text === '' || !place.text.seed(text)) place.text.change(text)
        if (before !== text) changedTexts.set(field.uid, { text: before, hash: textsBefore?.[field.uid] ?? '' })
      },
    })
  }
  edits.push({
    name: { kind: 'record', object: schema.uid, record: id },
    edit(place) {
      if (!place.isNew) {
        mendRecord(schema, record, { deleted, known, changedTexts }, place)
        return
      }
      const patch: Record<string, Json> = {
        [CREATED_KEY]: { at: record['created_at'] as string, by: record['created_by'] as string },
        [OWNER_KEY]: (record['owner'] as string | null) ?? null,
      }
      for (const { field, merge } of scalars) {
        const value = (record[field.name] ?? null) as Json
        // Nothing is said of nothing, but where a machine would put a default in its place.
        if (value === null && (field.defaultValue ?? null) === null) continue
        if (merge === 'members' && Array.isArray(value))
          Object.assign(patch, memberPatch({ uid: field.uid, base: undefined, parts: new Map() }, value))
        else patch[field.uid] = value
      }
      if (deleted !== null) patch[DELETED_KEY] = markOf(deleted, seenWith(place))
      place.set(patch)
    },
  })
  return edits
}

/** A long text as it was. */
interface SeenBefore {
  readonly text: string
  readonly hash: string
}

interface Mending {
  readonly deleted: Deletion | null
  readonly known: KnownRecord | undefined
  /** Long texts that were written with it, by the uid of their field. */
  readonly changedTexts: ReadonlyMap<string, SeenBefore>
}

/** Writes what a row has and its document has not: it was changed while nothing was recorded. */
function mendRecord(
  schema: ObjectSchema,
  record: PlatformRecord,
  { deleted, known, changedTexts }: Mending,
  place: EditPlace,
): void {
  const { scalars, merged } = syncedFields(schema)
  const register = place.register()
  const { values, strays, deleted: mark } = mergeValues(register, merged)
  const patch: Record<string, Json> = {}
  for (const { field, merge } of scalars) {
    const value = (record[field.name] ?? null) as Json
    const held = values.get(field.uid)
    if (held === undefined && value === null && known?.hadText(field.uid) === true) patch[field.uid] = null
    if (sameJson(value, held ?? null)) continue
    // What a list of another machine became here, where nobody has agreed that members are lost.
    if (known?.isConverted !== true && merge === 'latest' && strays.has(field.uid) && !register.has(field.uid)) continue
    if (value === null && known?.isOpen(field.uid) === true) continue
    Object.assign(patch, valuePatch({ field, merge }, value, place))
  }
  if (known !== undefined) {
    // What a row was made of was seen, also by a machine that only follows the change.
    const written = scalars.flatMap(({ field }) => ((patch[field.uid] ?? null) === null ? [] : [field]))
    const seen = known.isConverted ? schema.fields : written.filter(({ uid }) => !known.hasOther(uid))
    Object.assign(patch, leftPatch(schema, register, seen, known.hashes))
  }
  if (deleted !== null && mark !== null && known !== undefined) {
    const written = new Set(Object.keys(patch).map((key) => parseKey(key).uid))
    Object.assign(patch, convertedPatch(register, mark as DeletionMark, written))
    const texts = changedTexts.size === 0 ? undefined : deleted.texts?.()
    for (const [field, before] of changedTexts) {
      const hash = texts?.[field]
      if (hash === undefined || isUnseenText(register, mark as DeletionMark, { field, ...before })) continue
      patch[convertedTextKey(field)] = hash
    }
  }
  const owner = (record['owner'] as string | null) ?? null
  if (!sameJson(owner, register.get(OWNER_KEY)?.winner[1] ?? null)) patch[OWNER_KEY] = owner
  if ((deleted === null) !== (mark === null))
    patch[DELETED_KEY] = deleted === null ? null : markOf(deleted, seenWith(place))
  place.set(patch)
}

/**
 * Says of fields that were of another kind before that all was seen that stands in the place they left: in the register of
 * a long text, in the text of another field.
 */
export function leftPatch(
  schema: ObjectSchema,
  register: Register,
  fields: readonly Pick<FieldSchema, 'uid'>[],
  hashes: () => Readonly<Record<string, string>>,
): RegisterPatch {
  const texts = new Set(syncedFields(schema).texts.map(({ uid }) => uid))
  const patch: Record<string, Json> = {}
  let known: Readonly<Record<string, string>> | undefined
  for (const { uid } of fields) {
    if (texts.has(uid)) {
      const parts = partsOf(register, uid)
      const isHeld = readSum(parts) !== null || readMembers(parts) !== null
      if (isHeld || (register.get(uid)?.losers.length ?? 0) > 0) Object.assign(patch, wholePatch(parts, null))
      continue
    }
    const hash = (known ??= hashes())[uid]
    if (hash !== undefined && register.get(formerTextKey(uid))?.winner[1] !== hash) patch[formerTextKey(uid)] = hash
  }
  return patch
}

/**
 * What changed of a record that has documents.
 * @param hashes of its long texts as they are stored, by the uid of their field; asked for only where they count
 */
export function changedRecordEdits(
  schema: ObjectSchema,
  id: string,
  changes: Readonly<Record<string, { new: unknown }>>,
  hashes: () => Readonly<Record<string, string>>,
): NamedEdit[] {
  const { scalars, texts } = syncedFields(schema)
  const edits: NamedEdit[] = []
  const changed = scalars.filter(({ field }) => Object.hasOwn(changes, field.name))
  const changedTexts = texts.filter(({ name }) => changes[name] !== undefined)
  const owner = changes['owner']
  if (changed.length > 0 || changedTexts.length > 0 || owner !== undefined) {
    edits.push({
      name: { kind: 'record', object: schema.uid, record: id },
      edit(place) {
        const patch = patchOf(place, changed, changes)
        if (owner !== undefined) patch[OWNER_KEY] = owner.new as Json
        const fields = [...changed.map(({ field }) => field), ...changedTexts]
        place.set({ ...patch, ...leftPatch(schema, place.register(), fields, hashes) })
      },
    })
  }
  for (const field of changedTexts) {
    const change = changes[field.name]!
    edits.push({
      name: { kind: 'text', object: schema.uid, record: id, field: field.uid },
      edit(place) {
        place.text.change(typeof change.new === 'string' ? change.new : '')
        // Whoever writes a text has decided between its beginnings, as with the values of any other field.
        place.text.keep()
      },
    })
  }
  return edits
}

/**
 * A deletion, a restore (null) or a removal for good. Of the latter nothing is left to tell what was seen of it, so that a
 * mark written over another says what that one did; of a deletion everything is there still.
 */
export function markEdit(
  schema: ObjectSchema,
  id: string,
  key: typeof DELETED_KEY | typeof PURGED_KEY,
  mark: Deletion | null,
): NamedEdit {
  return {
    name: { kind: 'record', object: schema.uid, record: id },
    edit(place) {
      const register = place.register()
      const held = key === PURGED_KEY ? register.get(key)?.winner : undefined
      const seen = seenStamps(register)
      if (mark === null || held === undefined) {
        // Whoever deletes it, or brings it back, has seen a removal for good beside which it stands.
        const isBeside = key === DELETED_KEY && (register.get(PURGED_KEY)?.losers.length ?? 0) > 0
        place.set({ [key]: mark === null ? null : markOf(mark, seen), ...(isBeside && { [PURGED_KEY]: null }) })
        return
      }
      const before: DeletionMark = markAt(register, key) ?? {}
      const since = (stamps: DeletionMark['seen'], now: Readonly<Record<string, string>>) =>
        seenSince(stamps, now, hlcOf(held))
      place.set({ [key]: markOf({ ...mark, feed: since(before.feed, mark.feed ?? {}) }, since(before.seen, seen)) })
    },
  }
}

/** Marks a record as removed for good, where its document does not say so yet. */
export function markPurged(place: EditPlace, seen: Pick<Deletion, 'feed' | 'letters'>): void {
  const register = place.register()
  if ((register.get(PURGED_KEY)?.winner[1] ?? null) !== null) return
  const mark = { at: new Date(place.hlc.ms).toISOString(), by: 'system', ...seen }
  place.set({ [PURGED_KEY]: markOf(mark, seenStamps(register)) })
}

function patchOf(
  place: EditPlace,
  changed: readonly SyncedField[],
  changes: Readonly<Record<string, { new: unknown }>>,
): Record<string, Json> {
  const patches = changed.map((one) => valuePatch(one, (changes[one.field.name]!.new ?? null) as Json, place))
  return Object.assign({}, ...patches) as Record<string, Json>
}

/** What writes a value over the one a document has. */
function valuePatch({ field, merge }: SyncedField, value: Json, place: EditPlace): RegisterPatch {
  const { uid } = field
  const register = place.register()
  const parts = partsOf(register, uid)
  const settled = settledParts(register, uid)
  if (merge === 'members') return memberPatch(parts, value === null || Array.isArray(value) ? value : [value], settled)
  if (merge === 'latest') return { ...settled, ...wholePatch(parts, value) }
  return { ...settled, ...sumPatch(parts, value, place.inc) }
}

/** Parts that were written at once: whoever writes the field has seen what it comes to. */
function settledParts(register: Register, uid: string): RegisterPatch {
  const open = [...register].filter(([key, { losers }]) => losers.length > 0 && parseKey(key).uid === uid)
  return Object.fromEntries(open.map(([key, { winner }]) => [key, winner[1]]))
}
