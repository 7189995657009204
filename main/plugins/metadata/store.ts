// SQL of the tables of items, overlays, drafts and history: rows in, domain values out. No rule of the service is here.
// What a table holds is said once, member by member; its statements and the form of its rows follow from that.
import type { Actor } from '#shared/events.ts'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { Reads, Statement, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { ComparedTable } from '#main/database/compare-files.ts'
import type { MetadataItem, OverlayRecord } from './api.ts'

/** Where definitions are, for comparisons with a copy of the database. */
export const comparedItems: ComparedTable = { table: 'metadata_item', keys: ['type', 'name'], version: 'updated_at' }

/** The operations a history event may name (D-108). */
export type HistoryOp = 'create' | 'update' | 'delete' | 'state' | 'overlay'

/** One stored history event; `item` is null for a deletion. */
export interface HistoryEntry {
  readonly seq: number
  readonly op: HistoryOp
  readonly type: MetadataType
  readonly name: string
  readonly uid: string
  readonly version: number
  readonly hash: string
  readonly parentHash: string | null
  readonly actor: Actor
  readonly message: string | null
  readonly ts: string
  readonly source: string
  readonly item: Record<string, unknown> | null
}

/** Which item a history belongs to: by its name, and by its uid so that a rename keeps the past. */
export interface HistoryKey {
  readonly type: MetadataType
  readonly name: string
  readonly uid: string
}

/** Events kept per item (D-111). */
export const keptHistory = 200

/** A draft kept beside a published item (D-110). */
export interface DraftRecord {
  readonly type: MetadataType
  readonly name: string
  readonly item: Readonly<Record<string, unknown>>
  /** Hash of the published item the draft began from. */
  readonly baseHash: string
  readonly createdAt: string
  readonly createdBy: string
  readonly updatedAt: string
  readonly updatedBy: string
}

/** How a column holds a member. */
interface Form {
  read(value: unknown): unknown
  write(value: unknown): unknown
}

const plain: Form = { read: (value) => value, write: (value) => value }
const flag: Form = { read: (value) => value === 1, write: (value) => (value === true ? 1 : 0) }
/** The platform's overlay has no owner; in a key that is an empty text. */
const owner: Form = { read: (value) => (value === '' ? null : value), write: (value) => value ?? '' }
const json: Form = {
  read: (value) => (value === null ? null : (JSON.parse(value as string) as unknown)),
  write: (value) => (value === null ? null : JSON.stringify(value)),
}

/** A table whose columns are the members of a value, in snake_case. */
interface Table<T> {
  /** The members as columns of a SELECT. */
  readonly columns: string
  fromRow(row: object): T
  /** Inserts the members given, or replaces those of the row of the same key but for who made it and when. */
  write(value: Partial<T>, more?: Readonly<Record<string, unknown>>): Statement
}

function createTable<T extends object>(
  name: string,
  forms: Readonly<Record<keyof T, Form>>,
  key: readonly string[],
): Table<T> {
  const members = Object.entries<Form>(forms)
  const column = (member: string): string => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const kept = new Set([...key, 'createdAt', 'createdBy'])
  return {
    columns: members.map(([member]) => `${column(member)} AS ${member}`).join(', '),
    fromRow: (row) =>
      Object.fromEntries(
        members.map(([member, { read }]) => [member, read((row as Record<string, unknown>)[member])]),
      ) as T,
    write(value, more = {}) {
      const all: [string, unknown][] = [
        ...members
          .filter(([member]) => Object.hasOwn(value, member))
          .map(([member, form]): [string, unknown] => [member, form.write(value[member as keyof T])]),
        ...Object.entries(more),
      ]
      const columns = all.map(([member]) => column(member))
      const changed = all.filter(([member]) => !kept.has(member)).map(([member]) => column(member))
      return statement(
        `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
         ON CONFLICT (${key.map(column).join(', ')}) DO UPDATE SET
           ${changed.map((one) => `${one} = excluded.${one}`).join(', ')}`,
        all.map(([, held]) => held),
      )
    },
  }
}

const itemTable = createTable<MetadataItem>(
  'metadata_item',
  {
    type: plain,
    name: plain,
    uid: plain,
    state: plain,
    version: plain,
    item: json,
    packageId: plain,
    namespace: plain,
    createdAt: plain,
    updatedAt: plain,
    published: flag,
  },
  ['type', 'name'],
)

const overlayTable = createTable<OverlayRecord>(
  'metadata_overlay',
  {
    id: plain,
    baseType: plain,
    baseName: plain,
    packageId: plain,
    scope: plain,
    owner,
    patch: json,
    changes: json,
    active: flag,
    createdAt: plain,
    createdBy: plain,
    updatedAt: plain,
    updatedBy: plain,
  },
  ['id'],
)

const draftTable = createTable<DraftRecord>(
  'metadata_draft',
  {
    type: plain,
    name: plain,
    item: json,
    baseHash: plain,
    createdAt: plain,
    createdBy: plain,
    updatedAt: plain,
    updatedBy: plain,
  },
  ['type', 'name'],
)

const historyTable = createTable<HistoryEntry>(
  'metadata_history',
  {
    seq: plain,
    op: plain,
    type: plain,
    name: plain,
    uid: plain,
    version: plain,
    hash: plain,
    parentHash: plain,
    actor: json,
    message: plain,
    ts: plain,
    source: plain,
    item: json,
  },
  ['seq'],
)

type Named = Pick<MetadataItem, 'type' | 'name'>

/** Reads every item, or the one that is named; the caller freezes them. */
export function readAllItems(read: Pick<Reads, 'all'>, only?: Named): MetadataItem[] {
  const where = only === undefined ? '' : ' WHERE type = ? AND name = ?'
  const sql = `SELECT ${itemTable.columns} FROM metadata_item${where}`
  return read.all<object>(statement(sql, only === undefined ? [] : [only.type, only.name])).map(itemTable.fromRow)
}

/** Inserts an item or replaces the one of the same type and name. */
export function writeItem(tx: Pick<Tx, 'run'>, item: MetadataItem, actorId: string): void {
  tx.run(itemTable.write(item, { createdBy: actorId, updatedBy: actorId }))
}

/** Removes an item's row. */
export function deleteItem(tx: Pick<Tx, 'run'>, { type, name }: Named): void {
  tx.run(statement('DELETE FROM metadata_item WHERE type = ? AND name = ?', [type, name]))
}

/** Reads every overlay, or those of one item. */
export function readAllOverlays(read: Pick<Reads, 'all'>, only?: Named): OverlayRecord[] {
  const where = only === undefined ? '' : ' WHERE base_type = ? AND base_name = ?'
  const sql = `SELECT ${overlayTable.columns} FROM metadata_overlay${where}`
  return read.all<object>(statement(sql, only === undefined ? [] : [only.type, only.name])).map(overlayTable.fromRow)
}

/** Inserts an overlay or replaces the one of the same id. */
export function writeOverlay(tx: Pick<Tx, 'run'>, overlay: OverlayRecord): void {
  tx.run(overlayTable.write(overlay))
}

/** Removes an overlay's row. */
export function deleteOverlay(tx: Pick<Tx, 'run'>, id: string): void {
  tx.run(statement('DELETE FROM metadata_overlay WHERE id = ?', [id]))
}

/** Reads every draft that stands beside a published item. */
export function readAllDrafts(read: Pick<Reads, 'all'>): DraftRecord[] {
  return read.all<object>(statement(`SELECT ${draftTable.columns} FROM metadata_draft`)).map(draftTable.fromRow)
}

/** Inserts a draft or replaces the one of the same item. */
export function writeDraft(tx: Pick<Tx, 'run'>, draft: DraftRecord): void {
  tx.run(draftTable.write(draft))
}

/** Removes the draft beside an item. */
export function deleteDraft(tx: Pick<Tx, 'run'>, { type, name }: Named): void {
  tx.run(statement('DELETE FROM metadata_draft WHERE type = ? AND name = ?', [type, name]))
}

/** The events of an item: under its name, and under its uid. Uses metadata_history_name and metadata_history_uid. */
const ofItem = '((type = ? AND name = ?) OR (type = ? AND uid = ?))'

function placeOf({ type, name, uid }: HistoryKey): unknown[] {
  return [type, name, type, uid]
}

/** The hash of the newest event of the item, or null. */
export function lastHistoryHash(tx: Pick<Tx, 'get'>, key: HistoryKey): string | null {
  const row = tx.get<{ hash: string }>(
    statement(`SELECT hash FROM metadata_history WHERE ${ofItem} ORDER BY seq DESC LIMIT 1`, placeOf(key)),
  )
  return row?.hash ?? null
}

/** Appends an event and drops those of the item beyond {@link keptHistory}. */
export function appendHistory(tx: Pick<Tx, 'run'>, entry: Omit<HistoryEntry, 'seq'>): void {
  tx.run(historyTable.write(entry))
  tx.run(
    statement(
      `DELETE FROM metadata_history WHERE seq IN (
         SELECT seq FROM metadata_history WHERE ${ofItem} ORDER BY seq DESC LIMIT -1 OFFSET ${keptHistory})`,
      placeOf(entry),
    ),
  )
}

/** Events of an item after `sinceSeq`, oldest first, without their items. */
export function readHistory(
  read: Pick<Reads, 'all'>,
  key: HistoryKey,
  page: { sinceSeq: number; limit: number },
): HistoryEntry[] {
  const columns = historyTable.columns.replace('item AS item', 'NULL AS item')
  const sql = `SELECT ${columns} FROM metadata_history WHERE ${ofItem} AND seq > ? ORDER BY seq LIMIT ?`
  const rows = read.all<object>(statement(sql, [...placeOf(key), page.sinceSeq, page.limit]))
  return rows.map(historyTable.fromRow)
}

/** One event of an item with the item as it was then, or undefined. */
export function readHistoryEntry(read: Pick<Reads, 'get'>, key: HistoryKey, seq: number): HistoryEntry | undefined {
  const sql = `SELECT ${historyTable.columns} FROM metadata_history WHERE seq = ? AND ${ofItem}`
  const row = read.get<object>(statement(sql, [seq, ...placeOf(key)]))
  return row === undefined ? undefined : historyTable.fromRow(row)
}

/** The newest event that stored the version of an item, or undefined. */
export function readHistoryVersion(
  read: Pick<Reads, 'get'>,
  key: HistoryKey,
  version: number,
): HistoryEntry | undefined {
  const sql = `SELECT ${historyTable.columns} FROM metadata_history WHERE ${ofItem} AND version = ? ORDER BY seq DESC LIMIT 1`
  const row = read.get<object>(statement(sql, [...placeOf(key), version]))
  return row === undefined ? undefined : historyTable.fromRow(row)
}

/** When the state of an item was last changed, or undefined. */
export function readStateChange(
  read: Pick<Reads, 'get'>,
  { type, uid }: Pick<HistoryKey, 'type' | 'uid'>,
): string | undefined {
  return read.get<{ ts: string }>(
    statement(`SELECT ts FROM metadata_history WHERE type = ? AND uid = ? AND op = 'state' ORDER BY seq DESC LIMIT 1`, [
      type,
      uid,
    ]),
  )?.ts
}
