// Which columns an exported table has and what stands in them: the fields of the query, or the paths its select names.
import { userDirectory } from '#shared/user-directory.ts'
import { relationTarget } from '#shared/filter/relation-target.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'
import { isConcealed } from '#shared/field-types/registry.ts'
import { cellOfValue } from './cell-text.ts'
import type { Cell, CellStyle } from './cell-text.ts'

/** One column of a table. */
export interface ExportColumn {
  readonly name: string
  cell(record: PlatformRecord): Cell
}

/**
 * The columns of a table.
 * @param fields the fields of every record
 * @param select the names and paths that were asked for, in their order; null for every field
 */
export function columnsOf(
  schema: ObjectSchema,
  fields: readonly FieldSchema[],
  select: readonly string[] | null,
  style: CellStyle,
  schemaOf: (object: string) => ObjectSchema | undefined,
): ExportColumn[] {
  if (select === null) return fields.filter((field) => !isConcealed(field)).map((field) => ownColumn(field, style))
  return select.flatMap((path) => {
    const names = path.split('.')
    const field = schema.byName.get(names[0]!)
    if (field === undefined) return []
    if (names.length === 1) return isConcealed(field) ? [] : [ownColumn(field, style)]
    return pathColumn(schema, names, style, schemaOf)
  })
}

/** The columns of rows that are no records: groups and distinct tuples. */
export function columnsOfRows(rows: readonly PlatformRecord[], schema: ObjectSchema, style: CellStyle): ExportColumn[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return names
    .map((name) => ({ name, field: schema.byName.get(name) ?? null }))
    .filter(({ field }) => field === null || !isConcealed(field))
    .map(({ name, field }) => ({ name, cell: (row) => cellOfValue(row[name], field, style) }))
}

function ownColumn(field: FieldSchema, style: CellStyle): ExportColumn {
  return { name: field.name, cell: (record) => cellOfValue(record[field.name], field, style) }
}

/** A path through relations; through a list of records it gives a list of values. */
function pathColumn(
  schema: ObjectSchema,
  names: readonly string[],
  style: CellStyle,
  schemaOf: (object: string) => ObjectSchema | undefined,
): ExportColumn[] {
  let at: ObjectSchema | undefined = schema
  let field: FieldSchema | undefined
  for (const [index, name] of names.entries()) {
    field = at?.byName.get(name)
    if (field === undefined) break
    at = relationTarget(field, { schemaOf, users: userDirectory })
    if (index < names.length - 1 && at === undefined) break
  }
  const last = field ?? null
  if (last !== null && isConcealed(last)) return []
  return [
    {
      name: names.join('.'),
      cell(record) {
        const values = names.reduce<unknown[]>((found, name) => found.flatMap((item) => memberOf(item, name)), [record])
        if (values.length < 2) return cellOfValue(values[0], last, style)
        const texts = values.map((value) => cellOfValue(value, last, style)).filter((text) => text !== null)
        return texts.map(String).join('; ')
      },
    },
  ]
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return []
  return (value as Record<string, unknown>)[name]
}
