// Stored views over the metadata service: who may see and change which, and what a view may name. Knows no HTTP.
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { View, ViewKind } from '#shared/contracts/views.ts'
import { applyMergePatch } from '#shared/merge-patch.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataItem, MetadataService } from '#main/plugins/metadata/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { ViewsService } from './api.ts'
import { checkViewConfig, viewRule } from './service/check-config.ts'
import { freeKey, readViewInput } from './service/view-input.ts'

/** What the service works with. */
export interface ViewsParts {
  readonly metadata: MetadataService
  readonly settings: SettingsService
  readonly clock: Clock
  readonly authorizer: () => Authorizer
}

const keyPattern = /^[a-z][a-z0-9_]{0,62}$/

/** Makes the service. */
export function createViewsService({ metadata, settings, clock, authorizer }: ViewsParts): ViewsService {
  const isManager = (ctx: RequestContext): boolean => authorizer().hasSystemPermission(ctx, 'manage_metadata')

  /** Personal views belong to their owner alone; the rest goes with the object. */
  const sees = (ctx: RequestContext, view: View): boolean =>
    view.scope === 'personal' ? view.owner === ctx.actor.id : authorizer().canObject(ctx, view.object, 'read')

  const requireChange = (ctx: RequestContext, view: View): void => {
    if (view.owner === ctx.actor.id && view.scope !== 'package') return
    if (isManager(ctx)) return
    throw platformError('permission_denied', { permission: 'manage_metadata', viewId: view.id })
  }

  const schemaFor = (ctx: RequestContext, object: string): ObjectSchema => {
    const schema = metadata.objectSchema(object)
    if (schema === undefined) throw notFound('object', object)
    requireObjectAction(authorizer(), ctx, object, 'read')
    return schema
  }

  const envFor = (ctx: RequestContext): QueryEnv => ({
    timeZone: settings.get('timezone'),
    defaultCurrency: settings.get('currency'),
    now: clock.now(),
    userId: ctx.actor.id,
    schemaOf: (object) => (authorizer().canObject(ctx, object, 'read') ? metadata.objectSchema(object) : undefined),
    canRead: (object, field) => authorizer().canField(ctx, object, field, 'readable'),
  })

  // Nobody has rights yet to objects and fields that come in the same write.
  metadata.setItemRule(
    'view',
    viewRule((ctx, schemaOf) => ({
      ...envFor(ctx),
      schemaOf: (object) =>
        metadata.objectSchema(object) === undefined || authorizer().canObject(ctx, object, 'read')
          ? schemaOf(object)
          : undefined,
      canRead: (object, field) =>
        metadata.objectSchema(object)?.byName.has(field) !== true ||
        authorizer().canField(ctx, object, field, 'readable'),
    })),
  )

  /** The view without what the caller may not read of its object. */
  const shown = (ctx: RequestContext, view: View): View => {
    const item = metadata.get('view', view.name)
    const body = item === undefined ? null : metadata.seen(ctx, item)
    return item === undefined || body === null || body === item.item ? view : toView({ ...item, item: body })
  }

  const get = (ctx: RequestContext, viewId: string): View => {
    const view = findView(metadata, viewId)
    if (view === undefined || !sees(ctx, view)) throw notFound('view', viewId)
    return shown(ctx, view)
  }

  const save = async (
    ctx: RequestContext,
    name: string,
    item: Record<string, unknown>,
    conditions: { ifMatch?: string; ifNoneMatch?: string },
  ): Promise<View> => {
    await metadata.save(ctx, { type: 'view', name, item, authorized: true, ...conditions })
    return get(ctx, name)
  }

  return {
    list(ctx, { object, viewKind }) {
      if (object !== undefined) schemaFor(ctx, object)
      return metadata
        .list('view')
        .filter(({ state }) => state === 'active' || state === 'deprecated')
        .map(toView)
        .filter(
          (view) =>
            (object === undefined || view.object === object) &&
            (viewKind === undefined || view.viewKind === viewKind) &&
            sees(ctx, view),
        )
        .map((view) => shown(ctx, view))
        .toSorted((a, b) => (a.order ?? Infinity) - (b.order ?? Infinity) || (a.label < b.label ? -1 : 1))
    },
    get,
    async create(ctx, pathObject, body) {
      const input = readViewInput(body)
      const object = pathObject ?? input.object
      const { key: givenKey = input.named.key, ...members } = input.members
      const label = members['label'] ?? input.named.label ?? (typeof givenKey === 'string' ? givenKey : undefined)
      const { viewKind } = input
      if (object === undefined || viewKind === undefined || !isLabel(label)) {
        const given = { object, viewKind, label: isLabel(label) ? label : undefined }
        throw validationError(
          Object.entries(given).flatMap(([name, value]) => (value === undefined ? [required(name)] : [])),
        )
      }
      if (pathObject !== undefined && input.object !== undefined && input.object !== pathObject) {
        throw validationError([
          { field: 'object', code: 'not_allowed', message: 'The object differs from the one in the path.' },
        ])
      }
      const schema = schemaFor(ctx, object)
      const scope = members['scope'] ?? 'shared'
      if (scope === 'package') throw validationError([refusedScope(scope)])
      // A shared view is seen by everybody; a right to create those comes with managing metadata.
      if (scope !== 'personal' && !isManager(ctx)) {
        throw platformError('permission_denied', { permission: 'manage_metadata' })
      }
      const taken = (key: string): boolean => metadata.get('view', `${object}.${key}`) !== undefined
      const key = givenKey ?? freeKey(label, viewKind, taken)
      if (typeof key !== 'string' || !keyPattern.test(key)) {
        const message = 'A key has lower-case letters, digits and underscores and starts with a letter.'
        throw validationError([{ field: 'key', code: 'invalid_format', message, value: key }])
      }
      const item = {
        object,
        viewKind,
        config: {},
        isDefault: false,
        ...members,
        label,
        scope,
        owner: ctx.actor.id,
      }
      requireConfig(schema, item.config, envFor(ctx))
      return save(ctx, `${object}.${key}`, item, { ifNoneMatch: '*' })
    },
    async update(ctx, viewId, patch, ifMatch) {
      const view = get(ctx, viewId)
      requireChange(ctx, view)
      const input = readViewInput(patch)
      const { key, ...members } = input.members
      const name = key === undefined ? undefined : `${view.object}.${String(key)}`
      const fixed: [field: string, stored: string, given: string | undefined, value: unknown][] = [
        ['key', view.name, name, key],
        ['object', view.object, input.object, input.object],
        ['viewKind', view.viewKind, input.viewKind, input.viewKind],
      ]
      const problems = fixed.flatMap(([field, stored, given, value]): FieldError[] =>
        given === undefined || given === stored
          ? []
          : [{ field, code: 'read_only', message: `The ${field} of a view stays.`, value }],
      )
      if (members['label'] !== undefined && !isLabel(members['label'])) problems.push(required('label'))
      if (problems.length > 0) throw validationError(problems)
      // A view that says nothing of it is shared.
      const scope = members['scope'] === null ? 'shared' : members['scope']
      if (scope === 'package') throw validationError([refusedScope(scope)])
      if (scope === 'shared' && view.scope === 'personal' && !isManager(ctx)) {
        throw platformError('permission_denied', { permission: 'manage_metadata' })
      }
      const stored = metadata.get('view', view.name)!.item
      const item = applyMergePatch(stored, members) as Record<string, unknown>
      requireConfig(schemaFor(ctx, view.object), item['config'] ?? {}, envFor(ctx))
      return save(ctx, view.name, item, ifMatch === undefined ? {} : { ifMatch })
    },
    async remove(ctx, viewId, ifMatch) {
      const view = get(ctx, viewId)
      requireChange(ctx, view)
      await metadata.remove(ctx, {
        type: 'view',
        name: view.name,
        authorized: true,
        ...(ifMatch === undefined ? {} : { ifMatch }),
      })
      return view
    },
  }
}

/** By name, or by the uid the item keeps over renames. */
function findView(metadata: MetadataService, viewId: string): View | undefined {
  const item =
    metadata.get('view', viewId) ?? metadata.list('view').find(({ uid }) => uid.toLowerCase() === viewId.toLowerCase())
  return item === undefined || item.state === 'archived' || item.state === 'draft' ? undefined : toView(item)
}

function toView(stored: MetadataItem): View {
  const { name, item, packageId } = stored
  const viewKind = item['viewKind'] as ViewKind
  const label = item['label']
  return {
    ...item,
    id: name,
    name,
    object: String(item['object']),
    viewKind,
    label: typeof label === 'string' ? label : name,
    config: (item['config'] ?? {}) as Record<string, unknown>,
    isDefault: item['isDefault'] === true,
    scope: packageId === null ? ((item['scope'] ?? 'shared') as View['scope']) : 'package',
  }
}

/** @throws validation_error */
function requireConfig(schema: ObjectSchema, config: unknown, env: QueryEnv): void {
  const errors = checkViewConfig(schema, config as Readonly<Record<string, unknown>>, env)
  if (errors.length > 0) throw validationError(errors)
}

function isLabel(label: unknown): label is string {
  return typeof label === 'string' && label.trim() !== ''
}

function required(field: string): FieldError {
  return { field, code: 'required', message: `A view needs ${field}.` }
}

function refusedScope(value: string): FieldError {
  return { field: 'scope', code: 'not_allowed', message: 'Only packages deliver views of this scope.', value }
}
