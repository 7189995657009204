// SQL of the data plugin: rows of object tables by id, counters, effects of deletions. Rows in, rows out.
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Reads, Statement, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Row } from './service/codec.ts'
import { codecOf } from './service/codec.ts'
import { requireOpen } from './service/schema-change/write-gate.ts'

type Reader = Pick<Reads, 'all' | 'get'>

/** What a deletion did to another record, kept so that a restore can undo it (D-61). */
export interface DeleteEffect {
  readonly effect: 'set_null' | 'cascade'
  readonly object: string
  readonly recordId: string
  /** The referencing field; empty for a cascade. */
  readonly field: string
}

interface ObjectSql {
  readonly get: string
  readonly insert: string
  readonly columns: readonly string[]
}

const cache = new WeakMap<ObjectSchema, ObjectSql>()

/** Quotes an identifier for SQL; metadata names need it because keywords are allowed (D-92). */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function sqlOf(schema: ObjectSchema): ObjectSql {
  let sql = cache.get(schema)
  if (sql === undefined) {
    const { columns } = codecOf(schema)
    const list = columns.map(quote).join(', ')
    const table = quote(schema.table)
    sql = {
      // Named, because SQLite calls the column by the name of the key where a table of an early version declares another.
      get: `SELECT rowid AS rowid, ${list} FROM ${table} WHERE id = ?`,
      insert: `INSERT INTO ${table} (${list}) VALUES (${columns.map(() => '?').join(', ')})`,
      columns,
    }
    cache.set(schema, sql)
  }
  return sql
}

/** The row with this id and its `rowid`, deleted or not. Served by the index of ids. */
export function getRow(read: Reader, schema: ObjectSchema, id: string): Row | undefined {
  return read.get<Row>(statement<Row>(sqlOf(schema).get, [id]))
}

/** Rows by falling id, deleted ones too. */
export function lastRows(read: Pick<Reads, 'all'>, schema: ObjectSchema, below: string | null, limit: number): Row[] {
  const { columns } = sqlOf(schema)
  const sql = `SELECT ${columns.map(quote).join(', ')} FROM ${quote(schema.table)}
    ${below === null ? '' : 'WHERE id < ?'} ORDER BY id DESC LIMIT (? + 0)`
  return read.all<Row>(statement<Row>(sql, below === null ? [limit] : [below, limit]))
}

/** Rising ids of records, deleted ones too, that hold a text with a beginning in one of these columns. */
export function idsBeginning(
  read: Pick<Reads, 'all'>,
  schema: ObjectSchema,
  { columns, beginning, after, limit }: { columns: readonly string[]; beginning: string; after: string; limit: number },
): string[] {
  if (columns.length === 0) return []
  const found = columns.map((column) => `${quote(column)} GLOB ?`).join(' OR ')
  const sql = `SELECT id FROM ${quote(schema.table)} WHERE id > ? AND (${found}) ORDER BY id LIMIT ${limit}`
  const values = [after, ...columns.map(() => `${beginning}*`)]
  return read.all<{ id: string }>(statement(sql, values)).map(({ id }) => id)
}

/** A record in the trash, as the retention needs it. */
export interface TrashedRow {
  readonly id: string
  readonly deletedAt: string
  readonly updatedAt: string
}

/** Which records of a trash are meant. */
interface TrashRange {
  readonly before: string
  /** Only those of which nothing was stored here since. */
  readonly storedBefore?: string
  readonly after: TrashedRow | undefined
  readonly limit: number
}

/** The oldest records of the trash that went there before an instant, beginning after one of them. Served by its index. */
export function trashedBefore(
  read: Pick<Reads, 'all'>,
  schema: ObjectSchema,
  { before, storedBefore, after, limit }: TrashRange,
): TrashedRow[] {
  // The plus keeps to the index of the trash.
  const stored = storedBefore === undefined ? '' : 'AND +updated_at < ?'
  const sql = `SELECT id, deleted_at AS deletedAt, updated_at AS updatedAt FROM ${quote(schema.table)}
    WHERE deleted_at IS NOT NULL AND deleted_at < ? AND (deleted_at, id) > (?, ?) ${stored}
    ORDER BY deleted_at, id LIMIT ?`
  const from = [after?.deletedAt ?? '', after?.id ?? '']
  return read.all<TrashedRow>(
    statement(sql, [before, ...from, ...(storedBefore === undefined ? [] : [storedBefore]), limit]),
  )
}

/** Whether a live record has this id. */
export function liveExists(read: Reader, table: string, id: string): boolean {
  return read.get(statement(`SELECT 1 FROM ${quote(table)} WHERE id = ? AND deleted_at IS NULL`, [id])) !== undefined
}

/** Inserts a complete row and sets its `rowid`; columns the row does not name become null. */
export function insertRow(tx: Tx, schema: ObjectSchema, row: Row): void {
  requireOpen(schema)
  const sql = sqlOf(schema)
  const values: SqlValue[] = []
  for (const column of sql.columns) values.push(row[column] ?? null)
  row['rowid'] = Number(tx.run(statement(sql.insert, values)).lastInsertRowid)
}

/** Sets columns of one row. */
export function updateRow(tx: Tx, schema: ObjectSchema, id: string, columns: Row): void {
  requireOpen(schema)
  const names = Object.keys(columns)
  const sets = names.map((name) => `${quote(name)} = ?`).join(', ')
  tx.run(
    statement(`UPDATE ${quote(schema.table)} SET ${sets} WHERE id = ?`, [...names.map((name) => columns[name]), id]),
  )
}

/** Removes one row for good. */
export function deleteRow(tx: Tx, schema: ObjectSchema, id: string): void {
  requireOpen(schema)
  tx.run(statement(`DELETE FROM ${quote(schema.table)} WHERE id = ?`, [id]))
}

/** A column that may name a record, and the value that names it. */
export interface Naming {
  readonly column: string
  /** True when the column holds a list. */
  readonly multiple: boolean
  readonly value: string
}

/** Ids, and rows of a list column, that are looked at in one statement: about a millisecond. */
const idsAtOnce = 500
const listsAtOnce = 2_000

/**
 * Ids of live rows that name a record, some at a time; rows that stop naming it meanwhile move nothing. Single relations are
 * served by the column's index, for lists the table is walked.
 */
export function* referencingIds(read: Reader, schema: ObjectSchema, naming: Naming): Generator<string[], void, void> {
  const live = `FROM ${quote(schema.table)} WHERE ${holds(naming)} AND deleted_at IS NULL`
  if (naming.multiple) {
    const last = aboutRows(read, schema.table)
    const sql = `SELECT id ${live} AND rowid > ? AND rowid <= ?`
    for (let from = 0; from < last; from += listsAtOnce)
      yield read.all<{ id: string }>(statement(sql, [naming.value, from, from + listsAtOnce])).map(({ id }) => id)
    return
  }
  const sql = `SELECT id ${live} AND id > ? ORDER BY id LIMIT ${idsAtOnce}`
  for (let ids = ['']; ids.length > 0;) {
    ids = read.all<{ id: string }>(statement(sql, [naming.value, ids.at(-1)])).map(({ id }) => id)
    if (ids.length > 0) yield ids
    if (ids.length < idsAtOnce) return
  }
}

/** How many live rows name a record. */
export function countReferencing(read: Reader, schema: ObjectSchema, naming: Naming): number {
  const sql = `SELECT count(*) AS n FROM ${quote(schema.table)} WHERE ${holds(naming)} AND deleted_at IS NULL`
  return read.get<{ n: number }>(statement(sql, [naming.value]))!.n
}

function holds({ column, multiple }: Naming): string {
  if (!multiple) return `${quote(column)} = ?`
  return `EXISTS (SELECT 1 FROM json_each(${quote(column)}) WHERE json_each.value = ?)`
}

/** Takes the next number of an autonumber field, starting at `start`. */
export function takeNumber(tx: Tx, objectUid: string, fieldUid: string, start: number): number {
  const row = tx.get<{ n: number }>(
    statement(
      `INSERT INTO data_autonumber (object_uid, field_uid, next_number) VALUES (?, ?, ? + 1)
       ON CONFLICT (object_uid, field_uid) DO UPDATE SET next_number = next_number + 1
       RETURNING next_number - 1 AS n`,
      [objectUid, fieldUid, start],
    ),
  )
  return row!.n
}

/** Lets an autonumber field go on at `next` at least. */
export function raiseNumber(tx: Tx, objectUid: string, fieldUid: string, next: number): void {
  tx.run(
    statement(
      `INSERT INTO data_autonumber (object_uid, field_uid, next_number) VALUES (?, ?, ?)
       ON CONFLICT (object_uid, field_uid) DO UPDATE SET next_number = excluded.next_number
       WHERE next_number < excluded.next_number`,
      [objectUid, fieldUid, next],
    ),
  )
}

/** Remembers what deleting the root record did to another one. */
export function addDeleteEffect(tx: Tx, rootObject: string, rootId: string, effect: DeleteEffect): void {
  tx.run(
    statement(
      `INSERT OR REPLACE INTO data_delete_effect (root_object, root_id, effect, object, record_id, field)
       VALUES (?, ?, ?, ?, ?, ?)`,
      [rootObject, rootId, effect.effect, effect.object, effect.recordId, effect.field],
    ),
  )
}

/** The remembered effects of a deletion, some at a time; they are forgotten as they are handed out. */
export function* takeDeleteEffects(tx: Tx, rootId: string): Generator<DeleteEffect[], void, void> {
  const sql = `SELECT effect, object, record_id AS recordId, field FROM data_delete_effect WHERE root_id = ?
    ORDER BY object, record_id, field LIMIT ${idsAtOnce}`
  for (;;) {
    const effects = tx.all<DeleteEffect>(statement<DeleteEffect>(sql, [rootId]))
    const last = effects.at(-1)
    if (last === undefined) return
    tx.run(
      statement('DELETE FROM data_delete_effect WHERE root_id = ? AND (object, record_id, field) <= (?, ?, ?)', [
        rootId,
        last.object,
        last.recordId,
        last.field,
      ]),
    )
    yield effects
    if (effects.length < idsAtOnce) return
  }
}

/** Forgets what a deletion did to other records. */
export function forgetEffectsOf(tx: Tx, rootId: string): void {
  tx.run(statement('DELETE FROM data_delete_effect WHERE root_id = ?', [rootId]))
}

/** Forgets what deletions of other records did to a record that is gone for good. */
export function forgetEffectsOn(tx: Tx, object: string, recordId: string): void {
  tx.run(statement('DELETE FROM data_delete_effect WHERE object = ? AND record_id = ?', [object, recordId]))
}

/** Forgets that a record went into the trash with another one. */
export function forgetCascadeOn(tx: Tx, object: string, recordId: string): void {
  const sql = "DELETE FROM data_delete_effect WHERE object = ? AND record_id = ? AND effect = 'cascade'"
  tx.run(statement(sql, [object, recordId]))
}

/** Gives remembered effects on records of an object its new name and those of its fields, old names to new ones. */
export function renameEffects(
  tx: Tx,
  { from, to }: { from: string; to: string },
  fields: ReadonlyMap<string, string>,
): void {
  if (from !== to) {
    tx.run(statement('UPDATE data_delete_effect SET root_object = ? WHERE root_object = ?', [to, from]))
    tx.run(statement('UPDATE data_delete_effect SET object = ? WHERE object = ?', [to, from]))
  }
  // By names nothing has in between: two fields may have swapped theirs.
  const rename = 'UPDATE data_delete_effect SET field = ? WHERE object = ? AND field = ?'
  for (const [old, next] of fields) tx.run(statement(rename, [`>${next}`, to, old]))
  for (const next of fields.values()) tx.run(statement(rename, [next, to, `>${next}`]))
}

/** Rows of a table, live ones only or all; used by plans of schema changes. */
export function countRows(read: Reader, table: string): number {
  return read.get<{ n: number }>(statement(`SELECT count(*) AS n FROM ${quote(table)}`))!.n
}

/** Highest row number of a table: about how many rows it has. */
export function aboutRows(reads: Pick<Reads, 'get'>, table: string): number {
  return reads.get<{ n: number | null }>(statement(`SELECT max(rowid) AS n FROM ${quote(table)}`))?.n ?? 0
}

/** The next rows after a row number, those in the trash too, with their `rowid`. */
export function rowsAfter(read: Pick<Reads, 'all'>, schema: ObjectSchema, after: number, limit: number): Row[] {
  const list = codecOf(schema).columns.map(quote).join(', ')
  const sql = `SELECT rowid AS rowid, ${list} FROM ${quote(schema.table)} WHERE rowid > ? ORDER BY rowid LIMIT ?`
  return read.all<Row>(statement(sql, [after, limit]))
}

/** Sets columns of a row by its number. */
export function updateNumbered(tx: Tx, schema: ObjectSchema, rowid: Row[string] | undefined, columns: Row): void {
  const names = Object.keys(columns)
  const sets = names.map((name) => `${quote(name)} = ?`).join(', ')
  const sql = `UPDATE ${quote(schema.table)} SET ${sets} WHERE rowid = ?`
  tx.run(statement(sql, [...names.map((name) => columns[name]), rowid]))
}

/** Whether any row, under an alias, meets all conditions. */
export function anyRow(
  read: Pick<Reads, 'get'>,
  { table }: ObjectSchema,
  alias: string,
  conditions: readonly string[],
  parameters: readonly unknown[],
): boolean {
  const sql = `SELECT 1 FROM ${quote(table)} AS ${alias} WHERE ${conditions.join(' AND ')}`
  return read.get(statement(sql, parameters)) !== undefined
}

/** The first row in the trash that meets all conditions, by id. */
export function findTrashed(
  read: Pick<Reads, 'get'>,
  { table }: ObjectSchema,
  conditions: readonly string[],
  parameters: readonly unknown[],
): string | undefined {
  const where = ['deleted_at IS NOT NULL', ...conditions].join(' AND ')
  const sql = `SELECT id FROM ${quote(table)} WHERE ${where} ORDER BY id LIMIT 1`
  return read.get<{ id: string }>(statement(sql, parameters))?.id
}

/** Whether the way up from a row, by a column that names the row above, leads to another one. */
export function leadsUpTo(
  read: Pick<Reads, 'get'>,
  schema: ObjectSchema,
  column: string,
  from: string,
  id: unknown,
): boolean {
  const up = quote(column)
  // UNION rather than UNION ALL: a ring that is stored already ends the walk.
  const sql = `WITH RECURSIVE above(id) AS (
      SELECT ? UNION SELECT ${up} FROM ${quote(schema.table)} AS t JOIN above ON t.id = above.id WHERE ${up} IS NOT NULL
    ) SELECT 1 FROM above WHERE id = ?`
  return read.get(statement(sql, [from, id])) !== undefined
}

/**
 * The live rows that stand above each other with a row among them, each followed by the one above it; none where the way up
 * does not come back to it, or leads through the trash.
 */
export function ringThrough(
  read: Reader,
  schema: ObjectSchema,
  column: string,
  { id, [column]: first }: Row,
): readonly string[] {
  if (first === null || !leadsUpTo(read, schema, column, first as string, id)) return []
  const ids = [id as string]
  for (let above = first; above !== id;) {
    const next = getRow(read, schema, above as string)
    if (next === undefined || next['deleted_at'] !== null) return []
    ids.push(above as string)
    above = next[column]!
  }
  return ids
}

/** The stored value of a key, or undefined. */
export function getKey(read: Reader, name: string): string | undefined {
  const found: Statement<{ value: string }> = statement('SELECT value FROM data_key WHERE name = ?', [name])
  return read.get(found)?.value
}

/** Stores a key that is not there yet. */
export function putKey(tx: Tx, name: string, value: string): void {
  tx.run(statement('INSERT OR IGNORE INTO data_key (name, value) VALUES (?, ?)', [name, value]))
}
