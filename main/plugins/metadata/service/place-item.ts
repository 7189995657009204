// Works out what storing an item of another machine changes: it is found by its uid, takes the uids and the name it is
// given, and references follow its renames as after any save (D-100). Reads only.
import { platformError } from '#shared/errors.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import type { MetadataItem, MissingNames, PlacedItem, PortableOverlay } from '../api.ts'
import { requireCreatable } from './check-change.ts'
import { requireSafeInput } from './check-input.ts'
import type { ItemCache } from './item-cache.ts'
import { itemByUid } from './item-cache.ts'
import type { WriteScope } from './item-write.ts'
import { fieldsOf, plainJson, textOf } from './json-values.ts'
import { composed } from './merge-item.ts'
import type { OverlayInput } from './merge-overlay.ts'
import type { NamePlaces } from './portable.ts'
import { leftMark, namedItem, namedOverlay } from './portable.ts'

/** Thrown where a mark stands for something that is not stored here. */
class MissingReferenceError extends Error {
  readonly missingUid: string

  constructor(missingUid: string) {
    super(`Nothing here has the uid ${missingUid}.`)
    this.name = 'MissingReferenceError'
    this.missingUid = missingUid
  }
}

/** Accepts whatever the plan says: it was agreed to where the change was made. */
export const agreedElsewhere = 'true'

/** The version of an item that another machine made, and the one it follows. @throws MissingReferenceError, validation_error, conflict */
export function mergePlaced(
  scope: WriteScope,
  { portable, missing }: PlacedItem,
): { previous: MetadataItem | null; next: MetadataItem } {
  const { items } = scope
  const { type, uid, state, packageId, namespace } = portable
  const { name, item } = namedItem(placesOf(items, missing), portable)
  requireNoMark({ ...item, name })
  requireSafeInput({ type, name, item, packageId, namespace })
  const previous = itemByUid(items, portable) ?? null
  const holder = items.base(type, name)
  if (holder !== undefined && holder.uid !== uid) throw platformError('conflict', { reason: 'name_taken', name })
  if (previous === null) requireCreatable(items, type, packageId)
  const body = plainJson(alike(previous?.item, item))
  return { previous, next: composed(scope, previous, { type, name, uid, item: body, state, packageId, namespace }) }
}

/** The overlay another machine laid over an item, as it is stored here. @throws MissingReferenceError */
export function placedOverlay(
  items: ItemCache,
  { overlay, missing }: { readonly overlay: PortableOverlay; readonly missing: MissingNames },
): OverlayInput {
  const base = itemByUid(items, { type: overlay.baseType, uid: overlay.baseUid })
  if (base === undefined) throw new MissingReferenceError(overlay.baseUid)
  const { patch, uids } = namedOverlay(placesOf(items, missing), base, overlay)
  requireNoMark(patch)
  const { type, name } = base
  return { type, name, scope: 'platform', patch, uids, active: overlay.active, confirm: agreedElsewhere }
}

/** Finds the names that marks stand for among the items. */
export function placesOf(items: ItemCache, missing: MissingNames): NamePlaces {
  return { items, byUid: (type, uid) => itemByUid(items, { type, uid }), missing }
}

/** @throws MissingReferenceError */
function requireNoMark(value: unknown): void {
  const left = leftMark(value)
  if (left !== null) throw new MissingReferenceError(left)
}

/** The body with its keys in the order in which they stand here already; fields keep the order they are given in. */
function alike(before: unknown, item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result = inOrderOf(before, item)
  const { fields } = result
  if (!isJsonMap(fields)) return result
  const byUid = new Map(Object.values(fieldsOf(before)).map((field) => [textOf(field, 'uid'), field]))
  result['fields'] = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      isJsonMap(field) ? inOrderOf(byUid.get(textOf(field, 'uid')), field) : field,
    ]),
  )
  return result
}

function inOrderOf(before: unknown, item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const first = Object.keys(isJsonMap(before) ? before : {}).filter((key) => Object.hasOwn(item, key))
  return Object.fromEntries([...new Set([...first, ...Object.keys(item)])].map((key) => [key, item[key]]))
}
