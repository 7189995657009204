// What a caller may see of an item (D-113). Pure but for the authorizer's answers.
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { MetadataItem } from '../api.ts'
import { splitChildName } from './field-items.ts'

const guardedTypes: ReadonlySet<MetadataType> = new Set(['permission', 'profile', 'role', 'datasource', 'function'])

/** The item's body as the caller may read it; null when the caller may not know of it. */
export function visibleItem(
  authorizer: Authorizer,
  ctx: RequestContext,
  item: MetadataItem,
): Readonly<Record<string, unknown>> | null {
  if (authorizer.isUnrestricted(ctx) || authorizer.hasSystemPermission(ctx, 'manage_metadata')) return item.item
  if (guardedTypes.has(item.type)) return null
  if (item.type === 'view' && isOthersView(ctx, item)) return null
  if (item.type === 'hook') return withoutCode(item.item)
  if (item.type === 'object')
    return authorizer.canObject(ctx, item.name, 'read') ? maskObject(authorizer, ctx, item) : null
  if (item.type === 'field') {
    const { parent, child } = splitChildName(item.name)!
    return authorizer.canObject(ctx, parent, 'read') && authorizer.canField(ctx, parent, child, 'readable')
      ? item.item
      : null
  }
  return item.item
}

/** Personal views are their owner's (D-115). */
function isOthersView(ctx: RequestContext, { item }: MetadataItem): boolean {
  return item['scope'] === 'personal' && item['owner'] !== ctx.actor.id
}

function maskObject(authorizer: Authorizer, ctx: RequestContext, object: MetadataItem): Record<string, unknown> {
  const { fields, hooks, ...rest } = object.item
  const readable = Object.entries((fields ?? {}) as Record<string, unknown>).filter(([field]) =>
    authorizer.canField(ctx, object.name, field, 'readable'),
  )
  return {
    ...rest,
    fields: Object.fromEntries(readable),
    ...(Array.isArray(hooks) ? { hooks: hooks.map((hook) => (isMap(hook) ? withoutCode(hook) : hook)) } : {}),
  }
}

function withoutCode(hook: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { body: _body, ...rest } = hook
  return rest
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
