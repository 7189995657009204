// Edits fields as items (D-102): every edit is a save of the object the field is part of.
import type { FieldError } from '#shared/errors.ts'
import { PlatformError, notFound, validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataItem, RemoveItemInput, SaveItemInput } from '../api.ts'
import { checkBody, checkName, checkSameName } from './check-input.ts'
import { splitChildName, toFieldDefinition, withField, withoutField } from './field-items.ts'
import type { ItemCache } from './item-cache.ts'
import type { PreparedWrite } from './preparing.ts'

/** What editing fields works with; the functions are those of whole items. */
export interface FieldSavingOptions {
  readonly items: ItemCache
  readonly prepareSave: (ctx: RequestContext, input: SaveItemInput) => PreparedWrite
  /** @throws conflict, CONCURRENT_UPDATE */
  readonly requireConditions: (
    ctx: RequestContext,
    input: SaveItemInput | RemoveItemInput,
    existing: MetadataItem | null,
  ) => void
  /** @throws delete_restricted when other items need the field */
  readonly requireUnused: (field: { type: 'field'; name: string }) => void
  /** Takes away what the platform overlay says of a field of a delivered object. */
  readonly resetField: (ctx: RequestContext, input: RemoveItemInput) => PreparedWrite
}

/** Works out the save of the object that saving one field means. @throws as a save of the object, with paths of the field */
export function prepareFieldSave(
  { items, prepareSave, requireConditions }: FieldSavingOptions,
  ctx: RequestContext,
  input: SaveItemInput,
): PreparedWrite {
  const problems = [...checkName('field', input.name), ...checkBody(input.item), ...checkSameName(input)]
  if (problems.length > 0) throw validationError(problems)
  const { parent, child } = splitChildName(input.name)!
  const holder = holderOf(items, parent, child)
  const object = items.get('object', holder)
  if (object === undefined) throw notFound('object', parent)
  const existing = items.get('field', input.name) ?? null
  requireConditions(ctx, input, existing)
  const definition = toFieldDefinition(input.item)
  const from = definition['renamedFrom']
  const item = withField(object.item, {
    name: child,
    definition,
    ...(typeof from === 'string' ? { renamedFrom: from } : {}),
  })
  const { dryRun, confirm, packageId } = input
  try {
    const prepared = prepareSave(ctx, { type: 'object', name: holder, item, dryRun, confirm, packageId })
    return { ...prepared, field: input.name, result: { ...prepared.result, created: existing === null } }
  } catch (error) {
    throw relativeTo(`fields.${child}`, error)
  }
}

/** Works out the save of the object that removing one field means. @throws resource_not_found, item_locked and those of a save */
export function prepareFieldRemoval(
  { items, prepareSave, requireConditions, requireUnused, resetField }: FieldSavingOptions,
  ctx: RequestContext,
  input: RemoveItemInput,
): PreparedWrite {
  const field = items.get('field', input.name)
  if (field === undefined) throw notFound('field', input.name)
  requireConditions(ctx, input, field)
  const { parent, child } = splitChildName(input.name)!
  const holder = holderOf(items, parent, child)
  if (holder === parent && field.packageId !== null) return resetField(ctx, input)
  if (input.force !== true) requireUnused({ type: 'field', name: input.name })
  const item = withoutField(items.get('object', holder)!.item, child)
  return prepareSave(ctx, { type: 'object', name: holder, item, confirm: input.confirm })
}

/** The object in whose definition the field stands or would stand: the object itself, or one of its extensions. */
function holderOf(items: ItemCache, object: string, field: string): string {
  if (items.base('field', `${object}.${field}`) !== undefined) return object
  const extension = items.extensions(object).find(({ item }) => {
    const { fields } = item as { fields?: Record<string, unknown> }
    return fields !== undefined && Object.hasOwn(fields, field)
  })
  return extension?.name ?? object
}

/** The same failure with the paths of its fields seen from one field of the object. */
function relativeTo(path: string, error: unknown): unknown {
  if (!(error instanceof PlatformError) || !Array.isArray(error.details['fieldErrors'])) return error
  const fieldErrors = (error.details['fieldErrors'] as readonly FieldError[]).map((one) => ({
    ...one,
    field: one.field === path ? '' : one.field.startsWith(`${path}.`) ? one.field.slice(path.length + 1) : one.field,
  }))
  return new PlatformError(error.code, error, { ...error.details, fieldErrors })
}
