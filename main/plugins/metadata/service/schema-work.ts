// What a metadata write means for the storage of its types: compares effective items before and after, so that
// overlays, extensions and states change tables exactly as saving a definition does (D-100, D-109). Reads only.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { validationError } from '#shared/errors.ts'
import { isSameJson } from '#shared/merge-patch.ts'
import type { HookTarget, MetadataItem, SchemaChangeStep, TypeHook } from '../api.ts'
import { checkItem } from '../types/check-item.ts'
import { extendedObject, extensionConflicts } from './extensions.ts'
import { deepFreeze } from './freeze.ts'
import type { ItemCache } from './item-cache.ts'
import type { Ground } from './preparing.ts'
import type { ItemChange } from './item-change.ts'
import { cacheChange } from './item-change.ts'
import { groundOf } from '#shared/rules/inline-rules.ts'
import { checkRule } from '#shared/rules/rule-definition.ts'
import type { RequestContext } from '#main/kernel/context.ts'

/** One call of a type's hook: the effective item as it was and as it becomes. */
export interface SchemaWork {
  readonly hook: TypeHook
  readonly previous: MetadataItem | null
  readonly next: MetadataItem | null
  readonly renamedObjects: ReadonlyMap<string, string>
  readonly plan: readonly SchemaChangeStep[]
}

/** What a write changes in all. */
export interface WorkedOut {
  /** The given changes, then new versions of objects whose extensions change. */
  readonly changes: readonly ItemChange[]
  readonly work: readonly SchemaWork[]
  /** The items as they will be. */
  readonly after: ItemCache
}

interface Pair {
  readonly before: MetadataItem | null
  readonly after: MetadataItem | null
}

/**
 * Works out the storage changes behind item changes.
 * @throws validation_error when an overlay or an extension no longer fits what it stands on
 */
export function workOut(
  hookOf: (type: MetadataType) => TypeHook | undefined,
  ground: Ground,
  given: readonly ItemChange[],
  now: string,
): WorkedOut {
  const after = ground.items.copy()
  after.apply(cacheChange(given))
  const pairs = given
    .filter((change) => change.op !== 'draft')
    .map(({ previous, next }): Pair => pairOf(ground.items, after, previous, next))
  for (const { after: item } of pairs) {
    if (item === null) continue
    requireFitting(after, item)
    requireRuleFields(after, item)
  }

  const targets = extendedBy(pairs).filter((name) => !pairs.some((pair) => pair.after?.name === name))
  for (const name of targets) {
    const target = after.get('object', name)
    if (target !== undefined) requireFitting(after, target)
  }
  const targetPairs = targets.flatMap((name): Pair[] => {
    const pair = { before: ground.items.get('object', name) ?? null, after: after.get('object', name) ?? null }
    return pair.before === null || pair.after === null || isSameJson(pair.before.item, pair.after.item) ? [] : [pair]
  })

  const renamedObjects = renamedIn(pairs)
  const work = [...pairs, ...targetPairs].flatMap((pair): SchemaWork[] => {
    const hook = hookOf((pair.after ?? pair.before)!.type)
    const previous = pair.before !== null && hasStorage(pair.before) ? pair.before : null
    const next = pair.after !== null && hasStorage(pair.after) ? pair.after : null
    if (hook === undefined || (previous === null && next === null)) return []
    if (previous !== null && next !== null && isUnchanged(previous, next)) return []
    // Tables changed earlier in the same write are not as the plan needs them yet; it is made when they are.
    const planLater = previous !== null && ground.touched?.has(previous.uid) === true
    const plan = planLater
      ? []
      : hook.plan(
          previous,
          hookTarget({ next, renamedObjects }, ground.isPlaced),
          ground.reads,
          ground.mayWait === true,
        )
    return [{ hook, previous, next, renamedObjects, plan }]
  })
  const bumped = targetPairs.map(({ after: item }): ItemChange => {
    const previous = after.base('object', item!.name)!
    return { previous, next: deepFreeze({ ...previous, version: previous.version + 1, updatedAt: now }) }
  })
  if (bumped.length > 0) after.apply(cacheChange(bumped))
  return { changes: [...given, ...bumped], work, after }
}

/** The item a work makes, in the form a type's hook takes; null where it goes. */
export function hookTarget(
  { next, renamedObjects }: Pick<SchemaWork, 'next' | 'renamedObjects'>,
  isPlaced = false,
): HookTarget | null {
  if (next === null) return null
  return { name: next.name, uid: next.uid, item: next.item as Record<string, unknown>, renamedObjects, isPlaced }
}

function renamedIn(pairs: readonly Pair[]): ReadonlyMap<string, string> {
  return new Map(
    pairs.flatMap(({ before, after }): [string, string][] =>
      before?.type === 'object' && after !== null && before.name !== after.name ? [[before.name, after.name]] : [],
    ),
  )
}

function pairOf(before: ItemCache, after: ItemCache, previous: MetadataItem | null, next: MetadataItem | null): Pair {
  return {
    before: previous === null ? null : (before.get(previous.type, previous.name) ?? null),
    after: next === null ? null : (after.get(next.type, next.name) ?? null),
  }
}

/** Objects that extensions among the items extend, before or after. */
function extendedBy(pairs: readonly Pair[]): string[] {
  const names = pairs.flatMap(({ before, after }) =>
    [before, after].flatMap((item) => (item?.type === 'object' ? [extendedObject(item.item)] : [])),
  )
  return [...new Set(names)].filter((name) => name !== null)
}

/** Drafts that were never active have no storage, and neither have extensions. */
function hasStorage(item: MetadataItem): boolean {
  return item.published && (item.type !== 'object' || extendedObject(item.item) === null)
}

function isUnchanged(previous: MetadataItem, next: MetadataItem): boolean {
  return previous.name === next.name && JSON.stringify(previous.item) === JSON.stringify(next.item)
}

/** The whole of an item made of several layers obeys the rules of its type, as one that was saved whole. */
function requireFitting(items: ItemCache, item: MetadataItem): void {
  const stored = items.base(item.type, item.name)
  const extensions = item.type === 'object' ? items.extensions(item.name) : []
  const own = items.extended(item.type, item.name)
  if (stored === undefined || own === undefined || (own === stored && item.item === stored.item)) return
  const errors = [
    ...extensions.flatMap((extension) => extensionConflicts(extension, stored.item, earlier(extensions, extension))),
    ...checkItem(item.type, item.item).errors,
  ]
  if (errors.length > 0) throw validationError(errors)
}

function earlier(extensions: readonly MetadataItem[], extension: MetadataItem): readonly MetadataItem[] {
  return extensions.slice(0, extensions.indexOf(extension))
}

/**
 * Refuses a rule whose expressions, fields or states its object does not have: it would judge nothing, silently. A rule
 * of an object that is still to come is let through.
 * @throws validation_error
 */
export function requireRuleFields(items: Pick<ItemCache, 'objectSchema'>, item: MetadataItem): void {
  if (item.type !== 'validation' || item.state === 'archived') return
  const object = String(item.item['object'])
  const schema = items.objectSchema(object)
  if (schema === undefined) return
  const dot = item.name.indexOf('.')
  if (dot !== -1 && item.name.slice(0, dot) !== object) {
    const message = 'The rule is named after another object.'
    throw validationError([{ field: 'object', code: 'invalid_reference', message, value: object }])
  }
  const problems = checkRule(item.item, '', groundOf(schema.definition.fields))
  if (problems.length > 0) throw validationError(problems)
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
