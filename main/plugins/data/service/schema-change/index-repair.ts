// Brings the indexes of a table in line with its object: what is missing or covers other columns is built anew, what
// belongs to no field goes. Until then queries do not name them.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Reads } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { createIndexSql, hideIndexes, physicalIndexes } from '#main/database/schema/physical-indexes.ts'
import { trashIndexSql } from '#main/database/schema/table-ddl.ts'
import { quote } from '../../store.ts'
import type { SchemaChangeParts } from './change-parts.ts'
import { usualLimits } from './change-parts.ts'
import { aboutRows } from './planning.ts'

/** What has to be done to the indexes of one table; each entry is a transaction of its own. */
export interface IndexRepair {
  /** Indexes of the schema that are not there. */
  readonly missing: readonly string[]
  readonly steps: readonly (readonly string[])[]
}

/** Compares the indexes a table has with those its object asks for. */
export function findIndexRepair(reads: Pick<Reads, 'all'>, schema: ObjectSchema): IndexRepair {
  if (schema.abstract) return { missing: [], steps: [] }
  const present = new Map(
    reads
      .all<{ name: string; keys: string }>(
        statement(
          `SELECT i.name AS name, group_concat(k.name || CASE k.coll WHEN 'NOCASE' THEN ' nocase' ELSE '' END, ',') AS keys
           FROM sqlite_schema AS i, pragma_index_xinfo(i.name) AS k
           WHERE i.type = 'index' AND i.tbl_name = ? AND i.sql IS NOT NULL AND k.key = 1
           GROUP BY i.name`,
          [schema.table],
        ),
      )
      .map((row) => [row.name, row.keys]),
  )
  const trash = `i_${schema.name}`
  const wanted = new Map<string, { keys: string; sql: string }>([
    [trash, { keys: 'deleted_at,id', sql: trashIndexSql(schema) }],
    ...physicalIndexes(schema).map((index): [string, { keys: string; sql: string }] => [
      index.name,
      {
        keys: index.keys.map((key) => `${key.column}${key.noCase ? ' nocase' : ''}`).join(','),
        sql: createIndexSql(index),
      },
    ]),
  ])
  const extra = [...present.keys()].filter((name) => !wanted.has(name))
  const wrong = [...wanted].filter(([name, { keys }]) => present.get(name) !== keys)
  return {
    missing: wrong.map(([name]) => name).filter((name) => name !== trash),
    steps: [
      ...extra.map((name) => [`DROP INDEX IF EXISTS ${quote(name)}`]),
      ...wrong.map(([name, { sql }]) => [...(present.has(name) ? [`DROP INDEX ${quote(name)}`] : []), sql]),
    ],
  }
}

/** Hides what is missing from queries, builds it, and shows it again. */
export async function repairIndexes(parts: SchemaChangeParts, schema: ObjectSchema): Promise<void> {
  const { missing, steps } = findIndexRepair(parts.read, schema)
  if (steps.length === 0) return
  hideIndexes(schema, missing)
  const isLarge = aboutRows(parts.read, schema.table) > (parts.limits ?? usualLimits).asideFrom
  for (const step of steps) {
    if (isLarge) await parts.longDdl.run(step)
    else await parts.write('data.index', (tx) => step.forEach((sql) => tx.ddl(sql)))
  }
  hideIndexes(schema, [])
}
