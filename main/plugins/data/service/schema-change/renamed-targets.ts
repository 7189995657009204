// What a new name of an object means for the fields that lead to it: their definitions lead to the same object as before,
// and stored links, which name the object, get its new name (D-100).
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import { columnNames, replaceText } from './table-store.ts'

type Definitions = Readonly<Record<string, unknown>>

/** Definitions of fields with the new names of the objects they lead to, so that a comparison finds no difference there. */
export function withRenamedTargets(fields: Definitions, renamed: ReadonlyMap<string, string>): Definitions {
  const nameOf = (name: unknown): unknown => (typeof name === 'string' ? (renamed.get(name) ?? name) : name)
  return Object.fromEntries(
    Object.entries(fields).map(([name, given]) => {
      if (!isMap(given)) return [name, given]
      const { reference, references } = given
      return [
        name,
        {
          ...given,
          ...(reference === undefined ? {} : { reference: nameOf(reference) }),
          ...(Array.isArray(references) ? { references: references.map(nameOf) } : {}),
        },
      ]
    }),
  )
}

/** Whether values of the field may be links that name the object. */
export function mayLinkTo(field: FieldSchema, object: string): boolean {
  return field.type === 'record' && (field.settings.references?.includes(object) ?? true)
}

/** Gives the stored links to an object its new name, in every table that is there by the name its schema says. */
export function renameLinks(
  tx: Tx,
  schemas: readonly ObjectSchema[],
  { from, to }: { from: string; to: string },
): void {
  for (const schema of schemas) {
    if (schema.abstract) continue
    const columns = columnNames(tx, schema.table)
    const fields = schema.fields.filter(
      (field) => columns.has(field.column) && (mayLinkTo(field, from) || mayLinkTo(field, to)),
    )
    for (const { column } of fields) {
      // The text every link begins with (`recordLinkText`).
      const [before, after] = [from, to].map((object) => `{"object":${JSON.stringify(object)},`) as [string, string]
      replaceText(tx, schema.table, column, before, after)
    }
  }
}

function isMap(value: unknown): value is Definitions {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
