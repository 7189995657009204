// Works out what a release changes of what its package has delivered so far: items, states, customizations (D-133). Reads
// only.
import type { MergeConflict, UpgradePlan } from '#shared/contracts/package-parts.ts'
import { isJsonMap, isSameJson } from '#shared/merge-patch.ts'
import type { DeliveredChange, DeliveredItem, DeliveredOverlay } from '#main/plugins/metadata/api.ts'
import type { Release, ReleaseItem } from './release.ts'
import type { MergeStrategy } from './three-way.ts'
import { mergeThreeWay } from './three-way.ts'

/** How a release is delivered. */
export interface DeliveryOptions {
  readonly strategy: MergeStrategy
  /** False keeps everything it delivers out of use. */
  readonly isEnabled: boolean
  /** What records still use stays in definitions (D-100). */
  readonly keepsOptions: boolean
  /** The states items go back to when the package is enabled, where that is not `active`; by `type/name`. */
  readonly states: Readonly<Record<string, string>>
}

/** What a release changes. */
export interface PlannedDelivery {
  readonly changes: readonly DeliveredChange[]
  readonly told: UpgradePlan['changes']
  readonly conflicts: readonly MergeConflict[]
  readonly affectedCustomizations: number
}

/** Plans the delivery of a release over the items its package has delivered. */
export function planDelivery(
  { manifest, items }: Release,
  delivered: readonly DeliveredItem[],
  options: DeliveryOptions,
): PlannedDelivery {
  const { id: packageId, namespace } = manifest
  const before = new Map(delivered.map((item) => [keyOf(item), item]))
  const left = new Map(before)
  const changes: DeliveredChange[] = []
  const told: UpgradePlan['changes'] = []
  const conflicts: MergeConflict[] = []
  let affectedCustomizations = 0

  for (const item of items) {
    const { type, name } = item
    const previous = before.get(keyOf(item)) ?? renamedFrom(item, before, items)
    if (previous !== undefined) left.delete(keyOf(previous))
    const body = { name, ...item.item }
    const state = stateOf(item, previous, options)
    const save = {
      change: 'save' as const,
      type,
      name,
      packageId,
      namespace,
      item: body,
      keepsOptions: options.keepsOptions,
      ...state,
    }
    if (previous === undefined) {
      told.push({ type, name, changeType: 'added', hasConflict: false })
      changes.push(save)
      continue
    }
    const isRenamed = previous.name !== name
    const isSame = !isRenamed && isSameJson(previous.item, body)
    if (isSame) {
      // A save that changes nothing stores nothing, but brings back the state of an item that was kept.
      changes.push(save)
      continue
    }
    const merged = mergeCustomization(item, body, previous, options.strategy)
    if (previous.overlay !== null) affectedCustomizations += 1
    conflicts.push(...merged.conflicts)
    told.push({
      type,
      name,
      changeType: isRenamed ? 'renamed' : 'modified',
      hasConflict: merged.conflicts.length > 0,
      ...(isRenamed ? { previousName: previous.name } : {}),
      summary: summaryOf(previous.item, body),
    })
    changes.push({ ...save, ...(merged.overlay === undefined ? {} : { overlay: merged.overlay }) })
  }

  for (const item of left.values()) {
    const { type, name, overlay } = item
    const isCustomized = overlay !== null
    told.push({ type, name, changeType: 'removed', hasConflict: isCustomized })
    changes.push({ change: 'remove', type, name, packageId })
    if (!isCustomized) continue
    affectedCustomizations += 1
    conflicts.push({
      type,
      name,
      path: '',
      baseValue: item.item,
      customValue: overlay.patch,
      suggestedResolution: 'accept-incoming',
    })
  }
  return { changes, told, conflicts, affectedCustomizations }
}

/** How much an upgrade changes at most. @source D-133 */
export function impactOf(
  told: UpgradePlan['changes'],
  conflicts: readonly MergeConflict[],
  schemaPlan: readonly { readonly lossy: number; readonly destructive: boolean; readonly records: number }[],
): UpgradePlan['impactLevel'] {
  if (schemaPlan.some(({ lossy }) => lossy > 0)) return 'critical'
  if (told.some(({ changeType }) => changeType === 'removed') || schemaPlan.some(({ destructive }) => destructive)) {
    return 'high'
  }
  const isObject = told.some(({ type, changeType }) => type === 'object' && changeType !== 'added')
  if (isObject || conflicts.length > 0) return 'medium'
  return told.length > 0 ? 'low' : 'none'
}

/** The name of an item in maps: `type/name`. */
export function keyOf({ type, name }: { readonly type: string; readonly name: string }): string {
  return `${type}/${name}`
}

/** The object a new one says it was, when the release has no object of the old name any more. */
function renamedFrom(
  { type, item }: ReleaseItem,
  before: ReadonlyMap<string, DeliveredItem>,
  items: readonly ReleaseItem[],
): DeliveredItem | undefined {
  const from = type === 'object' ? item['renamedFrom'] : undefined
  if (typeof from !== 'string' || items.some((other) => other.type === type && other.name === from)) return undefined
  return before.get(keyOf({ type, name: from }))
}

/** An item people archived stays so; one of a disabled package is archived until that is enabled. */
function stateOf(
  item: ReleaseItem,
  previous: DeliveredItem | undefined,
  { isEnabled, states }: DeliveryOptions,
): Pick<Extract<DeliveredChange, { change: 'save' }>, 'state'> {
  if (previous === undefined) return isEnabled || isExtension(item) ? {} : { state: 'archived' }
  if (!isEnabled || previous.state !== 'archived') return {}
  // Kept by an uninstallation: nobody archived it. What people archived is noted.
  return states[keyOf(previous)] === 'archived' ? {} : { state: 'active' }
}

/** Whether an item adds to an object of somebody else: without it that object would lose fields. */
export function isExtension({ type, item }: Pick<ReleaseItem, 'type' | 'item'>): boolean {
  return type === 'object' && typeof item['extend'] === 'string'
}

interface Merged {
  /** Undefined: it stays as it is. */
  readonly overlay?: DeliveredOverlay
  readonly conflicts: readonly MergeConflict[]
}

function mergeCustomization(
  { type, name }: ReleaseItem,
  incoming: Readonly<Record<string, unknown>>,
  previous: DeliveredItem,
  strategy: MergeStrategy,
): Merged {
  const { overlay, item: base, fieldUids } = previous
  if (overlay === null) return { conflicts: [] }
  const { patch, conflicts } = mergeThreeWay({ base, incoming, patch: overlay.patch, strategy, fieldUids })
  const isSame = isSameJson(patch, overlay.patch)
  return {
    ...(isSame ? {} : { overlay: { patch, active: overlay.active } }),
    conflicts: conflicts.map((one) => ({ type, name, ...one })),
  }
}

/** What differs, in words: keys of the item, and of an object its fields. */
function summaryOf(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): string {
  const differing = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>) =>
    [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => !isSameJson(a[key], b[key]))
  const keys = differing(before, after)
  const [was, is] = [before['fields'], after['fields']]
  if (!isJsonMap(was) || !isJsonMap(is) || !keys.includes('fields')) return `Changed: ${keys.join(', ')}.`
  const fields = differing(was, is).map((field) => {
    if (!Object.hasOwn(was, field)) return `+${field}`
    return Object.hasOwn(is, field) ? `~${field}` : `-${field}`
  })
  const others = keys.filter((key) => key !== 'fields')
  return `Fields: ${fields.join(', ')}.${others.length > 0 ? ` Changed: ${others.join(', ')}.` : ''}`
}
