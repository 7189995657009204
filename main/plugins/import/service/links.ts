// Turns what people write into cells of relations into ids: an id stays, another text is looked up among the external ids
// and the display names of the records it may mean. One query per field and slice, with the caller's rights.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import { declaredTypeOf, fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { RowError } from './row-outcome.ts'

/** A row under way. */
export interface LinkedRow {
  readonly values: Record<string, unknown>
  readonly errors: RowError[]
}

/** Resolves the relations of rows in place. */
export interface LinkResolver {
  resolve(ctx: RequestContext, rows: readonly LinkedRow[]): Promise<void>
}

/** Names remembered per object; found ones only, because a later row may add what is missing. */
const maxRemembered = 20_000

/** What a name leads to. */
export type Found = { readonly id: string } | 'several'

/**
 * Makes a resolver for the relation fields among `fields`.
 * @param foretold what a name would lead to that leads nowhere yet
 */
export function createLinkResolver(
  parts: { data: DataService; metadata: MetadataService },
  fields: readonly FieldSchema[],
  foretold?: (object: string, name: string) => Found | undefined,
): LinkResolver {
  const relations = fields.filter(
    (field) =>
      fieldTypeOf(field).relation === true && field.reference !== null && field.type !== 'user' && !field.system,
  )
  const remembered = new Map<string, Map<string, Found>>()

  const lookUp = async (
    ctx: RequestContext,
    target: ObjectSchema,
    names: readonly string[],
  ): Promise<Map<string, Found>> => {
    let known = remembered.get(target.name)
    if (known === undefined || known.size > maxRemembered) remembered.set(target.name, (known = new Map()))
    for (const field of namingFields(target)) {
      const open = names.filter((name) => !known.has(name))
      if (open.length === 0) break
      const found = await findByName(parts.data, ctx, target, field, open)
      for (const [name, record] of found) known.set(name, record)
    }
    return known
  }

  return {
    async resolve(ctx, rows) {
      for (const field of relations) {
        const names = new Set<string>()
        for (const { values } of rows) for (const name of namesOf(values[field.name])) names.add(name)
        const target = names.size === 0 ? undefined : parts.metadata.objectSchema(field.reference!)
        if (target === undefined) continue
        const known = await lookUp(ctx, target, [...names])
        for (const row of rows) {
          if (namesOf(row.values[field.name]).length > 0)
            replace(row, field, (name) => known.get(name) ?? foretold?.(target.name, name))
        }
      }
    },
  }
}

/** External ids first: they are made to tell records apart; then the name people see. */
export function namingFields(target: ObjectSchema): FieldSchema[] {
  const fields = target.fields.filter((field) => field.externalId)
  if (!fields.includes(target.displayField)) fields.push(target.displayField)
  return fields.filter((field) => declaredTypeOf(field).names && !field.multiple)
}

/** The records that names mean, by name; two names are equal where the field's own values are. */
async function findByName(
  data: DataService,
  ctx: RequestContext,
  target: ObjectSchema,
  field: FieldSchema,
  names: readonly string[],
): Promise<Map<string, Found>> {
  const keyOf = (name: string): string => (field.caseSensitive ? name : name.toLowerCase())
  const found = new Map<string, Found>()
  let cursor: string | undefined
  do {
    const page = await data.find(ctx, target.name, {
      filter: { [field.name]: { $in: names } },
      select: [field.name],
      top: 1000,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const record of page.records) {
      const key = keyOf(String(record[field.name]))
      found.set(key, found.has(key) ? 'several' : { id: record['id'] as string })
    }
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return new Map(names.flatMap((name) => (found.has(keyOf(name)) ? [[name, found.get(keyOf(name))!] as const] : [])))
}

function namesOf(value: unknown): string[] {
  return [value].flat().filter((item): item is string => typeof item === 'string' && parseUuid(item) === null)
}

function replace(row: LinkedRow, field: FieldSchema, find: (name: string) => Found | undefined): void {
  const idOf = (item: unknown): unknown => {
    if (typeof item !== 'string' || parseUuid(item) !== null) return item
    const found = find(item)
    if (typeof found === 'object') return found.id
    const name = item.slice(0, 100)
    row.errors.push(
      found === 'several'
        ? {
            field: field.name,
            code: 'not_unique',
            message: `Several records of "${field.reference}" are called "${name}".`,
          }
        : {
            field: field.name,
            code: 'invalid_reference',
            message: `There is no record of "${field.reference}" called "${name}".`,
          },
    )
    return item
  }
  const value = row.values[field.name]
  row.values[field.name] = Array.isArray(value) ? value.map(idOf) : idOf(value)
}
