// Which indexes an object's table has, from its schema. The DDL creates them, the query builder counts on them.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { IndexShape } from '#main/kernel/database.ts'
import { quoteName } from './sql-text.ts'

/** One column of an index. */
export type IndexKey = IndexShape['keys'][number]

/** An index of fields: text is keyed twice (fold, then binary) so that one serves equality and sort; all end with id. */
export interface PhysicalIndex extends IndexShape {
  /** The fields it was made for, in order. */
  readonly fields: readonly FieldSchema[]
}

const cache = new WeakMap<ObjectSchema, readonly PhysicalIndex[]>()

/**
 * The indexes of the object's table. Unique fields get plain indexes: uniqueness is checked by the engine, because two
 * machines may each accept the same value and must still be able to merge.
 * @source D-92, D-93
 */
export function physicalIndexes(schema: ObjectSchema): readonly PhysicalIndex[] {
  let found = cache.get(schema)
  if (!found) {
    found = schema.abstract ? [] : compile(schema)
    cache.set(schema, found)
  }
  return found
}

const hidden = new WeakMap<ObjectSchema, ReadonlySet<string>>()

/** The indexes that queries may name: all but those that are being built. */
export function usableIndexes(schema: ObjectSchema): readonly PhysicalIndex[] {
  const missing = hidden.get(schema)
  const all = physicalIndexes(schema)
  return missing === undefined ? all : all.filter((index) => !missing.has(index.name))
}

/** Keeps queries from naming indexes that are not there; an empty list shows all again. */
export function hideIndexes(schema: ObjectSchema, names: readonly string[]): void {
  if (names.length === 0) hidden.delete(schema)
  else hidden.set(schema, new Set(names))
}

/** The index of the deleted records of an object's table. */
export function trashIndex(schema: Pick<ObjectSchema, 'name' | 'table'>): IndexShape {
  const keys = ['deleted_at', 'id'].map((column) => ({ column, noCase: false }))
  return { name: `i_${schema.name}`, table: schema.table, keys, rows: 'deleted' }
}

/** The statement that creates an index. */
export function createIndexSql(index: IndexShape): string {
  const keys = index.keys.map(({ column, noCase }) => `${quoteName(column)}${noCase ? ' COLLATE NOCASE' : ''}`)
  return `CREATE INDEX ${quoteName(index.name)} ON ${quoteName(index.table)} (${keys.join(', ')}) WHERE ${indexRows(index)}`
}

/** The condition of the rows an index has. */
export function indexRows({ rows }: Pick<IndexShape, 'rows'>): string {
  return `"deleted_at" IS ${rows === 'live' ? '' : 'NOT '}NULL`
}

/** The statement that drops an index. */
export function dropIndexSql(index: PhysicalIndex): string {
  return `DROP INDEX IF EXISTS ${quoteName(index.name)}`
}

/** The index columns of a field: text twice, anything else once. */
export function indexKeysOf(field: FieldSchema): readonly IndexKey[] {
  const binary = { column: field.column, noCase: false }
  return fieldTypeOf(field).collation === 'text' ? [{ column: field.column, noCase: true }, binary] : [binary]
}

function compile(schema: ObjectSchema): PhysicalIndex[] {
  const lists = [
    ...schema.fields.filter((field) => field.index && !field.multiple).map((field) => [field]),
    ...schema.indexes.map((index) => index.fields.flatMap((name) => schema.byName.get(name) ?? [])),
    // Lists of most callers begin with what is their own (D-46).
    ...(isOwned(schema) ? [[schema.byName.get('owner')!]] : []),
  ]
  const indexes = new Map<string, PhysicalIndex>()
  for (const fields of lists) {
    if (fields.length === 0 || fields.some((field) => field.multiple || fieldTypeOf(field).innerPaths === true))
      continue
    const name = `i_${schema.name}__${fields.map((field) => field.name).join('__')}`
    const keys = fields.flatMap(indexKeysOf)
    if (!fields.some((field) => field.name === 'id')) keys.push({ column: 'id', noCase: false })
    indexes.set(name, { name, table: schema.table, fields, keys, rows: 'live' })
  }
  return [...indexes.values()]
}

/** Whether records are seen by their owners first; details go with their master. */
function isOwned({ sharingModel, fields }: ObjectSchema): boolean {
  return sharingModel === 'private' && !fields.some((field) => field.type === 'master_detail')
}
