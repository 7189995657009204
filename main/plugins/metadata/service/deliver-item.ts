// Works out what a package changes of one item it delivers: the item, its state and the platform's overlay in one version
// (D-127, D-133). Reads only.
import { platformError } from '#shared/errors.ts'
import type { DeliveredChange, OverlayRecord } from '../api.ts'
import {
  isForeign,
  requireCreatable,
  requireNoDependents,
  requireRule,
  requireShape,
  requireTarget,
} from './check-change.ts'
import { requireSafeInput } from './check-input.ts'
import { requireStored } from './item-cache.ts'
import type { ItemChange, PreparedWrite, WriteScope } from './item-write.ts'
import { nextVersion } from './item-write.ts'
import { changesOf, findRenamed, isSameVersion, mergeItem } from './merge-item.ts'
import { deliveredOverlay } from './merge-overlay.ts'
import { planSave, planWrite } from './plan-schema.ts'
import { leaving } from './renaming.ts'

/** Accepts whatever the plan says: the whole delivery is agreed to at once. */
const agreed = 'true'

/**
 * Prepares one change of a delivery.
 * @throws validation_error, conflict for an item people made, item_locked for one of another package, delete_restricted
 */
export function prepareDelivered(scope: WriteScope, change: DeliveredChange): PreparedWrite {
  const { type, name } = change
  const subject = { type, name, confirm: agreed }
  if (change.change === 'save') return prepareSaved(scope, change)
  const base = requireStored(scope.items, change)
  if (isForeign(base, change.packageId)) throw platformError('item_locked', { packageId: base.packageId })
  if (change.change === 'remove') {
    if (change.force !== true) requireNoDependents(scope, change)
    return planWrite(scope, subject, { changes: leaving(scope.items, base) })
  }
  const { state } = change
  if (base.state === state) return planWrite(scope, subject, { changes: [] })
  const published = base.published || state === 'active'
  const next = nextVersion(base, { state, published }, scope.clock.iso())
  return planWrite(scope, subject, { changes: [{ previous: base, next, op: 'state' }] })
}

function prepareSaved(scope: WriteScope, change: Extract<DeliveredChange, { change: 'save' }>): PreparedWrite {
  const { items } = scope
  const { type, name, packageId, overlay, keepsOptions } = change
  const input = { ...change, confirm: agreed }
  requireSafeInput(input)
  const previous = items.base(type, name) ?? findRenamed(items, type, input.item) ?? null
  if (previous === null) requireCreatable(items, type, packageId)
  else if (isForeign(previous, packageId)) throw platformError('item_locked', { packageId: previous.packageId })
  const next = mergeItem(scope, input, previous)
  const warnings = requireShape(input, next.item, [previous?.item, items.get(type, previous?.name ?? name)?.item])
  requireTarget(items, next)
  requireRule(scope, input)
  const isSame = previous !== null && isSameVersion(previous, next)
  const before = previous === null ? null : (items.overlay(type, previous.name, null) ?? null)
  const after = overlay === undefined ? undefined : deliveredOverlay(scope, next, before, overlay)
  if (isSame && (after === undefined || isSameOverlay(before, after))) {
    return planWrite(scope, input, { changes: [], warnings })
  }
  const [own, ...rest] = changesOf(items, previous, next)
  const changes = [after === undefined ? own! : withOverlay(own!, before, after), ...rest]
  return planSave(scope, input, { changes, created: previous === null, warnings }, keepsOptions)
}

/** The change with the platform's overlay as it is to be; those of users follow as they do. */
function withOverlay(change: ItemChange, previous: OverlayRecord | null, next: OverlayRecord | null): ItemChange {
  const others = (change.overlays ?? []).filter((one) => (one.previous ?? one.next)!.scope !== 'platform')
  if (previous === null && next === null) return { ...change, overlays: others }
  return { ...change, overlays: [...others, { previous, next }] }
}

function isSameOverlay(before: OverlayRecord | null, after: OverlayRecord | null): boolean {
  return JSON.stringify([before?.patch, before?.active]) === JSON.stringify([after?.patch, after?.active])
}
