// Brings the indexes of a table in line with its object: what is missing or covers other columns is built anew, what
// belongs to no field goes. Until then queries do not name them.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { IndexShape, Reads } from '#main/kernel/database.ts'
import { createIndexSql, hideIndexes, physicalIndexes, trashIndex } from '#main/database/schema/physical-indexes.ts'
import { aboutRows } from '../../store.ts'
import type { SchemaChangeParts } from './change-parts.ts'
import { usualLimits } from './change-parts.ts'
import { dropIndexSql, indexKeys } from './table-store.ts'

/** What has to be done to the indexes of one table. */
export interface IndexRepair {
  /** Names of indexes that belong to no field or cover other columns. */
  readonly drop: readonly string[]
  readonly build: readonly IndexShape[]
}

/** Compares the indexes a table has with those its object asks for. */
export function findIndexRepair(reads: Pick<Reads, 'all'>, schema: ObjectSchema): IndexRepair {
  if (schema.abstract) return { drop: [], build: [] }
  const present = indexKeys(reads, schema.table)
  const wanted = new Map([trashIndex(schema), ...physicalIndexes(schema)].map((index) => [index.name, index]))
  const isRight = (name: string): boolean => {
    const keys = wanted.get(name)?.keys.map((key) => `${key.column}${key.noCase ? ' nocase' : ''}`)
    return keys?.join(',') === present.get(name)
  }
  return {
    drop: [...present.keys()].filter((name) => !isRight(name)),
    build: [...wanted.values()].filter(({ name }) => !isRight(name)),
  }
}

/** Keeps queries from naming the indexes that are to be built. */
export function hideMissing(schema: ObjectSchema, { build }: IndexRepair): void {
  const fields = new Set(physicalIndexes(schema).map((index) => index.name))
  hideIndexes(
    schema,
    build.flatMap(({ name }) => (fields.has(name) ? [name] : [])),
  )
}

/** Hides what is missing from queries, builds it, and shows it again. */
export async function repairIndexes(parts: SchemaChangeParts, schema: ObjectSchema): Promise<void> {
  const repair = findIndexRepair(parts.read, schema)
  const drops = repair.drop.map(dropIndexSql)
  if (drops.length + repair.build.length === 0) return
  hideMissing(schema, repair)
  if (aboutRows(parts.read, schema.table) > (parts.limits ?? usualLimits).asideFrom) {
    for (const drop of drops) await parts.longDdl.run([drop])
    for (const index of repair.build) await parts.longDdl.buildIndex(index)
  } else {
    await parts.write('data.index', (tx) =>
      [...drops, ...repair.build.map(createIndexSql)].forEach((sql) => tx.ddl(sql)),
    )
  }
  hideIndexes(schema, [])
}
