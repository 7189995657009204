// Works out what storing an item of another machine changes: it is found by its uid, takes the uids and the name it is
// given, and references follow its renames as after any save (D-100). Reads only.
import { platformError, validationError } from '#shared/errors.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { ItemIdentity, MetadataItem, PlacedItem, PortableOverlay, MissingNames } from '../api.ts'
import { renamesBetween } from '../references/renames.ts'
import { checkItem } from '../types/check-item.ts'
import { checkBody, checkName, checkOrigin } from './check-input.ts'
import { requireCreatable, requireTarget } from './creatable.ts'
import type { FinishWrite } from './finishing.ts'
import { deepFreeze } from './freeze.ts'
import type { OverlayPreparing } from './overlay-preparing.ts'
import { leftMark, namedItem, namedOverlay } from './portable.ts'
import type { NamePlaces } from './portable.ts'
import type { Ground, PreparedWrite } from './preparing.ts'
import { followRename, leaving, renamed } from './renaming.ts'

/** Thrown where a mark stands for something that is not stored here. */
export class MissingReferenceError extends Error {
  readonly missingUid: string

  constructor(missingUid: string) {
    super(`Nothing here has the uid ${missingUid}.`)
    this.name = 'MissingReferenceError'
    this.missingUid = missingUid
  }
}

/** Works out writes of items that other machines made. */
export interface Placing {
  /** @throws MissingReferenceError, validation_error, conflict */
  place(ctx: RequestContext, placed: PlacedItem, ground: Ground): PreparedWrite
  /** Null when there is no such item. */
  drop(ctx: RequestContext, identity: ItemIdentity, ground: Ground): PreparedWrite | null
  /** @throws MissingReferenceError, resource_not_found, validation_error */
  placeOverlay(
    ctx: RequestContext,
    given: { overlay: PortableOverlay; missing: MissingNames },
    ground: Ground,
  ): PreparedWrite
  /** Null when there is no such item. */
  dropOverlay(ctx: RequestContext, base: ItemIdentity, ground: Ground): PreparedWrite | null
}

/** What placing works with. */
export interface PlacingParts {
  readonly clock: Clock
  readonly finish: FinishWrite
  readonly overlays: Pick<OverlayPreparing, 'put' | 'remove'>
  byUid(items: Ground['items'], identity: ItemIdentity): MetadataItem | undefined
}

/** Accepts whatever the plan says: it was agreed to where the change was made. */
const confirm = 'true'

/** Makes the part of preparing that stores what comes from elsewhere. */
export function createPlacing({ clock, finish, overlays, byUid }: PlacingParts): Placing {
  const placesOf = ({ items }: Ground, missing: MissingNames): NamePlaces => ({
    items,
    byUid: (type, uid) => byUid(items, { type, uid }),
    missing,
  })

  return {
    place(ctx, { portable, missing }, given) {
      const ground: Ground = { ...given, isPlaced: true }
      const { items } = ground
      const { type, uid, state, packageId, namespace } = portable
      const { name, item } = namedItem(placesOf(ground, missing), portable)
      const left = leftMark({ ...item, name })
      if (left !== null) throw new MissingReferenceError(left)
      const origin = checkOrigin(namespace ?? undefined, packageId ?? undefined)
      const problems = [...checkName(type, name), ...origin, ...checkBody(item)]
      if (problems.length > 0) throw validationError(problems)
      const previous = byUid(items, { type, uid }) ?? null
      const holder = items.base(type, name)
      if (holder !== undefined && holder.uid !== uid) throw platformError('conflict', { reason: 'name_taken', name })
      if (previous === null) requireCreatable(items, type, packageId ?? undefined)

      const body = alike(previous?.item, item)
      const now = clock.iso()
      const next = deepFreeze<MetadataItem>({
        type,
        name,
        uid,
        item: JSON.parse(JSON.stringify(body)) as Record<string, unknown>,
        state,
        version: (previous?.version ?? 0) + 1,
        packageId,
        namespace,
        createdAt: previous?.createdAt ?? now,
        updatedAt: now,
        published: previous?.published === true || state !== 'draft',
      })
      const { errors } = checkItem(type, next.item)
      if (errors.length > 0) throw validationError(errors)
      if (type === 'object') requireTarget(items, next)
      if (previous !== null && isSame(previous, next)) return nothing(ground, previous)
      const isState = previous !== null && isSame({ ...previous, state }, next)
      const renames = type === 'object' ? renamesBetween(previous, next) : null
      const changes =
        previous === null || renames === null
          ? [{ previous, next, ...(isState ? { op: 'state' as const } : {}) }]
          : [renamed(items, previous, next, renames), ...followRename(items, previous, next, renames)]
      return finish(ctx, ground, { changes, created: previous === null, confirm })
    },
    drop(ctx, identity, ground) {
      const previous = byUid(ground.items, identity)
      if (previous === undefined) return null
      return finish(ctx, ground, { changes: leaving(ground.items, previous), confirm })
    },
    placeOverlay(ctx, { overlay, missing }, given) {
      const ground: Ground = { ...given, isPlaced: true }
      const base = byUid(ground.items, { type: overlay.baseType, uid: overlay.baseUid })
      if (base === undefined) throw new MissingReferenceError(overlay.baseUid)
      const { patch, uids } = namedOverlay(placesOf(ground, missing), base, overlay)
      const left = leftMark(patch)
      if (left !== null) throw new MissingReferenceError(left)
      const { type, name } = base
      const { active } = overlay
      return overlays.put(ctx, { type, name, scope: 'platform', patch, uids, active, confirm }, ground)
    },
    dropOverlay(ctx, identity, ground) {
      const base = byUid(ground.items, identity)
      if (base === undefined) return null
      return overlays.remove(ctx, { type: base.type, name: base.name, scope: 'platform', confirm }, ground)
    },
  }
}

/** The body with its keys in the order in which they stand here already; fields keep the order they are given in. */
function alike(before: unknown, item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result = inOrderOf(before, item)
  const { fields } = result
  const known = isJsonMap(before) ? before['fields'] : undefined
  if (!isJsonMap(fields)) return result
  const byUid = new Map(Object.values(isJsonMap(known) ? known : {}).map((field) => [uidOf(field), field]))
  result['fields'] = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      isJsonMap(field) ? inOrderOf(byUid.get(uidOf(field)), field) : field,
    ]),
  )
  return result
}

function inOrderOf(before: unknown, item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const first = Object.keys(isJsonMap(before) ? before : {}).filter((key) => Object.hasOwn(item, key))
  return Object.fromEntries([...new Set([...first, ...Object.keys(item)])].map((key) => [key, item[key]]))
}

function uidOf(field: unknown): unknown {
  return isJsonMap(field) ? field['uid'] : undefined
}

function isSame(a: MetadataItem, b: MetadataItem): boolean {
  return (
    a.name === b.name &&
    a.state === b.state &&
    a.packageId === b.packageId &&
    a.namespace === b.namespace &&
    JSON.stringify(a.item) === JSON.stringify(b.item)
  )
}

function nothing({ items }: Ground, { version, state }: MetadataItem): PreparedWrite {
  const result = { version, state, etag: '', created: false, warnings: [], plan: [], dryRun: false }
  return { result, changes: [], work: [], plan: [], after: items, confirm }
}
