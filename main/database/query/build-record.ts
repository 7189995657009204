// The statement that reads one record. Its text is made once per object schema, because it is the hottest of all.
import type { Statement } from '#main/kernel/database.ts'
import type { Filter } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { readableField } from '#shared/filter/resolve-path.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import { readingFormulas } from '#shared/formulas/reading-formulas.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { engineOf } from './build-find.ts'
import { writeFilter } from './filter-sql.ts'
import type { Row, RowReader } from './row-reader.ts'
import { createRowReader, selectList } from './row-reader.ts'
import { bind, column, rootScope } from './scope.ts'
import { simplifyFilter } from './simplify-filter.ts'

interface RecordSql {
  readonly get: string
  readonly read: RowReader
}

const cache = new WeakMap<ObjectSchema, RecordSql>()

/** Reads one live record by id, with every visible field. Rows go through {@link readRecord}. */
export function buildGet(schema: ObjectSchema, id: string): Statement<Row> {
  return { sql: sqlOf(schema).get, parameters: [id] }
}

/** Turns a row of {@link buildGet} into the record, in place. */
export function readRecord(schema: ObjectSchema, row: Row): Row {
  return sqlOf(schema).read(row)
}

/** Reads one live record for a caller with restricted rights. */
export interface RecordReadPlan {
  statement(id: string): Statement<Row>
  /** Turns a row into the record, in place. */
  readonly read: RowReader
}

/**
 * Prepares reading records one by one for a caller: the fields it may read, of the records a condition covers. Null when
 * a field is worked out as it is read. The result holds as long as the caller's rights and `env` do.
 */
export function prepareReadPlan(schema: ObjectSchema, rows: Filter | null, env: QueryEnv): RecordReadPlan | null {
  const fields = schema.visibleFields.filter((field) => readableField(schema, field.name, env) !== undefined)
  if (readingFormulas(schema, fields, env) !== null) return null
  const scope = rootScope(schema, env)
  const where = [`${column(scope, 'id')} = ${bind(scope, '')}`, `${column(scope, 'deleted_at')} IS NULL`]
  if (rows !== null) where.push(writeFilter(scope, simplifyFilter(resolveFilter(schema, rows, engineOf(env)))))
  const sql = `SELECT ${selectList(fields, scope.alias)} FROM "${schema.table}" AS ${scope.alias} WHERE ${where.map((term) => `(${term})`).join(' AND ')}`
  const rest = scope.parameters.slice(1)
  return { statement: (id) => ({ sql, parameters: [id, ...rest] }), read: createRowReader(fields) }
}

function sqlOf(schema: ObjectSchema): RecordSql {
  let found = cache.get(schema)
  if (!found) {
    found = compile(schema)
    cache.set(schema, found)
  }
  return found
}

function compile(schema: ObjectSchema): RecordSql {
  const columns = selectList(schema.visibleFields, 't0')
  return {
    get: `SELECT ${columns} FROM "${schema.table}" AS t0 WHERE t0."id" = ? AND t0."deleted_at" IS NULL`,
    read: createRowReader(schema.visibleFields),
  }
}
