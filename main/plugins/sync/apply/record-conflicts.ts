// The conflicts a merged record has: what its register says was written at once, and what the row breaks here. Knows
// registers and outcomes; stores nothing.
import type { ObjectSchema } from '#shared/object-schema.ts'
import { isTextual } from '#main/database/schema/retype.ts'
import type { RemoteOutcome } from '#main/plugins/data/api.ts'
import type { BaseValue, EntryHistory } from '../conflicts/base-value.ts'
import type { ConflictDraft, ConflictSide } from '../conflicts/conflict-store.ts'
import { decimalSum } from '#main/replication/core/decimal-sum.ts'
import { compareHlc } from '#main/replication/core/hlc.ts'
import { mergeValues, strayValue } from '#main/replication/core/merge-values.ts'
import type { FieldConflict, MergedValues } from '#main/replication/core/merge-values.ts'
import { DELETED_KEY, formerTextKey, memberOf, parseKey } from '#main/replication/core/register-keys.ts'
import type { Register } from '#main/replication/core/register.ts'
import { hlcOf, markAt, objectIn } from '#main/replication/core/register.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { SyncDocument } from '#main/replication/core/sync-document.ts'
import type { Json, RegisterEntry } from '#main/replication/core/types.ts'
import { isSeen, isUnseenText, unseenEdits } from '../write/deletion-mark.ts'
import type { DeletionMark } from '../write/deletion-mark.ts'
import { unseenRestore } from '../write/comeback.ts'
import { PURGED_KEY } from '../write/record-edits.ts'
import { syncedFields } from '../write/synced-fields.ts'

/** Who wrote under an incarnation. */
export type WriterOf = (inc: number) => { readonly actor: string; readonly device: string }

/** What conflicts are looked for in. */
export interface ConflictScene {
  readonly doc: string
  readonly schema: ObjectSchema
  readonly recordId: string
  readonly register: Register
  readonly merged: MergedValues
  readonly outcome: RemoteOutcome
  readonly writerOf: WriterOf
  readonly history: EntryHistory
  /** Its long texts, former ones too, by the uid of their field; asked for only where they count. */
  texts(): ReadonlyMap<string, SeenText>
  /** Uids of the fields that have a long text, or had one. */
  textFields(): ReadonlySet<string>
}

/** A long text as it is now. */
export interface SeenText {
  readonly text: string
  /** Its logical hash, in hexadecimal digits. */
  readonly hash: string
  /** The incarnation that wrote most of what is there beside whoever deleted the record; undefined where nobody is known. */
  writtenBesides(inc: number): number | undefined
  /** As {@link SyncDocument.beyond}. */
  readonly beyond: SyncDocument['beyond']
}

/** What of it deletions are judged by. */
export type DeletionScene = Omit<ConflictScene, 'merged' | 'outcome'>

/** What of it values are judged by that moved to another document. */
export type MovedScene = Omit<DeletionScene, 'history'>

/** All conflicts of a record by itself, as every machine with the same documents finds them. */
export function conflictsOf(scene: ConflictScene): ConflictDraft[] {
  // Of a record that is removed for good nothing is left to choose between.
  if (markAt(scene.register, PURGED_KEY) !== null) return deleteConflicts(scene)
  return [...writtenConflicts(scene), ...deleteConflicts(scene), ...rowConflicts(scene)]
}

/**
 * What was written into fields at once, or into one that had become another meanwhile; documents alone tell it. One conflict
 * for each field: where both are so, it has the sides of both, and nobody knows what all of them began from.
 */
export function writtenConflicts(scene: Omit<ConflictScene, 'outcome'>): ConflictDraft[] {
  const byField = Map.groupBy([...fieldConflicts(scene), ...movedConflicts(scene)], ({ field }) => field)
  return [...byField.values()].map(([first, ...others]) => {
    if (others.length === 0) return first!
    const { base: _base, ...draft } = first!
    return { ...draft, losers: [first!, ...others].flatMap(({ losers }) => losers) }
  })
}

/** The side an entry stands for. */
export function sideOf(entry: RegisterEntry, writerOf: WriterOf, value: Json = entry[1]): ConflictSide {
  return { value, ...writerOf(entry[4]), at: new Date(entry[2]).toISOString() }
}

function draftOf(
  { doc, schema, recordId }: Pick<ConflictScene, 'doc' | 'schema' | 'recordId'>,
  draft: Pick<ConflictDraft, 'kind' | 'field' | 'winner' | 'losers'>,
  base: BaseValue = null,
): ConflictDraft {
  return { doc, object: schema.uid, recordId, ...draft, ...(base === null ? {} : { base: base.value }) }
}

function fieldConflicts(scene: Omit<ConflictScene, 'outcome'>): ConflictDraft[] {
  const { merged, schema, writerOf } = scene
  const strays = new Set([...merged.strays.values()].flat())
  const byField = new Map<string, FieldConflict[]>()
  for (const conflict of merged.conflicts) {
    // Of owners the later one counts: the history of the record has both, and no field is there to decide.
    if (conflict.uid.startsWith('_')) continue
    // All members are in a text that was made of them.
    if (strays.has(conflict.winner) && isTextual(syncedFields(schema).byUid.get(conflict.uid)!)) continue
    byField.set(conflict.uid, [...(byField.get(conflict.uid) ?? []), conflict])
  }
  return [...byField].map(([uid, conflicts]) => {
    const list = merged.values.get(uid)
    const sides = conflicts.map(({ winner, losers }) => ({
      winner: strays.has(winner)
        ? sideOf(winner, writerOf, strayValue(winner))
        : sideOf(winner, writerOf, partOf(winner) === null ? winner[1] : (list ?? null)),
      losers: losers.map((loser) =>
        sideOf(loser, writerOf, strays.has(loser) ? strayValue(loser) : wholeOf(loser, list ?? null, winner[1])),
      ),
    }))
    const winner = sides.toSorted((a, b) => (a.winner.at < b.winner.at ? 1 : -1))[0]!.winner
    const draft = { kind: 'field' as const, field: uid, winner, losers: sides.flatMap(({ losers }) => losers) }
    const isStray = conflicts.some(({ losers }) => losers.some((loser) => strays.has(loser)))
    return draftOf(scene, draft, isStray ? null : baseOf(scene, conflicts, list ?? null))
  })
}

/**
 * Values of fields that became long texts, or stopped being ones, by somebody who did not know of it: whoever changed the
 * definition has said what of the former place was seen.
 */
export function movedConflicts(scene: MovedScene): ConflictDraft[] {
  const { register, schema, writerOf } = scene
  const { merged, scalars, texts } = syncedFields(schema)
  const { strays } = mergeValues(register, merged)
  const drafts: ConflictDraft[] = []
  const add = (uid: string, winner: ConflictSide, losers: readonly ConflictSide[]): void => {
    const others = losers.filter(({ value }) => value !== winner.value)
    if (others.length > 0) drafts.push(draftOf(scene, { kind: 'field', field: uid, winner, losers: others }))
  }
  const sideOfText = (entry: RegisterEntry): ConflictSide => sideOf(entry, writerOf, textOf(entry[1]))
  const shares = Map.groupBy(sharesIn(register), ([key]) => parseKey(key).uid)
  for (const { uid } of texts) {
    const held = register.get(uid)
    const whole = held === undefined ? [] : [held.winner, ...held.losers]
    const members = (strays.get(uid) ?? []).filter(([, value]) => value === true)
    const written = [...whole.filter(([, value]) => value !== null), ...members, ...(shares.get(uid) ?? [])]
    const text = written.length === 0 ? undefined : scene.texts().get(uid)
    if (text === undefined) {
      // Nobody has written the long text yet: it says what the field held, of which there may be several.
      if (held !== undefined && held.losers.length > 0)
        add(uid, sideOfText(held.winner), held.losers.filter(([, value]) => value !== null).map(sideOfText))
      continue
    }
    const moved = whole.find(([, value]) => value === null) ?? held?.winner ?? written[0]!
    const losers = written.map((entry) =>
      sideOf(entry, writerOf, textOf(members.includes(entry) ? strayValue(entry) : entry[1])),
    )
    add(uid, sideOf(moved, writerOf, text.text), losers)
  }
  const written = scalars.filter(({ field: { uid } }) => register.has(uid) || register.has(formerTextKey(uid)))
  const withText = written.length === 0 ? new Set<string>() : scene.textFields()
  for (const { field } of written) {
    const text = withText.has(field.uid) ? scene.texts().get(field.uid) : undefined
    const seen = register.get(formerTextKey(field.uid))?.winner
    // Whoever changed the type had seen no text where nothing says so: one that stands there was written meanwhile.
    if (text === undefined || (seen === undefined ? text.text === '' : text.hash === seen[1])) continue
    const held = register.get(field.uid)?.winner ?? seen!
    const by = seen ?? held
    const writer = writerOf(text.writtenBesides(by[4]) ?? by[4])
    const value = register.has(field.uid) ? held[1] : null
    // Nothing in a text says when it was written.
    add(field.uid, sideOf(held, writerOf, value), [{ value: text.text, ...writer, at: sideOf(by, writerOf).at }])
  }
  return drafts
}

function textOf(value: Json): Json {
  return typeof value === 'object' ? value : String(value)
}

/** What was added to sums by each machine. */
function sharesIn(register: Register): RegisterEntry[] {
  const parts = [...register].filter(([key]) => parseKey(key).part !== null)
  const entries = parts.flatMap(([, { winner, losers }]) => [winner, ...losers])
  return entries.filter(([, value]) => typeof value === 'number' && value !== 0)
}

/** What the field said before its sides parted; of a list, what it would be had nobody touched the members in question. */
function baseOf(
  { doc, history }: Pick<ConflictScene, 'doc' | 'history'>,
  conflicts: readonly FieldConflict[],
  list: Json,
): BaseValue {
  let value = list
  for (const { winner, losers } of conflicts) {
    const base = history.commonBase(doc, [winner, ...losers].map(nameOfEntry))
    if (base === null) return null
    value = wholeOf(withValue(winner, base.value), value, winner[1])
  }
  return { value }
}

/** What the whole list would be had the entry of one member won, and the sum had the share of one machine. */
function wholeOf(entry: RegisterEntry, list: Json, instead: Json): Json {
  const part = partOf(entry)
  if (part === null) return entry[1]
  if (typeof entry[1] === 'number' || typeof instead === 'number')
    return decimalSum([numberOf(list), -numberOf(instead), numberOf(entry[1])])
  const member = memberOf(part)
  const key = JSON.stringify(member)
  const rest = (Array.isArray(list) ? (list as readonly Json[]) : []).filter((one) => JSON.stringify(one) !== key)
  return entry[1] === true ? [...rest, member] : rest
}

function withValue([key, , ms, ctr, inc]: RegisterEntry, value: Json): RegisterEntry {
  return [key, value, ms, ctr, inc]
}

function numberOf(value: Json): number {
  return typeof value === 'number' ? value : 0
}

function partOf(entry: RegisterEntry): string | null {
  return parseKey(entry[0]).part
}

/** Edits by somebody who did not know of the deletion. */
export function deleteConflicts(scene: DeletionScene): ConflictDraft[] {
  const { doc, history, register, writerOf } = scene
  const key = [PURGED_KEY, DELETED_KEY].find((one) => markAt(register, one) !== null)
  if (key === undefined) return overruledDeletion(scene)
  const mark = register.get(key)!
  const told = mark.winner[1] as unknown as DeletionMark
  const numbers = new Set(scene.schema.fields.filter(({ type }) => type === 'autonumber').map(({ uid }) => uid))
  // Numbers are given to records whether they are deleted or not.
  const unseen = new Map([...unseenEdits(register, told)].filter(([one]) => !numbers.has(parseKey(one).uid)))
  const edited = key === PURGED_KEY ? unseenLetters(scene, told) : unseenTexts(scene, told, mark.winner[4])
  // Whoever brought the record back at the same time did not know of this deletion either (D-415); where it was removed for
  // good, people are told until that machine brings it back, and where it is gone.
  const overruled = key === PURGED_KEY ? [unseenRestore(register)] : mark.losers.filter((entry) => entry[1] === null)
  const restored = overruled.filter((entry) => entry !== undefined)
  if (unseen.size === 0 && edited.length === 0 && restored.length === 0) return []
  const [latest] = [...unseen.values(), ...restored].toSorted((a, b) => compareHlc(hlcOf(b), hlcOf(a)))
  // Of lists and sums the whole value: an entry of theirs says one member, or the share of one machine.
  const merged = mergeValues(register, syncedFields(scene.schema).merged).values
  const values: Record<string, Json> = {
    ...Object.fromEntries(
      [...unseen].map(([key, entry]) => [parseKey(key).uid, merged.get(parseKey(key).uid) ?? entry[1]]),
    ),
    ...Object.fromEntries(edited.map(({ uid, text }) => [uid, text])),
  }
  const winner = deletedSide(mark.winner, writerOf)
  const textWriter = edited.find(({ inc }) => inc !== undefined)?.inc
  const loser =
    latest === undefined
      ? // Nothing in a text says when it was written.
        { value: values, ...writerOf(textWriter ?? mark.winner[4]), at: winner.at }
      : sideOf(latest, writerOf, values)
  const draft = { kind: 'delete_edit' as const, field: '', winner, losers: [loser] }
  // Of a text that was removed for good nobody knows what stood there; of the other fields all do.
  if (edited.length > 0 && (key !== PURGED_KEY || unseen.size === 0)) return [draftOf(scene, draft)]
  const before: Record<string, Json> = {}
  for (const [key, entry] of unseen) {
    const base = history.lastBefore(doc, nameOfEntry(entry), (name) => isSeen(name, told))
    if (base === null) return [draftOf(scene, draft)]
    const { uid } = parseKey(key)
    before[uid] = wholeOf(withValue(entry, base.value), before[uid] ?? values[uid]!, entry[1])
  }
  return [draftOf(scene, draft, { value: before })]
}

/** The side of somebody who deleted the record, as the mark tells of them. */
function deletedSide(entry: RegisterEntry, writerOf: WriterOf): ConflictSide {
  const { by, at } = entry[1] as unknown as DeletionMark
  return {
    ...sideOf(entry, writerOf, null),
    ...(typeof by === 'string' ? { actor: by } : {}),
    ...(typeof at === 'string' ? { at } : {}),
  }
}

/** A record that was brought back by somebody who did not know of another deletion, and later than that (D-415). */
function overruledDeletion(scene: DeletionScene): ConflictDraft[] {
  const { register, writerOf } = scene
  const restored = register.get(DELETED_KEY)?.winner
  // A restore counts more than a removal for good that did not know of it (D-412).
  const isHeard = ([key, value]: RegisterEntry): boolean =>
    key !== PURGED_KEY || restored === undefined || isSeen(nameOfEntry(restored), value as unknown as DeletionMark)
  const marks = [PURGED_KEY, DELETED_KEY].flatMap((key) => register.get(key) ?? [])
  const deletions = marks.flatMap(({ losers }) => losers.filter((one) => objectIn(one[1]) !== null && isHeard(one)))
  const winner = marks.find(({ losers }) => losers.includes(deletions[0]!))?.winner
  if (winner === undefined) return []
  const sides = { winner: sideOf(winner, writerOf, {}), losers: deletions.map((entry) => deletedSide(entry, writerOf)) }
  return [draftOf(scene, { kind: 'delete_edit', field: '', ...sides }, { value: {} })]
}

/** What somebody wrote into a long text without knowing of a deletion, and under which incarnation. */
interface UnseenText {
  readonly uid: string
  readonly text: string
  readonly inc: number | undefined
}

/** Long texts that are others now than those who deleted the record had seen. */
function unseenTexts({ register, texts }: DeletionScene, mark: DeletionMark, by: number): UnseenText[] {
  if (mark.texts === undefined) return []
  return [...texts()]
    .filter(([field, { text, hash }]) => isUnseenText(register, mark, { field, text, hash }))
    .map(([uid, text]) => ({ uid, text: text.text, inc: text.writtenBesides(by) }))
}

/** Of a record that was removed for good: the letters that were put in meanwhile, which nothing empties (D-412). */
function unseenLetters({ texts }: DeletionScene, mark: DeletionMark): UnseenText[] {
  const seen = objectIn(mark.letters)
  const found = [...texts()].flatMap(([uid, text]) => {
    const beyond = text.beyond(objectIn(seen?.[uid]) ?? {})
    return beyond === null ? [] : [{ uid, ...beyond }]
  })
  return found.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
}

/** What conflicts of the row are made of. */
type RowScene = Pick<ConflictScene, 'doc' | 'schema' | 'recordId' | 'register' | 'writerOf'>

/** What the row breaks on this machine by itself: types and rules. */
function rowConflicts(scene: ConflictScene): ConflictDraft[] {
  const broken = scene.outcome.broken.map((warning) => {
    const uid = scene.schema.byName.get(warning.field ?? '')?.uid ?? ''
    const side = ownSide(scene, uid, { rule: warning.rule, message: warning.message })
    return draftOf(scene, { kind: 'validation', field: uid, winner: side, losers: [side] })
  })
  return [...typeConflicts(scene, scene.outcome), ...broken]
}

/** Values that do not fit the type their field has here. */
export function typeConflicts(scene: RowScene, { refused }: Pick<RemoteOutcome, 'refused'>): ConflictDraft[] {
  return refused.map(({ field, value }) => {
    const uid = scene.schema.byName.get(field)?.uid ?? ''
    const losers = [ownSide(scene, uid, value as Json)]
    return draftOf(scene, { kind: 'type', field: uid, winner: ownSide(scene, uid, null), losers })
  })
}

function ownSide({ register, writerOf }: RowScene, uid: string, value: Json): ConflictSide {
  const entry = register.get(uid)?.winner ?? [...register.values()][0]?.winner
  return entry === undefined
    ? { value, actor: '', device: '', at: new Date(0).toISOString() }
    : sideOf(entry, writerOf, value)
}
