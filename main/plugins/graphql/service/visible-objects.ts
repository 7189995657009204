// What of the metadata a caller may know: the objects it may read, their readable fields and where relations lead.
// Rights are asked of the authorizer; nothing of GraphQL is known here.
import { declaredTypeOf, fieldTypeOf } from '#shared/field-types/registry.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ApiMethod } from '#shared/object-api.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'

/** Details or referencing records that an object shows as a list (D-87). */
export interface VisibleChildren {
  /** The `relationshipName`. */
  readonly name: string
  /** The object whose records they are. */
  readonly object: string
}

/** An object with what the caller may read of it. */
export interface VisibleObject {
  readonly schema: ObjectSchema
  readonly fields: readonly FieldSchema[]
  readonly children: readonly VisibleChildren[]
  /** Whether the object's API offers all of these operations (D-71). */
  offers(...methods: readonly ApiMethod[]): boolean
}

/** Everything a caller may know, by name. */
export type VisibleObjects = ReadonlyMap<string, VisibleObject>

/** Where the relation of a field leads: people, an object that is visible, or nowhere the caller may look. */
export function targetOf(field: FieldSchema, objects: VisibleObjects): string | null {
  if (fieldTypeOf(field).relation !== true || field.reference === null) return null
  if (field.type === 'user') return userDirectory.name
  return objects.has(field.reference) ? field.reference : null
}

/** Works out what the caller may know. */
export function visibleObjects(
  authorizer: Authorizer,
  ctx: RequestContext,
  schemas: readonly ObjectSchema[],
): VisibleObjects {
  const isFree = authorizer.isUnrestricted(ctx)
  const readable = (schema: ObjectSchema, field: FieldSchema): boolean =>
    isFree || field.system || authorizer.canField(ctx, schema.name, field.name, 'readable')
  const seen = schemas.filter(
    (schema) =>
      !schema.abstract && schema.enable.apiEnabled && (isFree || authorizer.canObject(ctx, schema.name, 'read')),
  )
  const children = childrenOf(schemas, new Set(seen.map(({ name }) => name)), readable)
  return new Map(
    seen.map((schema) => [
      schema.name,
      {
        schema,
        fields: fieldsOf(schema).filter((field) => readable(schema, field)),
        children: (children.get(schema.name) ?? []).filter(({ name }) => !isRelation(schema.byName.get(name))),
        offers: (...methods) => methods.every((method) => schema.enable.apiMethods?.includes(method) ?? true),
      },
    ]),
  )
}

/** Fields in the order records show them; those of the trash last, where there is one. */
function fieldsOf(schema: ObjectSchema): readonly FieldSchema[] {
  return schema.enable.trash ? [...schema.visibleFields, ...schema.systemFields.slice(6)] : schema.visibleFields
}

/** Lists of children by the object they hang on; the first field of a name counts, as in expansions. */
function childrenOf(
  schemas: readonly ObjectSchema[],
  seen: ReadonlySet<string>,
  readable: (schema: ObjectSchema, field: FieldSchema) => boolean,
): ReadonlyMap<string, VisibleChildren[]> {
  const found = new Map<string, VisibleChildren[]>()
  const taken = new Set<string>()
  for (const schema of schemas) {
    if (schema.abstract) continue
    for (const field of schema.fields) {
      const name = field.settings.relationshipName
      if (name === undefined || field.reference === null || field.type === 'user') continue
      const key = `${field.reference} ${name}`
      if (taken.has(key)) continue
      taken.add(key)
      if (!seen.has(field.reference) || !seen.has(schema.name) || !readable(schema, field)) continue
      const list = found.get(field.reference)
      const entry = { name, object: schema.name }
      if (list === undefined) found.set(field.reference, [entry])
      else list.push(entry)
    }
  }
  return found
}

function isRelation(field: FieldSchema | undefined): boolean {
  return field !== undefined && declaredTypeOf(field).relation === true
}

/** Text that is equal exactly where two callers may know the same. */
export function digestOf(objects: VisibleObjects): string {
  return [...objects.values()]
    .map(
      ({ schema, fields, children }) =>
        `${schema.name}(${fields.map(({ name }) => name).join()})${children.map(({ name }) => name).join()}`,
    )
    .join('\n')
}
