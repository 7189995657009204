// Which objects are entities and where they lead, as far as a caller may know.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { notFound } from '#shared/errors.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { RecordAction } from '#shared/route.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import { navigationNameOf } from './names.ts'

/** One way from an entity to others. */
export interface Navigation {
  /** The name in the model. */
  readonly name: string
  /** What the expander calls it: the relation field, or the name the referencing field declares. */
  readonly source: string
  readonly target: ObjectSchema
  readonly many: boolean
  /** The relation field: of the entity itself, or of the others that refer to it. */
  readonly field: FieldSchema
  readonly isChildren: boolean
}

/** The entities of one caller. */
export interface EntityModel {
  /** Objects with an API that the caller may read, by name. */
  readonly objects: () => readonly ObjectSchema[]
  /** Fields of an object that the caller may read. */
  fields(schema: ObjectSchema): readonly FieldSchema[]
  navigations(schema: ObjectSchema): readonly Navigation[]
  /** By its name in the model or the name of its field; undefined also for what the caller may not read. */
  navigation(schema: ObjectSchema, name: string): Navigation | undefined
  /** The object of an entity set. @throws permission_denied, resource_not_found */
  require(name: string, action: RecordAction): ObjectSchema
}

/** Answers the entities as a caller may see them. */
export type EntityModels = (ctx: RequestContext) => EntityModel

/** What the models are made from. */
export interface ModelParts {
  readonly metadata: Pick<MetadataService, 'objectSchema'>
  readonly permissions: Pick<PermissionsService, 'visibleObjects'>
  readonly authorizer: () => Authorizer
}

/** Makes the models over metadata and rights. */
export function createEntityModels({ metadata, permissions, authorizer }: ModelParts): EntityModels {
  return (ctx) => {
    const visible = permissions.visibleObjects(ctx)
    const fields = (schema: ObjectSchema): readonly FieldSchema[] =>
      schema === userDirectory ? schema.visibleFields : (visible.byName.get(schema.name)?.fields ?? [])
    const navigations = (schema: ObjectSchema): Navigation[] => {
      const own = fields(schema).flatMap((field): Navigation[] => {
        const target = visible.targetOf(field)
        if (target === undefined) return []
        const name = navigationNameOf(field)
        return [{ name, source: field.name, target, many: field.multiple, field, isChildren: false }]
      })
      const taken = new Set([...schema.byName.keys(), ...own.map(({ name }) => name)])
      for (const { name, schema: target, field } of visible.byName.get(schema.name)?.children ?? []) {
        if (!taken.has(name)) own.push({ name, source: name, target, many: true, field, isChildren: true })
      }
      return own
    }
    return {
      objects: () => [...visible.byName.values()].map(({ schema }) => schema),
      fields,
      navigations,
      navigation: (schema, name) =>
        navigations(schema).find((item) => item.name === name) ??
        navigations(schema).find((item) => item.source === name),
      require(name, action) {
        requireObjectAction(authorizer(), ctx, name, action)
        const schema = metadata.objectSchema(name)
        if (schema === undefined || schema.abstract) throw notFound('object', name)
        requireApiMethods(schema)
        return schema
      },
    }
  }
}
