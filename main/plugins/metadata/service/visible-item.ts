// What a caller may see of an item (D-113). Pure but for the authorizer's answers.
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import type { MetadataItem } from '../api.ts'
import { splitChildName } from './field-items.ts'
import type { Body } from './json-values.ts'
import { textOf } from './json-values.ts'
import type { HiddenWords } from './mask-names.ts'
import { withoutHidden, withoutMentions } from './mask-names.ts'

/** Types nobody else knows of: rights, code, and what holds parameters or the way into other systems. */
const guardedTypes: ReadonlySet<MetadataType> = new Set([
  'permission',
  'profile',
  'role',
  'datasource',
  'external_catalog',
  'router',
  'service',
  'function',
  'job',
])

/** Items that are about records of an object; they are as open as it is. */
const attached: ReadonlySet<unknown> = new Set(['validation', 'trigger', 'hook', 'view', 'action', 'report', 'page'])

/** A field as masking needs it: its name, and the object it leads to. */
export interface MaskableField {
  readonly name: string
  readonly reference: string | null
}

/** Fields of an object, as far as the workspace has it. */
export type FieldsOf = (object: string) => readonly MaskableField[]

/** The item's body as the caller may read it; null when the caller may not know of it. */
export function visibleItem(
  authorizer: Authorizer,
  ctx: RequestContext,
  item: MetadataItem,
  fieldsOf: FieldsOf = () => [],
): Body | null {
  if (item.type === 'view' && isOthersView(ctx, item) && !authorizer.isUnrestricted(ctx)) return null
  if (isAdministered(authorizer, ctx, item.type)) return item.item
  if (guardedTypes.has(item.type)) return null
  if (item.type === 'object')
    return authorizer.canObject(ctx, item.name, 'read') ? maskObject(authorizer, ctx, item, fieldsOf) : null
  if (item.type === 'field') {
    const { parent, child } = splitChildName(item.name)!
    if (!authorizer.canObject(ctx, parent, 'read') || !authorizer.canField(ctx, parent, child, 'readable')) return null
    return withoutHidden(item.item, hiddenWords(authorizer, ctx, [parent], fieldsOf))
  }
  if (item.type === 'translation') return maskTranslation(authorizer, ctx, item.item)
  const body = withoutWork(item.type, item.item, item.item['type'])
  const isClosed = (object: string): boolean => !authorizer.canObject(ctx, object, 'read')
  if (attached.has(item.type) && directObjects(body).some(isClosed)) return null
  return openPart(authorizer, ctx, body, objectsOf(body), fieldsOf)
}

/**
 * A part of an item that is shown by itself (a layer, an overlay), without what the whole item hides.
 * @param item the whole item, which says what the part is about
 */
export function visiblePart(
  authorizer: Authorizer,
  ctx: RequestContext,
  item: MetadataItem,
  part: Body,
  fieldsOf: FieldsOf,
): Body {
  if (isAdministered(authorizer, ctx, item.type)) return part
  if (item.type === 'translation') return maskTranslation(authorizer, ctx, part)
  const objects = [...new Set([...objectsOf(item.item), ...objectsOf(part)])]
  const body = withoutWork(item.type, part, part['type'] ?? item.item['type'])
  return openPart(authorizer, ctx, body, objects, fieldsOf)
}

/** The body without what is about objects the caller may not read, and without fields hidden in the others. */
function openPart(
  authorizer: Authorizer,
  ctx: RequestContext,
  body: Body,
  objects: readonly string[],
  fieldsOf: FieldsOf,
): Body {
  const closed = new Set(objects.filter((object) => !authorizer.canObject(ctx, object, 'read')))
  const open = objects.filter((object) => !closed.has(object))
  return withoutHidden(withoutClosed(body, closed), hiddenWords(authorizer, ctx, open, fieldsOf))
}

/** Whether the caller may read items of the type whole. */
function isAdministered(authorizer: Authorizer, ctx: RequestContext, type: MetadataType): boolean {
  if (authorizer.isUnrestricted(ctx) || authorizer.hasSystemPermission(ctx, 'manage_metadata')) return true
  return type === 'flow' && authorizer.hasSystemPermission(ctx, 'manage_flows')
}

/** Objects an item is about as a whole. */
function directObjects(body: Body): string[] {
  return [body['object'] ?? []].flat().filter((name): name is string => typeof name === 'string' && name !== '*')
}

const known = new WeakMap<Body, readonly string[]>()

/** The same as {@link objectsIn}, remembered: items are asked for on every read of metadata. */
function objectsOf(body: Body): readonly string[] {
  let objects = known.get(body)
  if (objects === undefined) known.set(body, (objects = objectsIn(body)))
  return objects
}

/** Objects that an item names anywhere as what it asks or shows. */
function objectsIn(value: unknown): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(objectsIn))]
  if (!isJsonMap(value)) return []
  const own = [...directObjects(value), ...(typeof value['cube'] === 'string' ? [value['cube']] : [])]
  return [...new Set([...own, ...Object.values(value).flatMap(objectsIn)])]
}

/** The body without list entries that are about a closed object. */
function withoutClosed(body: Body, closed: ReadonlySet<string>): Body {
  if (closed.size === 0) return body
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value))
      return value.filter((entry: unknown) => !objectsIn(entry).some((object) => closed.has(object))).map(shown)
    return isJsonMap(value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner)]))
      : value
  }
  return shown(body) as Body
}

/** Labels of objects and fields the caller may read. */
function maskTranslation(authorizer: Authorizer, ctx: RequestContext, body: Body): Body {
  const { translations } = body
  if (!isJsonMap(translations) || !isJsonMap(translations['objects'])) return body
  const objects = Object.entries(translations['objects']).flatMap(([object, labels]): [string, unknown][] => {
    if (!authorizer.canObject(ctx, object, 'read')) return []
    if (!isJsonMap(labels) || !isJsonMap(labels['fields'])) return [[object, labels]]
    const fields = Object.entries(labels['fields']).filter(([field]) =>
      authorizer.canField(ctx, object, field, 'readable'),
    )
    return [[object, { ...labels, fields: Object.fromEntries(fields) }]]
  })
  return { ...body, translations: { ...translations, objects: Object.fromEntries(objects) } }
}

/** What the hidden fields of some objects are called, and the paths that end at hidden fields of related objects. */
function hiddenWords(
  authorizer: Authorizer,
  ctx: RequestContext,
  objects: readonly string[],
  fieldsOf: FieldsOf,
): HiddenWords {
  const names = new Set<string>()
  const paths = new Set<string>()
  const seen = new Set(objects)
  const isHidden = (object: string, field: string): boolean => !authorizer.canField(ctx, object, field, 'readable')
  let around = objects
  // A path has three hops at most (D-86).
  for (let hop = 0; hop < 3 && around.length > 0; hop += 1) {
    const next: string[] = []
    for (const object of around) {
      for (const { name, reference } of fieldsOf(object)) {
        if (hop === 0 && isHidden(object, name)) names.add(name)
        if (reference === null) continue
        if (!authorizer.canObject(ctx, reference, 'read')) paths.add(`${name}[.][a-z]\\w*`)
        else
          for (const inner of fieldsOf(reference))
            if (isHidden(reference, inner.name)) paths.add(`${name}[.]${inner.name}`)
        if (!seen.has(reference)) next.push(reference)
        seen.add(reference)
      }
    }
    around = next
  }
  return { names, paths }
}

/** Personal views are their owner's (D-115), also where others manage metadata: their filters quote records. */
function isOthersView(ctx: RequestContext, { item }: MetadataItem): boolean {
  return item['scope'] === 'personal' && item['owner'] !== ctx.actor.id
}

function maskObject(authorizer: Authorizer, ctx: RequestContext, object: MetadataItem, fieldsOf: FieldsOf): Body {
  const { fields, hooks, triggers, analytics, ...rest } = object.item
  const all = (fields ?? {}) as Body
  // A draft may have fields the object in force has not.
  const own = Object.entries(all).map(([name, field]) => ({ name, reference: textOf(field, 'reference') ?? null }))
  const hidden = hiddenWords(authorizer, ctx, [object.name], (name) => (name === object.name ? own : fieldsOf(name)))
  const readable = Object.entries(all).filter(([field]) => !hidden.names.has(field))
  const shown = (type: MetadataType) => (one: unknown) => (isJsonMap(one) ? withoutWork(type, one) : one)
  const body = {
    ...rest,
    fields: Object.fromEntries(readable),
    ...(Array.isArray(hooks) ? { hooks: hooks.map(shown('hook')) } : {}),
    ...(Array.isArray(triggers) ? { triggers: triggers.map(shown('trigger')) } : {}),
    ...(analytics === undefined ? {} : { analytics: maskAnalytics(analytics, hidden) }),
  }
  return withoutHidden(body, hidden)
}

/** Measures and dimensions that stand on hidden fields are nothing without them. */
function maskAnalytics(analytics: unknown, hidden: HiddenWords): unknown {
  if (!isJsonMap(analytics)) return analytics
  return Object.fromEntries(
    Object.entries(analytics).map(([key, value]) => [key, isJsonMap(value) ? withoutMentions(value, hidden) : value]),
  )
}

/** Kinds of actions a client carries out itself, with their configuration. */
const clientActions: ReadonlySet<unknown> = new Set(['url', 'view'])

/** The body without what the server alone needs to do its work: code, parameters, requests to elsewhere. */
function withoutWork(type: MetadataType, body: Body, kind?: unknown): Body {
  switch (type) {
    case 'hook':
      return without(body, 'body')
    case 'trigger':
      return eachOf(body, 'actions', 'config')
    case 'action':
      return clientActions.has(kind) ? body : without(body, 'config')
    case 'flow':
      return eachOf(without(body, 'nodes', 'edges'), 'variables', 'defaultValue')
    default:
      return body
  }
}

/** The body with a member taken out of every entry of one of its lists. */
function eachOf(body: Body, list: string, member: string): Body {
  const entries = body[list]
  if (!Array.isArray(entries)) return body
  return { ...body, [list]: entries.map((entry: unknown) => (isJsonMap(entry) ? without(entry, member) : entry)) }
}

function without(body: Body, ...members: readonly string[]): Body {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !members.includes(key)))
}
