// Merges what is given with what is stored into the next version of an item (D-105): names, ids, state and origin. Reads
// only.
import type { MetadataState, MetadataType } from '#shared/contracts/metadata.ts'
import { validationError } from '#shared/errors.ts'
import type { MetadataItem, SaveItemInput } from '../api.ts'
import { renamesBetween, withOwnRenames } from '../references/renames.ts'
import { refusal } from './check-input.ts'
import { extendedObject, withoutExtensions } from './extensions.ts'
import type { ItemCache } from './item-cache.ts'
import type { ItemChange, WriteScope } from './item-write.ts'
import type { Body } from './json-values.ts'
import { deepFreeze, plainJson } from './json-values.ts'
import { followRename, renamed } from './renaming.ts'
import { newUid, withObjectUids } from './uids.ts'

/** The next version out of a body meant as the whole item. @throws validation_error */
export function mergeItem(scope: WriteScope, input: SaveItemInput, previous: MetadataItem | null): MetadataItem {
  const { items, ids } = scope
  const { type, name, returningUids } = input
  const isObject = type === 'object'
  const packageId = input.packageId ?? previous?.packageId ?? null
  const source = { ids, packageId, returning: returningUids?.fields }
  const uid = previous?.uid ?? returningUids?.object ?? newUid(source, ...(isObject ? [] : [type]), name)
  const given = withName(input)
  const body = plainJson(
    isObject ? withObjectUids(ownPart(items, given, previous), { name, uid }, previous, source) : given,
  )
  const renames = isObject ? renamesBetween(previous, { name, item: body }) : null
  const item = renames === null ? body : withOwnRenames({ type, name, item: body }, renames, items)
  const namespace = input.namespace ?? previous?.namespace ?? null
  return composed(scope, previous, { type, name, uid, item, state: stateOf(input, previous), packageId, namespace })
}

type Own = Pick<MetadataItem, 'type' | 'name' | 'uid' | 'item' | 'state' | 'packageId' | 'namespace'>

/** An item as it is stored after what was stored before it. */
export function composed({ clock }: WriteScope, previous: MetadataItem | null, own: Own): MetadataItem {
  const now = clock.iso()
  return deepFreeze({
    ...own,
    version: (previous?.version ?? 0) + 1,
    createdAt: previous?.createdAt ?? now,
    updatedAt: now,
    published: previous?.published === true || own.state !== 'draft',
  })
}

/** The changes of storing a version: what refers to something that it renames follows (D-100). */
export function changesOf(items: ItemCache, previous: MetadataItem | null, next: MetadataItem): ItemChange[] {
  const renames = next.type === 'object' ? renamesBetween(previous, next) : null
  if (previous === null || renames === null) return [{ previous, next }]
  return [renamed(items, previous, next, renames), ...followRename(items, previous, next, renames)]
}

/** Whether storing the version would change nothing. Key order counts: fields are shown in it. */
export function isSameVersion(previous: MetadataItem, next: MetadataItem): boolean {
  return (
    previous.name === next.name &&
    previous.state === next.state &&
    previous.packageId === next.packageId &&
    previous.namespace === next.namespace &&
    JSON.stringify(previous.item) === JSON.stringify(next.item)
  )
}

/** The body with its name, which comes first where it was left out. */
export function withName({ name, item }: Pick<SaveItemInput, 'name' | 'item'>): Record<string, unknown> {
  return Object.hasOwn(item, 'name') ? { ...item } : { name, ...item }
}

/** The object a definition says it is renamed from. */
export function findRenamed(items: ItemCache, type: MetadataType, item: Body): MetadataItem | undefined {
  const from = type === 'object' && Object.hasOwn(item, 'renamedFrom') ? item['renamedFrom'] : undefined
  return typeof from === 'string' ? items.base('object', from) : undefined
}

/** A rename takes effect at once, so a draft cannot hold one. @throws validation_error */
export function requireNoRename(items: ItemCache, { type, item }: SaveItemInput): void {
  if (findRenamed(items, type, item) === undefined) return
  throw refusal('renamedFrom', 'not_allowed', 'A draft cannot rename.', { value: item['renamedFrom'] })
}

/** An import may bring the state along; what was published once is never a mere draft again. */
function stateOf({ draft, state }: SaveItemInput, previous: MetadataItem | null): MetadataState {
  if (previous === null) return draft === true ? 'draft' : (state ?? 'active')
  return state === undefined || (state === 'draft' && previous.published) ? previous.state : state
}

/** Of a body meant as the whole object, the part that does not come from extensions. @throws validation_error */
function ownPart(items: ItemCache, body: Body, previous: MetadataItem | null): Body {
  if (previous === null || extendedObject(body) !== null) return body
  const own = withoutExtensions(body, previous.item, items.extensions(previous.name))
  if (own.errors.length > 0) throw validationError(own.errors)
  return own.body
}
