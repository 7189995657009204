// A schema plan as the statements that carry it out: new columns first, which are filled while the old ones still
// stand, then the exchange of names. The indexes come last, or are left to whoever builds them aside.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { freshColumns, retiredColumns } from './column-work.ts'
import type { ColumnWork } from './column-work.ts'
import { createIndexSql, dropIndexSql, physicalIndexes, trashIndex } from './physical-indexes.ts'
import type { SchemaPlan } from './schema-plan.ts'
import { worksOf } from './schema-plan.ts'
import { quoteName } from './sql-text.ts'
import { columnDefinitions, createTableSql, defaultColumns, fieldColumns } from './table-ddl.ts'

/** A field whose values step aside under other names; from there they can come back. */
export interface RetiredField {
  readonly field: FieldSchema
  /** Physical names, main column first. */
  readonly columns: readonly string[]
  /** The field that took its place; null when it was deleted. */
  readonly next: FieldSchema | null
}

/** A plan in its parts, in the order they are carried out. */
export interface PlanSql {
  /** Definitions of the columns the table gets first: they take converted values. */
  readonly widen: readonly string[]
  /** The works with the columns they fill. */
  readonly works: readonly { readonly work: ColumnWork; readonly to: readonly string[] }[]
  /** Names change hands, columns that were put aside come back, the table is renamed. */
  readonly exchange: readonly string[]
  /** Definitions of the columns the table, by its new name, gets last: those of added fields. */
  readonly added: readonly string[]
  readonly dropIndexes: readonly string[]
  readonly createIndexes: readonly string[]
  readonly retired: readonly RetiredField[]
}

/** How a plan is carried out. */
export interface PlanSqlOptions {
  /** Part of the names of columns that are made or put aside; unique for each change. */
  readonly token: string
  /** Columns of returning fields that stand aside already, by the field's name. */
  readonly returning?: ReadonlyMap<string, readonly string[]>
}

const nothing: PlanSql = {
  widen: [],
  works: [],
  exchange: [],
  added: [],
  dropIndexes: [],
  createIndexes: [],
  retired: [],
}

/**
 * The statements of a counted plan between two versions that both have a table; a new object is made at once. Tables of
 * objects that go are the caller's concern.
 * @source D-100
 */
export function planSql(plan: SchemaPlan, options: PlanSqlOptions): PlanSql {
  const { before, after, changes } = plan
  if (!before || (before.abstract && after && !after.abstract)) {
    return { ...nothing, exchange: after ? createTableSql(after) : [] }
  }
  if (before.abstract || !after || after.abstract) return nothing
  const { token } = options
  const works = worksOf(plan).map((work, i) => ({ work, to: freshColumns(token, i, work.next) }))
  const rewritten = new Set(works.map(({ work }) => work.next.name))
  const added = changes.flatMap(({ change, newField }): [FieldSchema, readonly string[] | undefined][] =>
    change === 'add_field' && newField ? [[newField, options.returning?.get(newField.name)]] : [],
  )
  const retired: RetiredField[] = [
    ...works.map(({ work }, i) => ({ field: work.old, columns: retiredColumns(token, i, work.old), next: work.next })),
    ...changes
      .flatMap(({ change, oldField }) => (change === 'delete_field' && oldField ? [oldField] : []))
      .map((field, i) => ({ field, columns: retiredColumns(token, works.length + i, field), next: null })),
  ]
  const table = quoteName(after.table)
  const rename = (from: string, to: string) =>
    `ALTER TABLE ${table} RENAME COLUMN ${quoteName(from)} TO ${quoteName(to)}`
  const take = (field: FieldSchema, from: readonly string[]) =>
    fieldColumns(field).map((column, i) => rename(from[i]!, column.name))
  const isRenamed = before.name !== after.name
  const indexes = indexChanges(plan, rewritten)

  return {
    widen: works.flatMap(({ work, to }) => columnDefinitions(work.next, to)),
    works,
    exchange: [
      ...(isRenamed ? [`ALTER TABLE ${quoteName(before.table)} RENAME TO ${table}`] : []),
      ...retired.flatMap(({ field, columns }) =>
        fieldColumns(field).map((column, i) => rename(column.name, columns[i]!)),
      ),
      ...renameSql(changes, rewritten, rename),
      ...works.flatMap(({ work, to }) => take(work.next, to)),
      ...added.flatMap(([field, back]) => (back === undefined ? [] : take(field, back))),
    ],
    added: added.flatMap(([field, back]) => {
      if (back !== undefined) return []
      const names = fieldColumns(field).map((column) => column.name)
      return columnDefinitions(field, names, defaultColumns(field))
    }),
    dropIndexes: [...indexes.drop, ...(isRenamed ? [dropTrashIndex(before)] : [])],
    createIndexes: [...(isRenamed ? [createIndexSql(trashIndex(after))] : []), ...indexes.create],
    retired,
  }
}

/**
 * Indexes that go and come: those that differ, and those over a column that changes hands although their definition is
 * the same, because SQLite would carry them along with the old column.
 */
function indexChanges(plan: SchemaPlan, rewritten: ReadonlySet<string>): { drop: string[]; create: string[] } {
  const { before, after, changes } = plan
  const named = (kind: 'remove_index' | 'add_index') =>
    new Set(changes.flatMap((change) => (change.change === kind && change.index ? [change.index.name] : [])))
  const dropped = named('remove_index')
  const created = named('add_index')
  const old = new Set<string>()
  const next = new Set<string>()
  for (const { change, oldField, newField } of changes) {
    if (change === 'delete_field' && oldField) old.add(oldField.column)
    if (!oldField || !newField) continue
    if (change !== 'rename_field' && !rewritten.has(newField.name)) continue
    old.add(oldField.column)
    next.add(newField.column)
  }
  for (const index of physicalIndexes(before!))
    if (index.keys.some((key) => old.has(key.column))) dropped.add(index.name)
  for (const index of physicalIndexes(after!))
    if (index.keys.some((key) => next.has(key.column))) created.add(index.name)
  // A field that goes and one that comes may share their name, and so may their indexes.
  for (const index of physicalIndexes(after!)) if (dropped.has(index.name)) created.add(index.name)
  return {
    drop: physicalIndexes(before!)
      .filter((index) => dropped.has(index.name))
      .map(dropIndexSql),
    create: physicalIndexes(after!)
      .filter((index) => created.has(index.name))
      .map(createIndexSql),
  }
}

/** Renames of columns. One whose new name still belongs to a column that is renamed too waits under a name between. */
function renameSql(
  changes: SchemaPlan['changes'],
  rewritten: ReadonlySet<string>,
  rename: (from: string, to: string) => string,
): string[] {
  const pairs = changes.flatMap(({ change, oldField, newField }) => {
    if (change !== 'rename_field' || !oldField || !newField || rewritten.has(newField.name)) return []
    const to = fieldColumns(newField)
    return fieldColumns(oldField).flatMap((column, i) => (to[i] ? [{ from: column.name, to: to[i].name }] : []))
  })
  const sources = new Set(pairs.map((pair) => pair.from))
  // No field's name has a dollar sign.
  const between = (name: string) => `${name}$`
  const waiting = pairs.filter((pair) => sources.has(pair.to))
  return [
    ...waiting.map((pair) => rename(pair.from, between(pair.to))),
    ...pairs.filter((pair) => !sources.has(pair.to)).map((pair) => rename(pair.from, pair.to)),
    ...waiting.map((pair) => rename(between(pair.to), pair.to)),
  ]
}

function dropTrashIndex(schema: ObjectSchema): string {
  return `DROP INDEX IF EXISTS ${quoteName(`i_${schema.name}`)}`
}
