// The objects a caller may know in the words of tools: fields, and what the caller may do. Nothing of the protocol is known here.
import { z } from 'zod'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { notFound } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PermissionsService, VisibleObject } from '#main/plugins/permissions/api.ts'

/** An object in a list. */
export const ObjectSummary = z.object({
  name: z.string(),
  label: z.string(),
  pluralLabel: z.string(),
  displayField: z.string().meta({ description: 'The field whose value names a record.' }),
})

/** A field as it is described. */
export const FieldDescription = z.object({
  name: z.string(),
  type: z.string(),
  label: z.string(),
  required: z.boolean(),
  editable: z.boolean().meta({ description: 'Whether create_record and update_record may set it.' }),
  unique: z.boolean(),
  multiple: z.boolean(),
  reference: z.string().optional().meta({ description: 'The object its values are ids of.' }),
  options: z.array(z.string()).optional(),
})

/** An object with its fields. */
export const ObjectDescription = ObjectSummary.extend({
  fields: z.array(FieldDescription),
  actions: z.array(z.enum(['create', 'edit', 'delete', 'purge'])).meta({ description: 'What the caller may do.' }),
  definition: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'The object as save_metadata takes it, with what the caller may see of it.' }),
})

/** The objects as a caller sees them. */
export interface ObjectDescriptions {
  list(ctx: RequestContext): z.input<typeof ObjectSummary>[]
  /** @throws resource_not_found also for what the caller may not see */
  describe(ctx: RequestContext, name: string): z.input<typeof ObjectDescription>
}

/** What they are made from. */
export interface DescriptionParts {
  readonly metadata: MetadataService
  readonly permissions: Pick<PermissionsService, 'visibleObjects'>
  readonly authorizer: () => Authorizer
}

/** Makes them. */
export function createObjectDescriptions({ metadata, permissions, authorizer }: DescriptionParts): ObjectDescriptions {
  const summaryOf = ({ schema, fields }: VisibleObject): z.input<typeof ObjectSummary> => {
    const { name, label, pluralLabel, displayField } = schema
    return { name, label, pluralLabel, displayField: fields.includes(displayField) ? displayField.name : 'id' }
  }

  return {
    list: (ctx) => [...permissions.visibleObjects(ctx).byName.values()].map(summaryOf),
    describe(ctx, name) {
      const visible = permissions.visibleObjects(ctx).byName.get(name)
      if (visible === undefined) throw notFound('object', name)
      const rights = authorizer()
      const item = metadata.get('object', name)
      const definition = item === undefined ? null : metadata.seen(ctx, item)
      metadata.noteUse(ctx, 'object', name)
      return {
        ...summaryOf(visible),
        fields: visible.fields.map((one) =>
          describeField(one, !one.computed && !one.readonly && rights.canField(ctx, name, one.name, 'editable')),
        ),
        actions: (['create', 'edit', 'delete', 'purge'] as const).filter((action) =>
          rights.canObject(ctx, name, action),
        ),
        ...(definition === null ? {} : { definition: { ...definition } }),
      }
    },
  }
}

function describeField(field: FieldSchema, mayEdit: boolean): z.input<typeof FieldDescription> {
  const options = field.options.filter((one) => one.active !== false).map(({ value }) => value)
  return {
    name: field.name,
    type: field.type,
    label: field.label,
    required: field.required,
    editable: mayEdit,
    unique: field.unique,
    multiple: field.multiple,
    ...(field.reference === null ? {} : { reference: field.reference }),
    ...(options.length === 0 ? {} : { options }),
  }
}
