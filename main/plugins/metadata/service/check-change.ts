// Checks of a change that need the other items: who may make or change an item, what it stands on, and what stands on it.
// Reads only.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import { platformError, validationError } from '#shared/errors.ts'
import { isSameJson } from '#shared/merge-patch.ts'
import { groundOf } from '#shared/rules/inline-rules.ts'
import { missingMessages } from '#shared/rules/required-messages.ts'
import { checkRule } from '#shared/rules/rule-definition.ts'
import type { MetadataItem, SaveItemInput, SaveItemResult } from '../api.ts'
import type { Dependency } from '../references/dependencies.ts'
import { dependentsOf } from '../references/dependencies.ts'
import { checkItem } from '../types/check-item.ts'
import { runtimeCreate } from '../types/type-entries.ts'
import { refusal } from './check-input.ts'
import { extendedObject, extensionConflicts, withOverlay } from './extensions.ts'
import { splitChildName } from './field-items.ts'
import type { ItemCache } from './item-cache.ts'
import type { ItemChange, WriteScope } from './item-write.ts'
import type { Body } from './json-values.ts'

/** Most objects a workspace may have (D-199). */
const maxObjects = 1000

/** Refuses new items of types nobody makes at run time, and one object too many. @throws validation_error */
export function requireCreatable(items: ItemCache, type: MetadataType, packageId: string | null | undefined): void {
  const who = runtimeCreate(type)
  if (who === 'never' || (who === 'packages' && typeof packageId !== 'string')) {
    throw refusal('type', 'not_allowed', 'Items of this type are not made at run time.', { value: type })
  }
  if (type === 'object' && items.list('object').length >= maxObjects) {
    const message = `A workspace has at most ${maxObjects} objects.`
    throw refusal('name', 'max_items', message, { constraint: maxObjects })
  }
}

/**
 * Whether the item was delivered by a package and the writer is not that package: then an overlay takes the change.
 * @throws conflict when a package meets what people made, item_locked when it meets another package's
 */
export function isForeign(previous: MetadataItem, packageId: string | undefined): boolean {
  if (previous.packageId === (packageId ?? null)) return false
  if (previous.packageId === null) throw platformError('conflict', { reason: 'package', packageId: null })
  if (packageId === undefined) return true
  throw platformError('item_locked', { packageId: previous.packageId })
}

/**
 * Refuses a body that does not have the shape of its type, or whose rules lack the words people are told; answers the
 * keys nothing reads.
 * @param stored the item in each of its forms: what lacks words there may go on so
 * @throws validation_error
 */
export function requireShape(
  { type, returning }: Pick<SaveItemInput, 'type' | 'returning'>,
  item: Body,
  stored: readonly (Body | undefined)[],
): SaveItemResult['warnings'] {
  const { errors, warnings } = checkItem(type, item)
  const unspoken = returning === true ? [] : missingMessages(type, item, stored)
  if (errors.length > 0 || unspoken.length > 0) throw validationError([...errors, ...unspoken])
  return warnings
}

/** An extension extends an object that is there and is no extension itself. @throws validation_error */
export function requireTarget(items: Pick<ItemCache, 'base'>, { type, name, item }: MetadataItem): void {
  const target = type === 'object' ? extendedObject(item) : null
  if (target === null) return
  const object = target === name ? undefined : items.base('object', target)
  if (object !== undefined && extendedObject(object.item) === null) return
  throw refusal('extend', 'invalid_reference', 'There is no such object to extend.', { value: target })
}

/** Refuses what the rule of the type refuses; an item that stays as it is was let in before. @throws validation_error */
export function requireRule({ ctx, items, rule }: WriteScope, { type, name, item }: SaveItemInput): void {
  const ruleOfType = rule(type)
  if (ruleOfType === undefined || isSameJson(items.get(type, name)?.item, { name, ...item })) return
  refuseAny(ruleOfType(ctx, { name, item }, items.objectSchema))
}

/**
 * Refuses what the rule of the type refuses of an item under overlays, whichever layer changes: nobody gets by a layer
 * what a save of the whole would not give. An overlay that is switched off is judged as if it were on, and one of a user
 * by what it adds, as its owner may not see all of what lies below.
 * @throws validation_error, and what the rule throws
 */
export function requireLayeredRule(
  { ctx, items, rule, isAgreed }: WriteScope,
  after: ItemCache,
  { next, overlays = [], op }: ItemChange,
): void {
  const ruleOfType = next === null || op === 'draft' || isAgreed === true ? undefined : rule(next.type)
  if (next === null || ruleOfType === undefined) return
  const { type, name } = next
  const problemsOf = ({ item }: MetadataItem): FieldError[] => ruleOfType(ctx, { name, item }, after.objectSchema)
  const isLayered = overlays.length > 0 || after.overlay(type, name, null)?.active === true
  const [was, is] = [items.get(type, name), after.get(type, name)!]
  if (isLayered && !isSameJson(was?.item, is.item)) refuseAny(problemsOf(is))
  for (const { previous, next: laid } of overlays) {
    if (laid === null || isSameJson(previous?.patch, laid.patch)) continue
    const under = laid.scope === 'user' ? is : after.extended(type, name)!
    const whole = withOverlay(under, { ...laid, active: true })
    if (isSameJson(whole.item, is.item)) continue
    const problems = problemsOf(whole)
    const known = laid.scope === 'user' && problems.length > 0 ? problemsOf(under) : []
    refuseAny(problems.filter((one) => !known.some((other) => isSameJson(other, one))))
  }
}

function refuseAny(problems: readonly FieldError[]): void {
  if (problems.length > 0) throw validationError([...problems])
}

/** The whole of an item made of several layers obeys the rules of its type, as one saved whole. @throws validation_error */
export function requireFitting(items: ItemCache, item: MetadataItem): void {
  const stored = items.base(item.type, item.name)
  const own = items.extended(item.type, item.name)
  if (stored === undefined || own === undefined || (own === stored && item.item === stored.item)) return
  const extensions = item.type === 'object' ? items.extensions(item.name) : []
  const errors = [
    ...extensions.flatMap((one, index) => extensionConflicts(one, stored.item, extensions.slice(0, index))),
    ...checkItem(item.type, item.item).errors,
  ]
  if (errors.length > 0) throw validationError(errors)
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
  const parent = splitChildName(item.name)?.parent
  if (parent !== undefined && parent !== object) {
    throw refusal('object', 'invalid_reference', 'The rule is named after another object.', { value: object })
  }
  const problems = checkRule(item.item, '', groundOf(schema.definition.fields))
  if (problems.length > 0) throw validationError(problems)
}

/**
 * Refuses the removal of what other items need (D-106). Parts of an object go with it and hold nothing back, and neither
 * does what goes in the same write.
 * @throws delete_restricted with every dependent; a field that refers to it comes first
 */
export function requireNoDependents(
  { items, leaving }: WriteScope,
  target: { type: MetadataType; name: string },
): void {
  const going = new Set([...(leaving ?? []), `${target.type}/${target.name}`])
  const dependents = dependentsOf(target, items).filter((dependent) => !goesToo(dependent, going))
  const [first] = dependents.toSorted((a, b) => Number(b.sourceType === 'field') - Number(a.sourceType === 'field'))
  if (first === undefined) return
  const parts = splitChildName(first.sourceName)
  throw platformError('delete_restricted', {
    dependents,
    dependentObject: parts?.parent ?? first.sourceName,
    dependentField: parts?.child ?? null,
    dependentCount: dependents.length,
  })
}

function goesToo({ sourceType, sourceName }: Dependency, going: ReadonlySet<string>): boolean {
  if (going.has(`${sourceType}/${sourceName}`)) return true
  const object = splitChildName(sourceName)?.parent
  return object !== undefined && going.has(`object/${object}`)
}
