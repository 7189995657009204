// Merges overlays (D-109): what a save of a delivered item lays over it, overlays given and taken away by name, and those
// of single fields, which are a part of their object's. Reads only.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import { applyMergePatch, isJsonMap, isSameJson, mergePatchBetween } from '#shared/merge-patch.ts'
import { missingMessages } from '#shared/rules/required-messages.ts'
import type { MetadataItem, OverlayRecord, SaveItemInput } from '../api.ts'
import { checkItem } from '../types/check-item.ts'
import { typeEntry } from '../types/type-entries.ts'
import { requireShape } from './check-change.ts'
import { checkBody, refusal } from './check-input.ts'
import { extendBody, withOverlay, withoutExtensions } from './extensions.ts'
import { splitChildName, withoutField } from './field-items.ts'
import type { ItemCache } from './item-cache.ts'
import { requireStored } from './item-cache.ts'
import type { ProposedWrite, WriteScope } from './item-write.ts'
import { nextVersion } from './item-write.ts'
import type { Body } from './json-values.ts'
import { deepFreeze, fieldsOf, plainJson } from './json-values.ts'
import { withName } from './merge-item.ts'
import type { StatedChange } from './overlay-changes.ts'
import { checkChanges, overlayChanges, signedChanges } from './overlay-changes.ts'
import { withObjectUids } from './uids.ts'

/** Which overlay: the platform's, or the caller's own. */
export interface OverlayKey {
  readonly type: MetadataType
  readonly name: string
  readonly scope: 'platform' | 'user'
  /** The plan's hash, or `true` for any plan (D-101). */
  readonly confirm?: string
}

/** An overlay to store; one that is there keeps its id. */
export interface OverlayInput extends OverlayKey {
  readonly patch: Body
  /** Default true. */
  readonly active?: boolean
  /** Default: worked out. */
  readonly changes?: readonly StatedChange[]
  /** Uids of fields the patch adds, by name, as another machine gave them. */
  readonly uids?: Readonly<Record<string, string>>
}

/** What storing an overlay changes. @throws resource_not_found, validation_error */
export function mergeOverlay(scope: WriteScope, input: OverlayInput): ProposedWrite {
  const { items } = scope
  const { type, name } = input
  const base = requireStored(items, input)
  const isOwn = input.scope === 'user'
  const under = isOwn ? items.get(type, name)! : items.extended(type, name)!
  const problems = checkPatch(type, input.patch)
  if (problems.length > 0) throw validationError(problems)
  const previous = items.overlay(type, name, ownerOf(scope, input)) ?? null
  const next = recordOf(scope, base, under.item, previous, {
    ...input,
    patch: withPatchUids(scope, base, under, { ...input, previous }),
  })
  const whole = withOverlay(under, { ...next, active: true }).item
  const { errors, warnings } = checkItem(type, whole)
  const unspoken = missingMessages(type, whole, [base.item, under.item, items.get(type, name)?.item])
  const isRenamed = whole['name'] !== under.item['name']
  const found = [
    ...errors,
    ...unspoken,
    ...(isRenamed ? [unchangeable('name', 'An overlay cannot change the name.')] : []),
  ]
  if (found.length > 0) throw validationError(found)
  const isSame = previous?.active === next.active && isSameJson(previous.patch, next.patch)
  return isSame && input.changes === undefined ? { changes: [] } : changeOf(scope, base, previous, next, warnings)
}

/** What taking an overlay away changes: nothing when there is none. @throws resource_not_found */
export function removeOverlay(scope: WriteScope, key: OverlayKey): ProposedWrite {
  const base = requireStored(scope.items, key)
  const previous = scope.items.overlay(key.type, key.name, ownerOf(scope, key))
  return previous === undefined ? { changes: [] } : changeOf(scope, base, previous, null)
}

/**
 * What saving a delivered item changes: the difference between the item and the one given becomes the platform's overlay.
 * @throws validation_error, item_locked
 */
export function mergeDelivered(scope: WriteScope, input: SaveItemInput): ProposedWrite {
  const { items } = scope
  const { type, name } = input
  const base = items.base(type, name)!
  const given = withName(input)
  if (!typeEntry(type).supportsOverlay) {
    // What changes nothing is no offence: an export holds these items, too.
    if (isSameJson(base.item, given)) return { changes: [] }
    throw platformError('item_locked', { packageId: base.packageId })
  }
  const under = items.extended(type, name)!.item
  const whole = plainJson(type === 'object' ? wholeObject(scope, base, given) : given)
  const warnings = requireShape(input, whole, [base.item, items.get(type, name)?.item])
  const previous = items.overlay(type, name, null) ?? null
  const patch = withBegunFields(mergePatchBetween(under, whole), whole, previous)
  if (Object.keys(patch).length === 0) {
    return previous === null ? { changes: [] } : changeOf(scope, base, previous, null, warnings)
  }
  if (previous?.active === true && isSameJson(previous.patch, patch)) return { changes: [] }
  const next = recordOf(scope, base, under, previous, { scope: 'platform', patch })
  const result = withOverlay(items.extended(type, name)!, next).item
  const isExact = isSameJson(result, whole) && isSameOrder(fieldsOf(given), fieldsOf(result))
  const lost = { path: '', message: 'An overlay keeps neither null values nor another order of keys.' }
  return changeOf(scope, base, previous, next, isExact ? warnings : [...warnings, lost])
}

/**
 * The overlay that is stored for the one given: that of a field is a part of its object's.
 * @throws validation_error, resource_not_found
 */
export function storedOverlay(items: ItemCache, input: OverlayInput): OverlayInput {
  requireScope(input)
  const badChanges = checkChanges(input.changes ?? [])
  if (badChanges.length > 0) throw validationError(badChanges)
  if (input.type !== 'field') return input
  const { name, field } = fieldPlace(items, input.name)
  if (input.active === false) {
    throw refusal('active', 'not_allowed', 'The overlay of one field is part of its object.')
  }
  const { object: _object, name: _name, ...definition } = input.patch
  const before = patchOf(items, name)
  const patch = { ...before, fields: { ...fieldsOf(before), [field]: definition } }
  return { type: 'object', name, scope: 'platform', patch, confirm: input.confirm }
}

/** The overlay of an object without what it says of one field; null when it says nothing. @throws resource_not_found */
export function overlayWithoutField(items: ItemCache, key: OverlayKey): OverlayInput | null {
  const { name, field } = fieldPlace(items, key.name)
  const before = patchOf(items, name)
  const left = withoutField(before, field)
  const { fields: _fields, ...rest } = before
  if (!Object.hasOwn(fieldsOf(before), field)) return null
  const patch = Object.keys(fieldsOf(left)).length === 0 ? rest : left
  return { type: 'object', name, scope: 'platform', patch, confirm: key.confirm }
}

/** The overlay of an item or of a field; null when there is none. */
export function overlayOf(items: ItemCache, { type, name, scope }: OverlayKey, user: string): OverlayRecord | null {
  const owner = scope === 'user' ? user : null
  if (type !== 'field') return items.overlay(type, name, owner) ?? null
  const { parent, child } = splitChildName(name) ?? { parent: '', child: '' }
  const overlay = items.overlay('object', parent, owner)
  const fields = fieldsOf(overlay?.patch)
  if (overlay === undefined || !Object.hasOwn(fields, child)) return null
  const place = `/fields/${child}`
  const patch = fields[child]
  return {
    ...overlay,
    baseType: 'field',
    baseName: name,
    patch: isJsonMap(patch) ? patch : {},
    changes: overlay.changes
      .filter(({ path }) => path === place || path.startsWith(`${place}/`))
      .map((change) => ({ ...change, path: change.path.slice(place.length) })),
  }
}

function ownerOf({ ctx }: WriteScope, { scope }: Pick<OverlayKey, 'scope'>): string | null {
  return scope === 'user' ? ctx.actor.id : null
}

/** The item's version rises with its overlay (D-111). */
function changeOf(
  { clock }: WriteScope,
  base: MetadataItem,
  previous: OverlayRecord | null,
  next: OverlayRecord | null,
  warnings: ProposedWrite['warnings'] = [],
): ProposedWrite {
  const message = `${(next ?? previous)!.scope} overlay ${next === null ? 'removed' : 'stored'}`
  const version = nextVersion(base, {}, clock.iso())
  return {
    changes: [{ previous: base, next: version, op: 'overlay', message, overlays: [{ previous, next }] }],
    warnings,
  }
}

function recordOf(
  scope: WriteScope,
  base: MetadataItem,
  under: Body,
  previous: OverlayRecord | null,
  given: Pick<OverlayInput, 'scope' | 'patch' | 'active' | 'changes'>,
): OverlayRecord {
  const now = scope.clock.iso()
  const user = scope.ctx.actor.id
  const by = { changedBy: user, changedAt: now }
  const patch = plainJson(given.patch)
  const before = previous?.changes ?? []
  return deepFreeze({
    id: previous?.id ?? scope.ids.uuid(),
    baseType: base.type,
    baseName: base.name,
    packageId: base.packageId,
    scope: given.scope,
    owner: ownerOf(scope, given),
    patch,
    changes:
      given.changes === undefined ? overlayChanges(under, patch, before, by) : signedChanges(given.changes, before, by),
    active: given.active ?? true,
    createdAt: previous?.createdAt ?? now,
    createdBy: previous?.createdBy ?? user,
    updatedAt: now,
    updatedBy: user,
  })
}

/** The platform's overlay of an item a package stores anew: exactly this patch, none when it says nothing. */
export function deliveredOverlay(
  scope: WriteScope,
  base: MetadataItem,
  previous: OverlayRecord | null,
  given: { readonly patch: Body; readonly active: boolean } | null,
): OverlayRecord | null {
  if (given === null || Object.keys(given.patch).length === 0) return null
  return recordOf(scope, base, base.item, previous, { ...given, scope: 'platform' })
}

/** Fields a patch adds get their uid from the server, like any field. */
function withPatchUids(
  { items, ids }: WriteScope,
  base: MetadataItem,
  under: MetadataItem,
  {
    patch,
    uids: returning,
    previous,
  }: Pick<OverlayInput, 'patch' | 'uids'> & { readonly previous: OverlayRecord | null },
): Body {
  if (base.type !== 'object') return patch
  const { uid: _uid, ...rest } = patch
  const fields = fieldsOf(rest)
  if (Object.keys(fields).length === 0) return rest
  const source = { ids, packageId: null, returning }
  const patched = applyMergePatch(under.item, rest) as Body
  const whole = fieldsOf(withObjectUids(patched, base, items.get('object', base.name) ?? base, source))
  const known = fieldsOf(under.item)
  const begun = begunFields(fieldsOf(items.get('object', base.name)?.item), previous)
  const withUids = Object.entries(fields).map(([name, field]): [string, unknown] => {
    if (!isJsonMap(field)) return [name, field]
    const { uid: _own, ...definition } = field
    if (Object.hasOwn(known, name))
      return [name, begun.has(name) ? { ...definition, uid: begun.get(name) } : definition]
    return [name, { ...definition, uid: (whole[name] as Body | undefined)?.['uid'] }]
  })
  return { ...rest, fields: Object.fromEntries(withUids) }
}

/** A body meant as the whole object, with uids, and with parts of extensions it does not mention. */
function wholeObject({ items, ids }: WriteScope, base: MetadataItem, body: Body): Body {
  const extensions = items.extensions(base.name)
  const whole = extendBody(withoutExtensions(body, base.item, extensions).body, extensions)
  return withObjectUids(whole, base, items.get('object', base.name)!, { ids, packageId: null })
}

/**
 * A patch that still says which fields people began, by the uid they have from then: what the package has too by now, and
 * leaves out later, stays theirs with its values (D-133).
 */
function withBegunFields(patch: Body, whole: Body, previous: OverlayRecord | null): Body {
  const begun = begunFields(fieldsOf(whole), previous)
  if (begun.size === 0) return patch
  const said = fieldsOf(patch)
  const fields = [...begun].map(([name, uid]) => [name, { ...(said[name] as Body | undefined), uid }])
  return { ...patch, fields: { ...said, ...(Object.fromEntries(fields) as Body) } }
}

/** The uids of fields that people began in an overlay and that are there still, by name. */
function begunFields(now: Body, previous: OverlayRecord | null): ReadonlyMap<string, unknown> {
  const begun = Object.entries(fieldsOf(previous?.patch)).flatMap(([name, field]) => {
    const uid = isJsonMap(field) ? field['uid'] : undefined
    return uid !== undefined && (now[name] as Body | undefined)?.['uid'] === uid ? [[name, uid] as const] : []
  })
  return new Map(begun)
}

/** The patch of the platform's overlay of an object; empty when there is none. */
function patchOf(items: ItemCache, object: string): Body {
  return items.overlay('object', object, null)?.patch ?? {}
}

/** The object and the field a name means. @throws resource_not_found when the object has no such field */
function fieldPlace(items: ItemCache, name: string): { name: string; field: string } {
  const parts = splitChildName(name)
  if (parts === null || items.get('field', name) === undefined) throw notFound('field', name)
  return { name: parts.parent, field: parts.child }
}

/** @throws validation_error when items of the type take no overlay of the scope (D-102) */
function requireScope({ type, scope }: OverlayKey): void {
  const { supportsOverlay, allowUserOverlay } = typeEntry(type)
  if (scope === 'platform' ? supportsOverlay : allowUserOverlay) return
  const message = `Items of this type take no overlay of a ${scope === 'user' ? 'user' : 'platform'}.`
  throw refusal('scope', 'not_allowed', message, { value: scope })
}

/** The problems of a patch by itself. */
function checkPatch(type: MetadataType, patch: Body): FieldError[] {
  const errors = checkBody(patch).map((error) => ({ ...error, field: `patch.${error.field}` }))
  if (type !== 'object') return errors
  const fixed = ['renamedFrom', 'extend'].filter((key) => Object.hasOwn(patch, key))
  return [...errors, ...fixed.map((key) => unchangeable(key, 'An overlay cannot change this.'))]
}

function unchangeable(key: string, message: string): FieldError {
  return { field: `patch.${key}`, code: 'not_allowed', message }
}

/** Whether the keys two maps share stand in the same order. */
function isSameOrder(a: Body, b: Body): boolean {
  const shared = (one: Body, two: Body) => Object.keys(one).filter((key) => Object.hasOwn(two, key))
  return isSameJson(shared(a, b), shared(b, a))
}
