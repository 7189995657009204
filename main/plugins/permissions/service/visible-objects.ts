// What of the metadata a caller may know, worked out once for each set of rights and kept until metadata or rights change.
import { hash } from 'node:crypto'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { VisibleChildren, VisibleObject, VisibleObjects } from '../api.ts'
import { callerKind } from './authorizer.ts'

/** What it is worked out from. */
export interface VisibleObjectsParts {
  readonly metadata: Pick<MetadataService, 'epoch' | 'objectSchemas'>
  /** Answers the same value as long as none of the actor's rights change. */
  readonly directory: { rightsOf(ctx: RequestContext): object }
  readonly authorizer: Authorizer
}

/** Makes what answers the objects of a caller; who has the same rights gets the same value until something changes. */
export function createVisibleObjects(parts: VisibleObjectsParts): (ctx: RequestContext) => VisibleObjects {
  const { metadata, directory, authorizer } = parts
  const everything = {}
  const nothing = {}
  let epoch = -1
  let known = new WeakMap<object, VisibleObjects>()

  return (ctx) => {
    if (metadata.epoch() !== epoch) {
      epoch = metadata.epoch()
      known = new WeakMap()
    }
    // Row rules may ask for the time; which objects and fields are open hangs on nothing but the rights.
    const kind = callerKind(ctx)
    const standing =
      kind === 'host' || authorizer.isUnrestricted(ctx)
        ? everything
        : kind === 'user'
          ? directory.rightsOf(ctx)
          : nothing
    let visible = known.get(standing)
    if (visible === undefined) known.set(standing, (visible = workOut(authorizer, ctx, metadata.objectSchemas())))
    return visible
  }
}

function workOut(authorizer: Authorizer, ctx: RequestContext, schemas: readonly ObjectSchema[]): VisibleObjects {
  const isFree = authorizer.isUnrestricted(ctx)
  const canRead = (schema: ObjectSchema, field: FieldSchema): boolean =>
    isFree || field.system || authorizer.canField(ctx, schema.name, field.name, 'readable')
  const seen = schemas.filter(
    (schema) =>
      !schema.abstract && schema.enable.apiEnabled && (isFree || authorizer.canObject(ctx, schema.name, 'read')),
  )
  const names = new Set(seen.map(({ name }) => name))
  const children = childrenOf(schemas, (schema, field) => names.has(schema.name) && canRead(schema, field))
  const byName = new Map(
    seen.map((schema): [string, VisibleObject] => [
      schema.name,
      {
        schema,
        fields: schema.visibleFields.filter((field) => canRead(schema, field)),
        children: children.get(schema.name) ?? [],
      },
    ]),
  )
  let digest: string | undefined
  return {
    byName,
    targetOf(field) {
      if (fieldTypeOf(field).relation !== true || field.reference === null) return undefined
      return field.type === 'user' ? userDirectory : byName.get(field.reference)?.schema
    },
    digest: () => (digest ??= hash('sha256', printed(byName))),
  }
}

/** Lists of children by the object they hang on; the first field of a name counts, as in expansions (D-87). */
function childrenOf(
  schemas: readonly ObjectSchema[],
  isVisible: (schema: ObjectSchema, field: FieldSchema) => boolean,
): ReadonlyMap<string, readonly VisibleChildren[]> {
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
      if (!isVisible(schema, field)) continue
      const list = found.get(field.reference)
      if (list === undefined) found.set(field.reference, [{ name, schema, field }])
      else list.push({ name, schema, field })
    }
  }
  return found
}

function printed(byName: ReadonlyMap<string, VisibleObject>): string {
  return [...byName.values()]
    .map(
      ({ schema, fields, children }) =>
        `${schema.name}(${fields.map(({ name }) => name).join()})${children.map(({ name }) => name).join()}`,
    )
    .join('\n')
}
