// Plans what a metadata write means for the storage of its types: compares effective items before and after, so that
// overlays, extensions and states change tables exactly as saving a definition does (D-100, D-109), and asks for consent
// where data would be lost (D-101). Reads only.
import { platformError } from '#shared/errors.ts'
import { isSameJson } from '#shared/merge-patch.ts'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { HookTarget, MetadataItem, SaveItemResult, SchemaChangeStep } from '../api.ts'
import { requireFitting, requireLayeredRule, requireRuleFields } from './check-change.ts'
import { extendedObject } from './extensions.ts'
import type { ItemCache } from './item-cache.ts'
import type { ItemChange, PreparedWrite, ProposedWrite, SchemaWork, WriteScope, WriteSubject } from './item-write.ts'
import { cacheChange, nextVersion } from './item-write.ts'
import { deepFreeze } from './json-values.ts'

/**
 * Plans a proposed write, and answers what a save of it answers.
 * @throws validation_error when an overlay or an extension no longer fits what it stands on, destructive_change
 */
export function planWrite(scope: WriteScope, subject: WriteSubject, proposed: ProposedWrite): PreparedWrite {
  const { ctx, items, etag } = scope
  const { type, name, confirm, dryRun = false } = subject
  const { created = false, warnings = [] } = proposed
  const { changes, work, after } = workOut(scope, proposed.changes)
  const plan = work.flatMap((one) => one.plan)
  if (!dryRun) requireConsent(plan, confirm)
  const [own] = changes
  const { previous, next } = own ?? { previous: null, next: items.get(type, name)! }
  const item = next === null ? previous! : (after.get(next.type, next.name) ?? next)
  const result: SaveItemResult = {
    version: item.version,
    etag: etag(ctx, item),
    state: item.state,
    created,
    warnings,
    plan,
    ...(plan.length === 0 ? {} : { planHash: canonicalHash(plan) }),
    dryRun,
  }
  return { result, changes, work, plan, after, confirm }
}

/**
 * Plans a save; what records still use stays in the definition (D-100).
 * @param keepsUsed default: where nobody agreed to a loss
 * @throws as planWrite
 */
export function planSave(
  scope: WriteScope,
  subject: WriteSubject,
  proposed: ProposedWrite,
  keepsUsed = subject.confirm === undefined && subject.dryRun !== true,
): PreparedWrite {
  const prepared = planWrite(scope, subject, proposed)
  const [own, ...rest] = proposed.changes
  if (!keepsUsed || !own?.previous || !own.next) return prepared
  const hook = prepared.work.find((work) => work.next?.uid === own.next!.uid)?.hook
  const found = hook?.keep?.(own.previous, own.next.item as Record<string, unknown>, prepared.plan)
  if (found === undefined || found === null) return prepared
  const { plan, planHash } = prepared.result
  const told = found.kept.map(({ field, option }) => ({
    path: `fields.${field}.options`,
    message: `Records use the option "${option}": it stays and takes no new values.`,
  }))
  const kept = planWrite(scope, subject, {
    ...proposed,
    changes: [{ ...own, next: deepFreeze({ ...own.next, item: found.item }) }, ...rest],
    warnings: [...(proposed.warnings ?? []), ...told],
  })
  return { ...kept, result: { ...kept.result, plan, ...(planHash === undefined ? {} : { planHash }) } }
}

/**
 * Whether a plan that is made again says what was agreed to.
 * @throws destructive_change when it now destroys data and nobody agreed to that
 */
export function requireSamePlan(
  agreed: readonly SchemaChangeStep[],
  again: readonly SchemaChangeStep[],
  confirm: string | undefined,
): void {
  if (canonicalHash(again) !== canonicalHash(agreed)) requireConsent(again, confirm)
}

/** Whether the caller accepts whatever the plan says. */
export function acceptsAnyPlan(confirm: string | undefined): boolean {
  return confirm === 'true' || confirm === '1'
}

/** Refuses a plan that destroys data without consent to exactly this plan. @throws destructive_change */
export function requireConsent(plan: readonly SchemaChangeStep[], confirm: string | undefined): void {
  if (!plan.some((step) => step.destructive) || acceptsAnyPlan(confirm)) return
  const planHash = canonicalHash(plan)
  if (confirm === planHash) return
  const reason = confirm === undefined ? {} : { reason: 'plan_changed' }
  throw platformError('destructive_change', { plan, planHash, ...reason })
}

/** An effective item as it was and as it becomes. */
interface Pair {
  readonly before: MetadataItem | null
  readonly after: MetadataItem | null
}

/** The given changes with new versions of objects whose extensions change, and the storage changes behind them all. */
function workOut(scope: WriteScope, given: readonly ItemChange[]): Pick<PreparedWrite, 'changes' | 'work' | 'after'> {
  const { items } = scope
  if (given.length === 0) return { changes: [], work: [], after: items }
  const after = items.copy()
  after.apply(cacheChange(given))
  const effective = (from: ItemCache, item: MetadataItem | null): MetadataItem | null =>
    item === null ? null : (from.get(item.type, item.name) ?? null)
  const pairs = given
    .filter((change) => change.op !== 'draft')
    .map(({ previous, next }): Pair => ({ before: effective(items, previous), after: effective(after, next) }))
  for (const { after: item } of pairs) {
    if (item === null) continue
    requireFitting(after, item)
    requireRuleFields(after, item)
  }
  // The others only follow: their names and references.
  requireLayeredRule(scope, after, given[0]!)
  const targets = targetsOf(pairs).flatMap((name): { before: MetadataItem; after: MetadataItem }[] => {
    const [was, is] = [items.get('object', name), after.get('object', name)]
    if (is !== undefined) requireFitting(after, is)
    return was === undefined || is === undefined || isSameJson(was.item, is.item) ? [] : [{ before: was, after: is }]
  })
  const work = workOf(scope, [...pairs, ...targets])
  const raised = targets.map(({ after: { name } }): ItemChange => {
    const previous = after.base('object', name)!
    return { previous, next: nextVersion(previous, {}, scope.clock.iso()) }
  })
  if (raised.length > 0) after.apply(cacheChange(raised))
  return { changes: [...given, ...raised], work, after }
}

/** Objects that extensions among the items extend, before or after, and that are not among the items themselves. */
function targetsOf(pairs: readonly Pair[]): string[] {
  const names = pairs.flatMap(({ before, after }) =>
    [before, after].flatMap((item) => (item?.type === 'object' ? (extendedObject(item.item) ?? []) : [])),
  )
  return [...new Set(names)].filter((name) => !pairs.some((pair) => pair.after?.name === name))
}

function workOf(scope: WriteScope, pairs: readonly Pair[]): SchemaWork[] {
  const renamedObjects = new Map(
    pairs.flatMap(({ before, after }): [string, string][] =>
      before?.type === 'object' && after !== null && before.name !== after.name ? [[before.name, after.name]] : [],
    ),
  )
  return pairs.flatMap((pair): SchemaWork[] => {
    const hook = scope.hook((pair.after ?? pair.before)!.type)
    const previous = pair.before !== null && hasStorage(pair.before) ? pair.before : null
    const next = pair.after !== null && hasStorage(pair.after) ? pair.after : null
    if (hook === undefined || (previous === null && next === null)) return []
    if (previous !== null && next !== null && isUnchanged(previous, next)) return []
    // Tables changed earlier in the same write are not as the plan needs them yet; it is made when they are.
    const planLater = previous !== null && scope.touched?.has(previous.uid) === true
    const target = hookTarget({ next, renamedObjects }, scope.isPlaced)
    const plan = planLater ? [] : hook.plan(previous, target, scope.reads, scope.mayWait === true)
    return [{ hook, previous, next, renamedObjects, plan }]
  })
}

/** Drafts that were never active have no storage, and neither have extensions. */
function hasStorage(item: MetadataItem): boolean {
  return item.published && (item.type !== 'object' || extendedObject(item.item) === null)
}

function isUnchanged(previous: MetadataItem, next: MetadataItem): boolean {
  return previous.name === next.name && JSON.stringify(previous.item) === JSON.stringify(next.item)
}

/** The item a work makes, in the form a type's hook takes; null where it goes. */
export function hookTarget(
  { next, renamedObjects }: Pick<SchemaWork, 'next' | 'renamedObjects'>,
  isPlaced = false,
): HookTarget | null {
  if (next === null) return null
  return { name: next.name, uid: next.uid, item: next.item as Record<string, unknown>, renamedObjects, isPlaced }
}

/**
 * Runs `commit` inside of what every hook does around it, one inside of the other. A hook is asked once per item: of an
 * item that changes twice in one write, the second change stands on tables that are not there yet.
 */
export async function aroundAll(
  ctx: RequestContext,
  work: readonly SchemaWork[],
  commit: () => Promise<void>,
): Promise<void> {
  const seen = new Set<string>()
  let whole = commit
  for (const one of work) {
    const { hook, previous } = one
    const { uid } = (previous ?? one.next)!
    if (hook.around === undefined || seen.has(uid)) continue
    seen.add(uid)
    const inner = whole
    whole = () => hook.around!(ctx, previous, hookTarget(one), inner)
  }
  await whole()
}
