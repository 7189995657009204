// SQL of the tables of items, overlays, drafts and history: rows in, domain values out. No rule of the service is here.
import type { Actor } from '#shared/events.ts'
import type { MetadataState, MetadataType } from '#shared/contracts/metadata.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { MetadataItem, OverlayChange, OverlayRecord } from './api.ts'

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

interface ItemRow {
  type: MetadataType
  name: string
  uid: string
  state: MetadataState
  version: number
  item: string
  package_id: string | null
  namespace: string | null
  created_at: string
  updated_at: string
  published: 0 | 1
}

interface HistoryRow {
  seq: number
  op: HistoryOp
  type: MetadataType
  name: string
  uid: string
  version: number
  hash: string
  parent_hash: string | null
  actor: string
  message: string | null
  ts: string
  source: string
  item: string | null
}

/** Reads every item, or the one that is named; the caller freezes them. */
export function readAllItems(read: Pick<Reads, 'all'>, only?: Pick<MetadataItem, 'type' | 'name'>): MetadataItem[] {
  const rows = read.all<ItemRow>(
    statement(
      `SELECT type, name, uid, state, version, item, package_id, namespace, created_at, updated_at, published
       FROM metadata_item${only === undefined ? '' : ' WHERE type = ? AND name = ?'}`,
      only === undefined ? [] : [only.type, only.name],
    ),
  )
  return rows.map((row) => ({
    type: row.type,
    name: row.name,
    uid: row.uid,
    state: row.state,
    version: row.version,
    item: JSON.parse(row.item) as Record<string, unknown>,
    packageId: row.package_id,
    namespace: row.namespace,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    published: row.published === 1,
  }))
}

/** Inserts an item or replaces the one of the same type and name. */
export function writeItem(tx: Pick<Tx, 'run'>, item: MetadataItem, actorId: string): void {
  tx.run(
    statement(
      `INSERT INTO metadata_item
         (type, name, uid, state, version, item, package_id, namespace, created_at, created_by, updated_at, updated_by,
          published)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (type, name) DO UPDATE SET
         uid = excluded.uid, state = excluded.state, version = excluded.version, item = excluded.item,
         package_id = excluded.package_id, namespace = excluded.namespace,
         updated_at = excluded.updated_at, updated_by = excluded.updated_by, published = excluded.published`,
      [
        item.type,
        item.name,
        item.uid,
        item.state,
        item.version,
        JSON.stringify(item.item),
        item.packageId,
        item.namespace,
        item.createdAt,
        actorId,
        item.updatedAt,
        actorId,
        item.published ? 1 : 0,
      ],
    ),
  )
}

/** Removes an item's row. */
export function deleteItem(tx: Pick<Tx, 'run'>, type: MetadataType, name: string): void {
  tx.run(statement('DELETE FROM metadata_item WHERE type = ? AND name = ?', [type, name]))
}

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

interface OverlayRow {
  id: string
  base_type: MetadataType
  base_name: string
  package_id: string | null
  scope: 'platform' | 'user'
  owner: string
  patch: string
  changes: string
  active: 0 | 1
  created_at: string
  created_by: string
  updated_at: string
  updated_by: string
}

/** Reads every overlay, or those of one item. */
export function readAllOverlays(read: Pick<Reads, 'all'>, only?: Pick<MetadataItem, 'type' | 'name'>): OverlayRecord[] {
  const rows = read.all<OverlayRow>(
    statement(
      `SELECT id, base_type, base_name, package_id, scope, owner, patch, changes, active,
         created_at, created_by, updated_at, updated_by
       FROM metadata_overlay${only === undefined ? '' : ' WHERE base_type = ? AND base_name = ?'}`,
      only === undefined ? [] : [only.type, only.name],
    ),
  )
  return rows.map((row) => ({
    id: row.id,
    baseType: row.base_type,
    baseName: row.base_name,
    packageId: row.package_id,
    scope: row.scope,
    owner: row.owner === '' ? null : row.owner,
    patch: JSON.parse(row.patch) as Record<string, unknown>,
    changes: JSON.parse(row.changes) as OverlayChange[],
    active: row.active === 1,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  }))
}

/** Inserts an overlay or replaces the one of the same id. */
export function writeOverlay(tx: Pick<Tx, 'run'>, overlay: OverlayRecord): void {
  tx.run(
    statement(
      `INSERT INTO metadata_overlay
         (id, base_type, base_name, package_id, scope, owner, patch, changes, active,
          created_at, created_by, updated_at, updated_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET
         base_type = excluded.base_type, base_name = excluded.base_name, package_id = excluded.package_id,
         patch = excluded.patch, changes = excluded.changes, active = excluded.active,
         updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
      [
        overlay.id,
        overlay.baseType,
        overlay.baseName,
        overlay.packageId,
        overlay.scope,
        overlay.owner ?? '',
        JSON.stringify(overlay.patch),
        JSON.stringify(overlay.changes),
        overlay.active ? 1 : 0,
        overlay.createdAt,
        overlay.createdBy,
        overlay.updatedAt,
        overlay.updatedBy,
      ],
    ),
  )
}

/** Removes an overlay's row. */
export function deleteOverlay(tx: Pick<Tx, 'run'>, id: string): void {
  tx.run(statement('DELETE FROM metadata_overlay WHERE id = ?', [id]))
}

interface DraftRow {
  type: MetadataType
  name: string
  item: string
  base_hash: string
  created_at: string
  created_by: string
  updated_at: string
  updated_by: string
}

/** Reads every draft that stands beside a published item. */
export function readAllDrafts(read: Pick<Reads, 'all'>): DraftRecord[] {
  const rows = read.all<DraftRow>(
    statement('SELECT type, name, item, base_hash, created_at, created_by, updated_at, updated_by FROM metadata_draft'),
  )
  return rows.map((row) => ({
    type: row.type,
    name: row.name,
    item: JSON.parse(row.item) as Record<string, unknown>,
    baseHash: row.base_hash,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  }))
}

/** Inserts a draft or replaces the one of the same item. */
export function writeDraft(tx: Pick<Tx, 'run'>, draft: DraftRecord): void {
  tx.run(
    statement(
      `INSERT INTO metadata_draft (type, name, item, base_hash, created_at, created_by, updated_at, updated_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (type, name) DO UPDATE SET
         item = excluded.item, base_hash = excluded.base_hash,
         updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
      [
        draft.type,
        draft.name,
        JSON.stringify(draft.item),
        draft.baseHash,
        draft.createdAt,
        draft.createdBy,
        draft.updatedAt,
        draft.updatedBy,
      ],
    ),
  )
}

/** Removes the draft beside an item. */
export function deleteDraft(tx: Pick<Tx, 'run'>, type: MetadataType, name: string): void {
  tx.run(statement('DELETE FROM metadata_draft WHERE type = ? AND name = ?', [type, name]))
}

/** The hash of the newest event of the item, or null. Uses metadata_history_name and metadata_history_uid. */
export function lastHistoryHash(tx: Pick<Tx, 'get'>, key: HistoryKey): string | null {
  const row = tx.get<{ hash: string }>(
    statement(
      `SELECT hash FROM metadata_history WHERE (type = ? AND name = ?) OR (type = ? AND uid = ?) ORDER BY seq DESC LIMIT 1`,
      [key.type, key.name, key.type, key.uid],
    ),
  )
  return row?.hash ?? null
}

/** Appends an event and drops those of the item beyond {@link keptHistory}. */
export function appendHistory(tx: Pick<Tx, 'run'>, entry: Omit<HistoryEntry, 'seq'>): void {
  tx.run(
    statement(
      `INSERT INTO metadata_history (op, type, name, uid, version, hash, parent_hash, actor, message, ts, source, item)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        entry.op,
        entry.type,
        entry.name,
        entry.uid,
        entry.version,
        entry.hash,
        entry.parentHash,
        JSON.stringify(entry.actor),
        entry.message,
        entry.ts,
        entry.source,
        entry.item === null ? null : JSON.stringify(entry.item),
      ],
    ),
  )
  tx.run(
    statement(
      `DELETE FROM metadata_history WHERE seq IN (
         SELECT seq FROM metadata_history WHERE (type = ? AND name = ?) OR (type = ? AND uid = ?)
         ORDER BY seq DESC LIMIT -1 OFFSET ${keptHistory})`,
      [entry.type, entry.name, entry.type, entry.uid],
    ),
  )
}

/** Events of an item after `sinceSeq`, oldest first, without their items. */
export function readHistory(
  read: Pick<Reads, 'all'>,
  key: HistoryKey,
  page: { sinceSeq: number; limit: number },
): HistoryEntry[] {
  const rows = read.all<HistoryRow>(
    statement(
      `SELECT seq, op, type, name, uid, version, hash, parent_hash, actor, message, ts, source, NULL AS item
       FROM metadata_history WHERE ((type = ? AND name = ?) OR (type = ? AND uid = ?)) AND seq > ?
       ORDER BY seq LIMIT ?`,
      [key.type, key.name, key.type, key.uid, page.sinceSeq, page.limit],
    ),
  )
  return rows.map(toEntry)
}

/** One event of an item with the item as it was then, or undefined. */
export function readHistoryEntry(read: Pick<Reads, 'get'>, key: HistoryKey, seq: number): HistoryEntry | undefined {
  const row = read.get<HistoryRow>(
    statement(
      `SELECT seq, op, type, name, uid, version, hash, parent_hash, actor, message, ts, source, item
       FROM metadata_history WHERE seq = ? AND ((type = ? AND name = ?) OR (type = ? AND uid = ?))`,
      [seq, key.type, key.name, key.type, key.uid],
    ),
  )
  return row === undefined ? undefined : toEntry(row)
}

/** The newest event that stored the version of an item, or undefined. Uses metadata_history_name and _uid. */
export function readHistoryVersion(
  read: Pick<Reads, 'get'>,
  key: HistoryKey,
  version: number,
): HistoryEntry | undefined {
  const row = read.get<HistoryRow>(
    statement(
      `SELECT seq, op, type, name, uid, version, hash, parent_hash, actor, message, ts, source, item
       FROM metadata_history WHERE ((type = ? AND name = ?) OR (type = ? AND uid = ?)) AND version = ?
       ORDER BY seq DESC LIMIT 1`,
      [key.type, key.name, key.type, key.uid, version],
    ),
  )
  return row === undefined ? undefined : toEntry(row)
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

function toEntry(row: HistoryRow): HistoryEntry {
  return {
    seq: row.seq,
    op: row.op,
    type: row.type,
    name: row.name,
    uid: row.uid,
    version: row.version,
    hash: row.hash,
    parentHash: row.parent_hash,
    actor: JSON.parse(row.actor) as Actor,
    message: row.message,
    ts: row.ts,
    source: row.source,
    item: row.item === null ? null : (JSON.parse(row.item) as Record<string, unknown>),
  }
}
