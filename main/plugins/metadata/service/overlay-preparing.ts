// Works out writes of overlays (D-109): what a save of a delivered item stores, overlays put and taken away by name, and
// overlays of single fields, which are part of their object's. Reads only.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import { applyMergePatch, isJsonMap, isSameJson, mergePatchBetween } from '#shared/merge-patch.ts'
import { missingMessages } from '#shared/rules/required-messages.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataItem, OverlayRecord, RemoveItemInput, SaveItemInput } from '../api.ts'
import { checkItem } from '../types/check-item.ts'
import { typeEntry } from '../types/type-entries.ts'
import { checkBody } from './check-input.ts'
import { extendBody, withoutExtensions } from './extensions.ts'
import { splitChildName } from './field-items.ts'
import type { FinishWrite } from './finishing.ts'
import { deepFreeze } from './freeze.ts'
import type { ItemCache } from './item-cache.ts'
import { withOverlay } from './overlaid-item.ts'
import { checkChanges, overlayChanges, signedChanges } from './overlay-changes.ts'
import type { StatedChange } from './overlay-changes.ts'
import type { Ground, PreparedWrite, PreparingOptions } from './preparing.ts'
import { withObjectUids } from './uids.ts'

type Body = Readonly<Record<string, unknown>>

/** Which overlay: the platform's, or the caller's own. */
export interface OverlayKey {
  readonly type: MetadataType
  readonly name: string
  readonly scope: 'platform' | 'user'
}

/** An overlay to store; one that is there keeps its id. */
export interface OverlayInput extends OverlayKey {
  readonly patch: Body
  /** Default true. */
  readonly active?: boolean
  /** Default: worked out. */
  readonly changes?: readonly StatedChange[]
  readonly confirm?: string
  /** Uids of fields the patch adds, by name, as another machine gave them. */
  readonly uids?: Readonly<Record<string, string>>
}

/** Works out writes of overlays. */
export interface OverlayPreparing {
  put(ctx: RequestContext, input: OverlayInput, ground: Ground): PreparedWrite
  remove(ctx: RequestContext, key: OverlayKey & { confirm?: string }, ground: Ground): PreparedWrite
  /** Stores the difference between the delivered item and the one given as platform overlay. */
  saveDelivered(ctx: RequestContext, input: SaveItemInput, ground: Ground): PreparedWrite
  /** Takes the platform overlay of a delivered item away. @throws item_locked when there is none */
  reset(ctx: RequestContext, input: RemoveItemInput, ground: Ground): PreparedWrite
  /** The same for one field of a delivered object. @throws item_locked when the overlay does not touch it */
  resetField(ctx: RequestContext, input: RemoveItemInput, ground: Ground): PreparedWrite
}

/** Makes the part of preparing that knows overlays. */
export function createOverlayPreparing(options: PreparingOptions, finish: FinishWrite): OverlayPreparing {
  const { clock, ids, etag } = options

  const ownerOf = (ctx: RequestContext, scope: OverlayKey['scope']): string | null =>
    scope === 'user' ? ctx.actor.id : null

  const nothing = (ctx: RequestContext, ground: Ground, item: MetadataItem, confirm?: string): PreparedWrite => ({
    result: {
      version: item.version,
      etag: etag(ctx, item),
      state: item.state,
      created: false,
      warnings: [],
      plan: [],
      dryRun: false,
    },
    changes: [],
    work: [],
    plan: [],
    after: ground.items,
    confirm,
  })

  /** Stores an overlay record, or null to take it away; the item's version rises with it (D-111). */
  const change = (
    ctx: RequestContext,
    ground: Ground,
    base: MetadataItem,
    overlay: { previous: OverlayRecord | null; next: OverlayRecord | null },
    {
      confirm,
      dryRun,
      warnings,
    }: { confirm?: string; dryRun?: boolean; warnings?: PreparedWrite['result']['warnings'] },
  ): PreparedWrite => {
    const next = deepFreeze({ ...base, version: base.version + 1, updatedAt: clock.iso() })
    const { scope } = (overlay.next ?? overlay.previous)!
    const message = `${scope} overlay ${overlay.next === null ? 'removed' : 'stored'}`
    const changes = [{ previous: base, next, op: 'overlay' as const, message, overlays: [overlay] }]
    return finish(ctx, ground, { changes, confirm, dryRun, ...(warnings === undefined ? {} : { warnings }) })
  }

  const record = (
    ctx: RequestContext,
    base: MetadataItem,
    under: Body,
    previous: OverlayRecord | null,
    given: Pick<OverlayInput, 'scope' | 'patch' | 'active' | 'changes'>,
  ): OverlayRecord => {
    const now = clock.iso()
    const by = { changedBy: ctx.actor.id, changedAt: now }
    // Through JSON, so that memory holds exactly what the row holds.
    const patch = JSON.parse(JSON.stringify(given.patch)) as Body
    return deepFreeze({
      id: previous?.id ?? ids.uuid(),
      baseType: base.type,
      baseName: base.name,
      packageId: base.packageId,
      scope: given.scope,
      owner: ownerOf(ctx, given.scope),
      patch,
      changes:
        given.changes === undefined
          ? overlayChanges(under, patch, previous?.changes ?? [], by)
          : signedChanges(given.changes, previous?.changes ?? [], by),
      active: given.active ?? true,
      createdAt: previous?.createdAt ?? now,
      createdBy: previous?.createdBy ?? ctx.actor.id,
      updatedAt: now,
      updatedBy: ctx.actor.id,
    })
  }

  /** Fields a patch adds get their uid from the server, like any field. */
  const withPatchUids = (
    items: ItemCache,
    base: MetadataItem,
    under: Body,
    { patch, uids: returning }: Pick<OverlayInput, 'patch' | 'uids'>,
  ): Body => {
    const { uid: _uid, ...rest } = patch
    const fields = mapAt(rest, 'fields')
    if (base.type !== 'object' || Object.keys(fields).length === 0) return base.type === 'object' ? rest : patch
    const whole = withObjectUids(applyMergePatch(under, rest) as Body, base, items.get('object', base.name) ?? base, {
      ids,
      packageId: null,
      returning,
    })
    const known = mapAt(under, 'fields')
    const withUids = Object.entries(fields).map(([name, field]): [string, unknown] => {
      if (!isJsonMap(field)) return [name, field]
      const { uid: _own, ...definition } = field
      if (Object.hasOwn(known, name)) return [name, definition]
      return [name, { ...definition, uid: (mapAt(whole, 'fields')[name] as Body | undefined)?.['uid'] }]
    })
    return { ...rest, fields: Object.fromEntries(withUids) }
  }

  const put = (ctx: RequestContext, input: OverlayInput, ground: Ground): PreparedWrite => {
    const { items } = ground
    const { type, name, scope, confirm, changes = [] } = input
    requireScope(type, scope)
    const badChanges = checkChanges(changes)
    if (badChanges.length > 0) throw validationError(badChanges)
    if (type === 'field') return putField(ctx, input, ground)
    const base = items.base(type, name)
    if (base === undefined) throw notFound(type, name)
    const under = scope === 'user' ? items.get(type, name)! : items.extended(type, name)!
    const problems = checkPatch(type, input.patch)
    if (problems.length > 0) throw validationError(problems)
    const previous = items.overlay(type, name, ownerOf(ctx, scope)) ?? null
    const patch = withPatchUids(items, base, under.item, input)
    const next = record(ctx, base, under.item, previous, { ...input, patch })
    const whole = withOverlay(under, { ...next, active: true })
    const check = checkItem(type, whole.item)
    const { warnings } = check
    const isRenamed = whole.item['name'] !== under.item['name']
    const renaming = {
      field: 'patch.name',
      code: 'not_allowed',
      message: 'An overlay cannot change the name.',
    } as const
    const unspoken = missingMessages(type, whole.item, [base.item, under.item, items.get(type, name)?.item])
    const errors = [...check.errors, ...unspoken, ...(isRenamed ? [renaming] : [])]
    if (errors.length > 0) throw validationError(errors)
    if (previous?.active === next.active && isSameJson(previous.patch, next.patch) && input.changes === undefined) {
      return nothing(ctx, ground, items.get(type, name)!, confirm)
    }
    return change(ctx, ground, base, { previous, next }, { confirm, warnings })
  }

  const remove = (
    ctx: RequestContext,
    key: OverlayKey & { confirm?: string; dryRun?: boolean },
    ground: Ground,
  ): PreparedWrite => {
    const { items } = ground
    const { type, name, scope } = key
    if (type === 'field') return removeField(ctx, key, ground)
    const base = items.base(type, name)
    if (base === undefined) throw notFound(type, name)
    const previous = items.overlay(type, name, ownerOf(ctx, scope))
    if (previous === undefined) return nothing(ctx, ground, items.get(type, name)!, key.confirm)
    return change(ctx, ground, base, { previous, next: null }, key)
  }

  /** The object's overlay with another part for one field. */
  const putField = (ctx: RequestContext, input: OverlayInput, ground: Ground): PreparedWrite => {
    const { object, field } = fieldPlace(ground.items, input.name)
    if (input.active === false) {
      throw validationError([
        { field: 'active', code: 'not_allowed', message: 'The overlay of one field is part of its object.' },
      ])
    }
    const { object: _object, name: _name, ...definition } = input.patch
    const before = ground.items.overlay('object', object, null)?.patch ?? {}
    const fields = { ...mapAt(before, 'fields'), [field]: definition }
    const patch = { ...before, fields }
    return put(ctx, { type: 'object', name: object, scope: 'platform', patch, confirm: input.confirm }, ground)
  }

  const removeField = (ctx: RequestContext, key: OverlayKey & { confirm?: string }, ground: Ground): PreparedWrite => {
    const { items } = ground
    const { object, field } = fieldPlace(items, key.name)
    const before = items.overlay('object', object, null)?.patch ?? {}
    const fields = mapAt(before, 'fields')
    if (!Object.hasOwn(fields, field)) return nothing(ctx, ground, items.get('field', key.name)!, key.confirm)
    const left = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field))
    const { fields: _fields, ...rest } = before
    const patch = Object.keys(left).length === 0 ? rest : { ...before, fields: left }
    const target = { type: 'object' as const, name: object, scope: 'platform' as const, confirm: key.confirm }
    return Object.keys(patch).length === 0 ? remove(ctx, target, ground) : put(ctx, { ...target, patch }, ground)
  }

  return {
    put,
    remove,
    saveDelivered(ctx, input, ground) {
      const { items } = ground
      const { type, name, confirm, dryRun } = input
      const base = items.base(type, name)!
      const named: Body = Object.hasOwn(input.item, 'name') ? input.item : { name, ...input.item }
      if (!typeEntry(type).supportsOverlay) {
        // What changes nothing is no offence: an export holds these items, too.
        if (isSameJson(base.item, named)) return withDryRun(nothing(ctx, ground, base, confirm), dryRun)
        throw platformError('item_locked', { packageId: base.packageId })
      }
      const under = items.extended(type, name)!
      const whole = JSON.parse(JSON.stringify(type === 'object' ? wholeObject(items, base, named) : named)) as Body
      const { errors: found, warnings } = checkItem(type, whole)
      const stored = [base.item, items.get(type, name)?.item]
      const errors = input.returning === true ? found : [...found, ...missingMessages(type, whole, stored)]
      if (errors.length > 0) throw validationError(errors)
      const previous = items.overlay(type, name, null) ?? null
      const patch = mergePatchBetween(under.item, whole)
      if (Object.keys(patch).length === 0) {
        if (previous === null) return withDryRun(nothing(ctx, ground, items.get(type, name)!, confirm), dryRun)
        return change(ctx, ground, base, { previous, next: null }, { confirm, dryRun, warnings })
      }
      if (previous?.active === true && isSameJson(previous.patch, patch)) {
        return withDryRun(nothing(ctx, ground, items.get(type, name)!, confirm), dryRun)
      }
      const next = record(ctx, base, under.item, previous, { scope: 'platform', patch })
      const result = withOverlay(under, next).item
      const isExact = isSameJson(result, whole) && isSameOrder(mapAt(named, 'fields'), mapAt(result, 'fields'))
      const lost = { path: '', message: 'An overlay keeps neither null values nor another order of keys.' }
      return change(
        ctx,
        ground,
        base,
        { previous, next },
        { confirm, dryRun, warnings: isExact ? warnings : [...warnings, lost] },
      )
    },
    reset(ctx, input, ground) {
      const { type, name, confirm } = input
      const prepared = remove(ctx, { type, name, scope: 'platform', confirm }, ground)
      if (prepared.changes.length > 0) return prepared
      throw platformError('item_locked', { packageId: ground.items.base(type, name)!.packageId })
    },
    resetField(ctx, input, ground) {
      const prepared = removeField(ctx, { ...input, scope: 'platform' }, ground)
      const base = ground.items.base('field', input.name)
      if (prepared.changes.length === 0) {
        throw platformError('item_locked', { packageId: ground.items.get('field', input.name)!.packageId })
      }
      return base === undefined ? prepared : { ...prepared, reset: true }
    },
  }

  /** A body meant as the whole object, with uids, and with parts of extensions it does not mention. */
  function wholeObject(items: ItemCache, base: MetadataItem, body: Body): Body {
    const extensions = items.extensions(base.name)
    const whole = extendBody(withoutExtensions(body, base.item, extensions).body, extensions)
    return withObjectUids(whole, base, items.get('object', base.name)!, { ids, packageId: null })
  }
}

/** The overlay of one field, cut out of its object's; null when the object's does not touch it. */
export function fieldOverlay(overlay: OverlayRecord | undefined, fieldName: string): OverlayRecord | null {
  const field = splitChildName(fieldName)?.child
  const fields = overlay === undefined ? {} : mapAt(overlay.patch, 'fields')
  if (overlay === undefined || field === undefined || !Object.hasOwn(fields, field)) return null
  const place = `/fields/${field}`
  const patch = fields[field]
  return {
    ...overlay,
    baseType: 'field',
    baseName: fieldName,
    patch: isJsonMap(patch) ? patch : {},
    changes: overlay.changes
      .filter(({ path }) => path === place || path.startsWith(`${place}/`))
      .map((change) => ({ ...change, path: change.path.slice(place.length) })),
  }
}

/** @throws resource_not_found when the object has no such field */
function fieldPlace(items: ItemCache, name: string): { object: string; field: string } {
  const parts = splitChildName(name)
  if (parts === null || items.get('field', name) === undefined) throw notFound('field', name)
  return { object: parts.parent, field: parts.child }
}

/** @throws validation_error when items of the type take no overlay of the scope (D-102) */
function requireScope(type: MetadataType, scope: OverlayKey['scope']): void {
  const { supportsOverlay, allowUserOverlay } = typeEntry(type)
  if (scope === 'platform' ? supportsOverlay : allowUserOverlay) return
  const message = `Items of this type take no overlay of a ${scope === 'user' ? 'user' : 'platform'}.`
  throw validationError([{ field: 'scope', code: 'not_allowed', message, value: scope }])
}

/** The problems of a patch by itself. */
function checkPatch(type: MetadataType, patch: Body): FieldError[] {
  const errors = checkBody(patch).map((error) => ({ ...error, field: `patch.${error.field}` }))
  if (type === 'object') {
    for (const key of ['renamedFrom', 'extend']) {
      if (Object.hasOwn(patch, key)) {
        errors.push({ field: `patch.${key}`, code: 'not_allowed', message: 'An overlay cannot change this.' })
      }
    }
  }
  return errors
}

function withDryRun(prepared: PreparedWrite, dryRun: boolean | undefined): PreparedWrite {
  return { ...prepared, result: { ...prepared.result, dryRun: dryRun === true } }
}

/** Whether the keys two maps share stand in the same order. */
function isSameOrder(a: Body, b: Body): boolean {
  const shared = (one: Body, two: Body) => Object.keys(one).filter((key) => Object.hasOwn(two, key))
  return isSameJson(shared(a, b), shared(b, a))
}

function mapAt(body: Body, key: string): Body {
  const value = Object.hasOwn(body, key) ? body[key] : undefined
  return isJsonMap(value) ? value : {}
}
