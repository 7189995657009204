// Edits fields as items (D-102): every edit is a save of the object the field is part of.
import type { FieldError } from '#shared/errors.ts'
import { PlatformError, notFound, platformError, validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataItem, RemoveItemInput, SaveItemInput, SaveItemResult } from '../api.ts'
import { checkBody, checkName, checkSameName } from './check-input.ts'
import { splitChildName, toFieldDefinition, withField, withoutField } from './field-items.ts'
import type { ItemCache } from './item-cache.ts'

/** What editing fields works with; the functions are those of saving whole items. */
export interface FieldSavingOptions {
  readonly cache: ItemCache
  readonly saveItem: (ctx: RequestContext, input: SaveItemInput) => Promise<SaveItemResult>
  /** @throws conflict, CONCURRENT_UPDATE */
  readonly requireConditions: (
    ctx: RequestContext,
    input: Pick<SaveItemInput, 'ifMatch' | 'ifNoneMatch'>,
    existing: MetadataItem | null,
  ) => void
  readonly etag: (ctx: RequestContext, item: MetadataItem) => string
}

/** Saves and removes single fields. */
export interface FieldSaving {
  save(ctx: RequestContext, input: SaveItemInput): Promise<SaveItemResult>
  remove(ctx: RequestContext, input: RemoveItemInput): Promise<void>
}

/** Makes the field editor. */
export function createFieldSaving({ cache, saveItem, requireConditions, etag }: FieldSavingOptions): FieldSaving {
  return {
    async save(ctx, input) {
      const problems = [...checkName('field', input.name), ...checkBody(input.item), ...checkSameName(input)]
      if (problems.length > 0) throw validationError(problems)
      const { parent, child } = splitChildName(input.name)!
      const object = cache.get('object', parent)
      if (object === undefined) throw notFound('object', parent)
      const existing = cache.get('field', input.name) ?? null
      requireConditions(ctx, input, existing)
      const definition = toFieldDefinition(input.item)
      const from = definition['renamedFrom']
      const item = withField(object.item, {
        name: child,
        definition,
        ...(typeof from === 'string' ? { renamedFrom: from } : {}),
      })
      const { dryRun, confirm, packageId } = input
      let saved: SaveItemResult
      try {
        saved = await saveItem(ctx, { type: 'object', name: parent, item, dryRun, confirm, packageId })
      } catch (error) {
        throw relativeTo(`fields.${child}`, error)
      }
      const stored = cache.get('field', input.name)
      return { ...saved, created: existing === null, etag: stored === undefined ? saved.etag : etag(ctx, stored) }
    },
    async remove(ctx, input) {
      const field = cache.get('field', input.name)
      if (field === undefined) throw notFound('field', input.name)
      requireConditions(ctx, input, field)
      if (field.packageId !== null) throw platformError('item_locked', { packageId: field.packageId })
      const { parent, child } = splitChildName(input.name)!
      const item = withoutField(cache.get('object', parent)!.item, child)
      await saveItem(ctx, { type: 'object', name: parent, item, confirm: input.confirm })
    },
  }
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
