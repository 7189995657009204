// Which objects are entities and where they lead, from metadata and as far as a caller may know. Kept per metadata epoch.
import { fieldTypeOf } from '#shared/field-types/registry.ts'
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

/** Makes the models over metadata and rights. */
export function createEntityModels(metadata: MetadataService, authorizer: () => Authorizer): EntityModels {
  let epoch = -1
  let children = new Map<string, { schema: ObjectSchema; field: FieldSchema; name: string }[]>()

  const childrenOf = (object: string) => {
    if (metadata.epoch() !== epoch) {
      epoch = metadata.epoch()
      children = new Map()
      for (const schema of metadata.objectSchemas()) {
        if (schema.abstract) continue
        for (const field of schema.fields) {
          const name = field.settings.relationshipName
          if (name === undefined || fieldTypeOf(field).relation !== true || field.reference === null) continue
          if (field.type === 'user') continue
          const target = field.reference
          children.set(target, [...(children.get(target) ?? []), { schema, field, name }])
        }
      }
    }
    return children.get(object) ?? []
  }

  return (ctx) => {
    const rights = authorizer()
    const isOpen = (schema: ObjectSchema): boolean =>
      !schema.abstract && schema.enable.apiEnabled && rights.canObject(ctx, schema.name, 'read')
    const canRead = (schema: ObjectSchema, field: FieldSchema): boolean =>
      field.system || schema === userDirectory || rights.canField(ctx, schema.name, field.name, 'readable')

    const targetOf = (field: FieldSchema): ObjectSchema | undefined => {
      if (fieldTypeOf(field).relation !== true || field.reference === null) return undefined
      if (field.type === 'user') return userDirectory
      const target = metadata.objectSchema(field.reference)
      return target !== undefined && isOpen(target) ? target : undefined
    }
    const navigations = (schema: ObjectSchema): Navigation[] => {
      const own = schema.visibleFields.flatMap((field): Navigation[] => {
        const target = canRead(schema, field) ? targetOf(field) : undefined
        if (target === undefined) return []
        const name = navigationNameOf(field)
        return [{ name, source: field.name, target, many: field.multiple, field, isChildren: false }]
      })
      const taken = new Set([...schema.byName.keys(), ...own.map(({ name }) => name)])
      for (const { schema: target, field, name } of childrenOf(schema.name)) {
        if (taken.has(name) || !isOpen(target) || !canRead(target, field)) continue
        taken.add(name)
        own.push({ name, source: name, target, many: true, field, isChildren: true })
      }
      return own
    }
    return {
      objects: () => metadata.objectSchemas().filter(isOpen),
      fields: (schema) => schema.visibleFields.filter((field) => canRead(schema, field)),
      navigations,
      navigation: (schema, name) =>
        navigations(schema).find((item) => item.name === name) ??
        navigations(schema).find((item) => item.source === name),
      require(name, action) {
        requireObjectAction(rights, ctx, name, action)
        const schema = metadata.objectSchema(name)
        if (schema === undefined || schema.abstract) throw notFound('object', name)
        requireApiMethods(schema)
        return schema
      },
    }
  }
}
