// The rows of conflicts: how they are written while documents are merged, and how they end. Reads and writes the table
// sync_conflict alone; knows no rights and no document.
import { createHash } from 'node:crypto'
import type { conflictKinds, syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import type { z } from 'zod'
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import type { Json } from '#main/replication/core/types.ts'

/** What kinds of conflict there are. */
export type ConflictKind = (typeof conflictKinds)[number]

/** Kinds that are about one value, rule or record: nothing stood there before two sides. */
export const unbasedKinds: ReadonlySet<ConflictKind> = new Set(['orphan', 'unique', 'type', 'validation', 'refused'])

/** `auto`: it ended by itself, because all sides say the same. */
export type ConflictState = 'open' | 'resolved' | 'auto'

/** One side of a conflict. */
export interface ConflictSide {
  /**
   * The value of the field. For `delete_edit` values by the uid of their field, null for the side that deleted the
   * record; for `validation` the rule and its message; for `orphan` the id of the record it belonged to.
   */
  readonly value: Json
  /** Id of the user who wrote it. */
  readonly actor: string
  /** Id of the machine it was written on, as the roster names it. */
  readonly device: string
  /** When it was written by the clock of that machine, ISO 8601. */
  readonly at: string
  /** The record a side is, where the sides are records: of `unique` and `cycle`. */
  readonly record?: string
  /** Why it stands there alone: of `refused`. */
  readonly refused?: Refused
}

/** Why another machine did not accept what was written here. */
export interface Refused {
  /** What the author lacks there, in a word. */
  readonly code: string
  /** The same in a sentence. */
  readonly message: string
  /** Uids of fields that are closed to the author. */
  readonly closed: readonly string[]
  /** There is no such record, or definition, in the place of the other machine. */
  readonly isNew: boolean
  readonly mayTakeBack: boolean
  /** A try that was asked for and is not answered yet, and the last one that was; ISO 8601. */
  readonly askedAt?: string
  readonly triedAt?: string
}

/** A conflict as merging finds it. */
export interface ConflictDraft {
  readonly kind: ConflictKind
  /** Name of the document. */
  readonly doc: string
  /** Uid of the object. */
  readonly object: string
  readonly recordId: string
  /** Uid of the field; empty when the record as a whole is meant. */
  readonly field: string
  readonly winner: ConflictSide
  readonly losers: readonly ConflictSide[]
  /** What stood there before both sides; absent where it cannot be known, and for kinds of {@link unbasedKinds}. */
  readonly base?: Json
}

/** A choice of a person with what belongs to it. */
export type Decision = z.output<NonNullable<typeof syncConflictRoutes.resolveConflict.body>>

/** How a conflict ended. `elsewhere`: the document shows none any more, because it was settled on another machine. */
export interface Resolution {
  readonly choice: Decision['choice'] | 'edit' | 'same' | 'elsewhere'
}

/** A stored conflict. */
export interface Conflict extends ConflictDraft {
  readonly id: string
  readonly state: ConflictState
  readonly foundAt: string
  /** Null also for what ended elsewhere or by itself. */
  readonly resolvedBy: string | null
  readonly resolvedAt: string | null
  readonly resolution: Resolution | null
  /** Somebody opened it again after it was settled: only a person ends it now. */
  readonly isReopened: boolean
}

/** The record a conflict is about, for whoever tells of it. */
export interface ConflictPlace {
  /** Uid of the object. */
  readonly object: string
  readonly recordId: string
}

/** As stored; columns of the table. */
export interface ConflictRow {
  readonly id: string
  readonly kind: ConflictKind
  readonly doc: string
  readonly object: string
  readonly record_id: string
  readonly field: string
  readonly winner: string
  readonly losers: string
  readonly base: string | null
  readonly state: ConflictState
  readonly found_at: string
  readonly resolved_by: string | null
  readonly resolved_at: string | null
  readonly resolution: string | null
}

/** The columns of {@link ConflictRow} for a SELECT. */
export const conflictColumns =
  'id, kind, doc, object, record_id, field, winner, losers, base, state, found_at, resolved_by, resolved_at, resolution'

const reopenedMark = '{"reopened":true}'
/** Merging thousands of documents tells of them at once. */
const maxPlaces = 50

/** The id of a conflict: the same on every machine that finds it. */
export function conflictId({ kind, doc, field }: Pick<ConflictDraft, 'kind' | 'doc' | 'field'>): string {
  return createHash('sha256').update(`${kind}|${doc}|${field}`).digest('hex').slice(0, 32)
}

/**
 * Stores a conflict, or brings a known one up to date. One that was settled opens again when it is another one now:
 * losers it did not have then. Where all sides say the same it ends by itself, and one without losers is none any more.
 * Values that were sides of it before and are none now stay in the history as a conflict of their own that is settled.
 * @param at now, ISO 8601
 * @returns `opened` when people have to look at it now and had not to before
 */
export function openConflict(tx: Tx, draft: ConflictDraft, at: string): { id: string; opened: boolean } {
  const id = conflictId(draft)
  const known = readConflict(tx, id)
  const isNone = draft.losers.length === 0 && needsLosers.has(draft.kind)
  if (isNone) {
    if (known !== undefined && !known.isReopened) settleConflict(tx, id, { choice: 'elsewhere', by: null, at })
    return { id, opened: false }
  }
  const isOpen = known?.state === 'open'
  if (known !== undefined && !isOpen && !differs(known, draft)) return { id, opened: false }
  if (known !== undefined) keepEarlier(tx, known, draft, at)
  const isSame = draft.kind === 'field' && draft.losers.every(({ value }) => isEqual(value, draft.winner.value))
  const state: ConflictState = isSame ? 'auto' : 'open'
  tx.run(
    statement(
      `INSERT INTO sync_conflict (${conflictColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)
       ON CONFLICT (id) DO UPDATE SET winner = excluded.winner, losers = excluded.losers,
         base = CASE WHEN sync_conflict.state = 'open' THEN coalesce(excluded.base, base) ELSE excluded.base END, state = excluded.state, found_at = excluded.found_at,
         resolved_by = NULL, resolved_at = excluded.resolved_at, resolution = excluded.resolution`,
      [
        id,
        draft.kind,
        draft.doc,
        draft.object,
        draft.recordId,
        draft.field,
        canonicalJson(draft.winner),
        canonicalJson(draft.losers),
        draft.base === undefined ? null : canonicalJson(draft.base),
        state,
        isOpen ? known.foundAt : at,
        isSame ? at : null,
        isSame ? resolutionText('same') : null,
      ],
    ),
  )
  const opened = state === 'open' && !isOpen
  openIn.set(tx, true)
  if (opened) noteOpened(tx, draft)
  if (isOpen && isSame) noteResolved(tx, draft)
  return { id, opened }
}

/**
 * Ends a conflict. One that is not open is left alone, but for the word of how it ended where the same person ended it:
 * whoever chooses writes the record first, which ends it as an edit.
 * @param by id of the user who chose; null when nobody here did
 * @returns whether it was open
 */
export function settleConflict(
  tx: Tx,
  id: string,
  { choice, by, at }: { choice: Resolution['choice']; by: string | null; at: string },
): boolean {
  const known = readConflict(tx, id)
  const isOpen = known?.state === 'open'
  if (known === undefined || (!isOpen && (by === null || known.resolvedBy !== by))) return false
  const sql = `UPDATE sync_conflict SET state = 'resolved', resolved_by = ?, resolved_at = ?, resolution = ? WHERE id = ?`
  tx.run(statement(sql, [by, at, resolutionText(choice), id]))
  if (isOpen) noteResolved(tx, known)
  return isOpen
}

/**
 * Marks the conflicts of a document that are not among `still` as settled elsewhere. Those that somebody opened again
 * stay: there is nothing in the document that tells of them.
 * @param kinds of which the caller has found all there are
 * @param by who has ended them here by an edit, which ends also those that were opened again; null: nobody did
 * @returns their ids
 */
export function closeOthers(
  tx: Tx,
  { doc }: { readonly doc: string },
  kinds: readonly ConflictKind[],
  still: { has(id: string, conflict: Conflict): boolean },
  at: string,
  by: string | null = null,
): readonly string[] {
  if (!mayBeOpen(tx)) return []
  const gone = openOf(tx, doc).filter(
    (conflict) =>
      kinds.includes(conflict.kind) && (by !== null || !conflict.isReopened) && !still.has(conflict.id, conflict),
  )
  for (const { id } of gone) settleConflict(tx, id, { choice: by === null ? 'elsewhere' : 'edit', by, at })
  return gone.map(({ id }) => id)
}

/** Whether a conflict is about a limit of a field's definition, and not about a rule. */
export function isOfLimit({ kind, winner: { value } }: Pick<Conflict, 'kind' | 'winner'>): boolean {
  return kind === 'validation' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'limit')
}

/** Whether a job has met an open conflict, or opened one. */
const openIn = new WeakMap<Tx, boolean>()

/** Whether any conflict is open: nearly always none is, and each merged or written document would ask several times. */
export function mayBeOpen(tx: Tx): boolean {
  let isOpen = openIn.get(tx)
  if (isOpen === undefined) {
    isOpen = tx.get(statement("SELECT 1 FROM sync_conflict WHERE state = 'open' LIMIT 1")) !== undefined
    openIn.set(tx, isOpen)
  }
  return isOpen
}

/** Opens a settled conflict again. */
export function reopenConflict(tx: Tx, id: string): void {
  const known = readConflict(tx, id)
  if (known === undefined || known.state === 'open') return
  const sql = `UPDATE sync_conflict SET state = 'open', resolved_by = NULL, resolved_at = NULL, resolution = ? WHERE id = ?`
  tx.run(statement(sql, [reopenedMark, id]))
  openIn.set(tx, true)
  noteOpened(tx, known)
}

/** Removes what is stored of the conflicts of a record that is purged. */
export function removeConflicts(tx: Tx, { object, recordId }: ConflictPlace): void {
  const removed = tx.run(statement('DELETE FROM sync_conflict WHERE object = ? AND record_id = ?', [object, recordId]))
  if (removed.changes > 0) noteResolved(tx, { object, recordId })
}

/** One conflict; undefined when there is none of this id. */
export function readConflict(reads: Pick<Reads, 'get'>, id: string): Conflict | undefined {
  const row = reads.get(statement<ConflictRow>(`SELECT ${conflictColumns} FROM sync_conflict WHERE id = ?`, [id]))
  return row === undefined ? undefined : conflictOf(row)
}

/** How many conflicts are open, what was refused and what of that stays here on purpose; asked often. */
export function countOpen(reads: Pick<Reads, 'get'>): {
  readonly conflicts: number
  readonly refused: number
  readonly keptHere: number
} {
  const sql = `SELECT coalesce(sum(kind <> 'refused' AND state = 'open'), 0) AS conflicts,
    coalesce(sum(kind = 'refused' AND state = 'open'), 0) AS refused,
    coalesce(sum(kind = 'refused' AND state <> 'open'), 0) AS keptHere
    FROM sync_conflict WHERE state = 'open' OR resolution = ?`
  return reads.get(statement(sql, [resolutionText('keep')]))!
}

/** The machines that did not accept a change of a record, also where it stays here on purpose. */
export function refusedBy(reads: Pick<Reads, 'all'>, { object, recordId }: ConflictPlace): string[] {
  const sql = `SELECT winner FROM sync_conflict WHERE object = ? AND record_id = ? AND kind = 'refused'
    AND (state = 'open' OR resolution = ?)`
  const values = [object, recordId.toLowerCase(), resolutionText('keep')]
  const rows = reads.all(statement<Pick<ConflictRow, 'winner'>>(sql, values))
  return [...new Set(rows.map(({ winner }) => (JSON.parse(winner) as ConflictSide).device))]
}

/** The open conflicts of a record. */
export function openOfRecord(reads: Pick<Reads, 'all'>, { object, recordId }: ConflictPlace): readonly Conflict[] {
  const sql = `SELECT ${conflictColumns} FROM sync_conflict WHERE object = ? AND record_id = ? AND state = 'open'`
  return reads.all(statement<ConflictRow>(sql, [object, recordId])).map(conflictOf)
}

/** A stored row as a value. */
export function conflictOf(row: ConflictRow): Conflict {
  const { id, kind, doc, object, field, state } = row
  const isReopened = row.resolution === reopenedMark
  return {
    id,
    kind,
    doc,
    object,
    recordId: row.record_id,
    field,
    winner: JSON.parse(row.winner) as ConflictSide,
    losers: JSON.parse(row.losers) as ConflictSide[],
    ...(row.base === null ? {} : { base: JSON.parse(row.base) as Json }),
    state,
    foundAt: row.found_at,
    resolvedBy: row.resolved_by,
    resolvedAt: row.resolved_at,
    resolution: row.resolution === null || isReopened ? null : (JSON.parse(row.resolution) as Resolution),
    isReopened,
  }
}

/**
 * Keeps what a conflict was before it becomes another one. Of an open one only losers count: whoever replaced the winner
 * saw it, but a loser was nobody's to replace.
 */
function keepEarlier(tx: Tx, known: Conflict, draft: ConflictDraft, at: string): void {
  if (!needsLosers.has(known.kind) && known.kind !== 'delete_edit') return
  const now = new Set([draft.winner, ...draft.losers].map(({ value }) => canonicalJson(value)))
  const before = known.state === 'open' ? known.losers : [known.winner, ...known.losers]
  if (before.every(({ value }) => now.has(canonicalJson(value)))) return
  const id = createHash('sha256')
    .update(canonicalJson([known.id, known.foundAt, known.winner, known.losers] as Json))
    .digest('hex')
    .slice(0, 32)
  tx.run(
    statement(
      `INSERT INTO sync_conflict (${conflictColumns})
       SELECT ?, kind, doc, object, record_id, field, winner, losers, base, CASE state WHEN 'open' THEN 'resolved' ELSE state END,
         found_at, resolved_by, coalesce(resolved_at, ?), CASE state WHEN 'open' THEN ? ELSE resolution END
       FROM sync_conflict WHERE id = ? ON CONFLICT (id) DO NOTHING`,
      [id, at, resolutionText('edit'), known.id],
    ),
  )
}

/** Kinds that are about values beside each other; the others say something of one value or record. */
const needsLosers: ReadonlySet<ConflictKind> = new Set(['field', 'text', 'fork'])

function openOf(tx: Tx, doc: string): readonly Conflict[] {
  const name = parseDocName(doc)
  if (name !== null && 'record' in name) {
    return openOfRecord(tx, { object: name.object, recordId: name.record }).filter((one) => one.doc === doc)
  }
  const sql = `SELECT ${conflictColumns} FROM sync_conflict WHERE state = 'open' AND doc = ?`
  return tx.all(statement<ConflictRow>(sql, [doc])).map(conflictOf)
}

function resolutionText(choice: Resolution['choice']): string {
  return JSON.stringify({ choice } satisfies Resolution)
}

/** How a conflict ends when the document shows none any more: one that is found after that is another one. */
const goneFromDocument: ReadonlySet<string> = new Set<Resolution['choice']>(['elsewhere', 'edit', 'restore'])

/** Whether what is found now is not what was settled. */
function differs(known: Conflict, draft: ConflictDraft): boolean {
  // Every way to end one opens the ring.
  if (draft.kind === 'cycle') return true
  if (goneFromDocument.has(known.resolution?.choice ?? '')) return true
  if (canonicalJson(known.losers) !== canonicalJson(draft.losers)) return true
  return !needsLosers.has(draft.kind) && !isEqual(known.winner.value, draft.winner.value)
}

function isEqual(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b)
}

interface Noted extends ConflictPlace {
  readonly tx: Tx
}

const noteOpened = (tx: Tx, { object, recordId }: ConflictPlace): void =>
  tx.gather(tellOpened, { tx, object, recordId })
const noteResolved = (tx: Tx, { object, recordId }: ConflictPlace): void =>
  tx.gather(tellResolved, { tx, object, recordId })

function tellOpened(noted: readonly Noted[]): void {
  tell('sync.conflict.opened', noted)
}

function tellResolved(noted: readonly Noted[]): void {
  tell('sync.conflict.resolved', noted)
}

/** One event per write, however many conflicts came of it: whoever hears it looks again. Without places: too many to name. */
function tell(type: 'sync.conflict.opened' | 'sync.conflict.resolved', noted: readonly Noted[]): void {
  const places = new Map(noted.map(({ object, recordId }) => [`${object}/${recordId}`, { object, recordId }]))
  const payload = { places: places.size > maxPlaces ? null : [...places.values()] }
  noted[0]!.tx.emit(internalContext('sync', 'sync'), { type, payload })
}

const openOfRecords = `state = 'open' AND object <> ''`

/**
 * Objects and fields, by uid, that open conflicts are about and that were removed: nobody can decide these, and a machine that
 * saw the removal first never had them. They are found again should what was removed return.
 */
export function removedPlaces(
  read: Pick<Reads, 'all'>,
  isRemoved: (object: string, field?: string) => boolean,
): readonly Pick<Conflict, 'object' | 'field'>[] {
  const sql = `SELECT DISTINCT object, field FROM sync_conflict WHERE ${openOfRecords}`
  const places = read.all(statement<Pick<Conflict, 'object' | 'field'>>(sql))
  return places.filter(({ object, field }) => isRemoved(object, field === '' ? undefined : field))
}

/** Ends the open conflicts of {@link removedPlaces}, for the documents tell of them no more. @param at now, ISO 8601 */
export function settleRemoved(tx: Tx, places: ReturnType<typeof removedPlaces>, at: string): void {
  for (const { object, field } of places) {
    const sql = `SELECT id FROM sync_conflict WHERE ${openOfRecords} AND object = ? AND field = ?`
    for (const { id } of tx.all(statement<{ id: string }>(sql, [object, field])))
      settleConflict(tx, id, { choice: 'elsewhere', by: null, at })
  }
}

/** Whether any conflict about records of an object waits for a decision. */
export function hasOpen(read: Pick<Reads, 'get'>, object: string): boolean {
  const sql = "SELECT 1 FROM sync_conflict WHERE object = ? AND state = 'open' LIMIT 1"
  return read.get(statement(sql, [object])) !== undefined
}

/** The open conflicts about rings that a record is in, but for its own. */
export function cyclesThrough(tx: Tx, record: string): readonly Conflict[] {
  if (!mayBeOpen(tx)) return []
  const sql = `SELECT ${conflictColumns} FROM sync_conflict WHERE state = 'open' AND kind = 'cycle'
    AND instr(losers, ?) > 0`
  return tx.all(statement<ConflictRow>(sql, [record])).map(conflictOf)
}

/** Records with open conflicts about taken values, lost masters and rings that name a record, or are its own. */
export function readNaming(read: Pick<Reads, 'all'>, record: string): { object: string; record: string }[] {
  const sql = `SELECT DISTINCT object, record_id AS record FROM sync_conflict WHERE state = 'open'
    AND kind IN ('unique', 'orphan', 'cycle') AND (record_id = ? OR instr(winner, ?) > 0 OR instr(losers, ?) > 0)`
  return read.all(statement<{ object: string; record: string }>(sql, [record, record, record]))
}
