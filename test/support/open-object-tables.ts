// Object tables in a real SQLite file without a host: what tests of the query engine start from.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import { compileObject } from '#shared/object-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { Statement } from '#main/kernel/database.ts'
import { registerFunctions } from '#main/database/query/functions.ts'
import { createTableSql } from '#main/database/schema/table-ddl.ts'
import { buildInsert } from './build-insert.ts'

/** Open tables. */
export interface ObjectTables {
  readonly db: Sqlite.Database
  /** Everything may be read; the zone is UTC and the caller `me`. */
  readonly env: QueryEnv
  schema(name: string): ObjectSchema
  /** Inserts a record; times are filled in. */
  insert(object: string, values: Record<string, unknown>): void
  /** All rows of a statement. */
  all<Row>(statement: Statement<Row>): Row[]
  /** The lines of the plan of a statement. */
  explain(statement: Statement): string[]
  close(): void
}

/** A number as a record id; greater numbers sort later. */
export function numberedId(number: number): string {
  return `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`
}

/** Compiles a definition. @throws Error with the problems of a definition that is not valid */
export function compileDefinition(definition: unknown): ObjectSchema {
  const result = checkObjectDefinition(definition)
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return compileObject(result.definition)
}

/** Opens a file with the tables of the definitions. */
export function openObjectTables(definitions: readonly Record<string, unknown>[]): ObjectTables {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-tables-'))
  const db = new Sqlite(join(folder, 'data.sqlite'))
  db.pragma('synchronous = OFF')
  registerFunctions(db)
  const schemas = new Map(definitions.map((definition) => [definition['name'], compileDefinition(definition)]))
  for (const schema of schemas.values()) for (const sql of createTableSql(schema)) db.exec(sql)
  const schema = (name: string): ObjectSchema => {
    const found = schemas.get(name)
    if (!found) throw new Error(`There is no object ${name}.`)
    return found
  }
  const now = Date.UTC(2026, 5, 15, 12)
  return {
    db,
    env: { schemaOf: (name) => schemas.get(name), now, timeZone: 'UTC', userId: 'me' },
    schema,
    insert(object, values) {
      const stamp = '2026-01-01T00:00:00.000Z'
      const { sql, parameters } = buildInsert(schema(object), { created_at: stamp, updated_at: stamp, ...values })
      db.prepare(sql).run(...parameters)
    },
    all: <Row>({ sql, parameters }: Statement<Row>) => db.prepare(sql).all(...parameters) as Row[],
    explain: ({ sql, parameters }) =>
      (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[]).map(({ detail }) => detail),
    close() {
      db.close()
      rmSync(folder, { recursive: true })
    },
  }
}
