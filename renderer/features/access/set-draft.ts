// Owns a permission set or profile while it is edited: what each cell of the matrix means and what a press changes. Pure.
import type { RightItem } from '../../lib/right-sets.ts'
import { stableText } from '../../lib/stable-text.ts'

/** The rights on one object, in the order of the matrix. @source D-44 */
export const objectFlags = [
  'allowCreate',
  'allowRead',
  'allowEdit',
  'allowDelete',
  'allowTransfer',
  'allowRestore',
  'allowPurge',
  'viewAllRecords',
  'modifyAllRecords',
] as const

/** One of {@link objectFlags}. */
export type ObjectFlag = (typeof objectFlags)[number]

/** The name under which a set speaks of every object it does not name. */
export const everyObject = '*'

type Flags = Readonly<Partial<Record<ObjectFlag, boolean>>>

/** Whether a field may be read and edited. */
export interface FieldAccess {
  readable: boolean
  editable: boolean
}

/** A rule that opens rows; `condition` is CEL text or a filter. */
export interface RowRule {
  name: string
  object: string
  actions: readonly string[]
  condition: unknown
  [key: string]: unknown
}

/** The parts of a set that are edited here; others pass through untouched. */
export interface SetDraft extends RightItem {
  objects: Readonly<Record<string, Flags>>
  fields: Readonly<Record<string, Partial<FieldAccess>>>
  rowLevelSecurity: readonly RowRule[]
  systemPermissions: readonly string[]
}

/** The draft of a stored item. */
export function draftOfSet(item: RightItem): SetDraft {
  return {
    ...item,
    objects: (item['objects'] as SetDraft['objects'] | undefined) ?? {},
    fields: (item['fields'] as SetDraft['fields'] | undefined) ?? {},
    rowLevelSecurity: (item['rowLevelSecurity'] as SetDraft['rowLevelSecurity'] | undefined) ?? [],
    systemPermissions: (item['systemPermissions'] as string[] | undefined) ?? [],
  }
}

/** Whether an object has a choice of its own. */
export function hasOwnRights(draft: SetDraft, object: string): boolean {
  return Object.hasOwn(draft.objects, object)
}

/** What a set gives on an object: its own choice, else that for all others. */
export function hasFlag(draft: SetDraft, object: string, flag: ObjectFlag): boolean {
  const flags = hasOwnRights(draft, object) ? draft.objects[object] : draft.objects[everyObject]
  return flags?.[flag] === true
}

/** What has to be given together: who edits, deletes or sees all reads, too (D-45). */
const needRead: readonly ObjectFlag[] = ['allowEdit', 'allowDelete', 'viewAllRecords', 'modifyAllRecords']

/** Gives or takes one right; an object without a choice of its own begins with that of all others. */
export function withFlag(draft: SetDraft, object: string, flag: ObjectFlag, on: boolean): SetDraft {
  const next = Object.fromEntries(objectFlags.map((each) => [each, hasFlag(draft, object, each)])) as Record<
    ObjectFlag,
    boolean
  >
  next[flag] = on
  if (on && needRead.includes(flag)) next.allowRead = true
  if (!on && flag === 'allowRead') for (const each of needRead) next[each] = false
  const given = Object.fromEntries(objectFlags.flatMap((each) => (next[each] ? [[each, true]] : [])))
  return { ...draft, objects: { ...draft.objects, [object]: given } }
}

/** Takes the own choice of an object away: that for all others counts again. */
export function withoutOwnRights(draft: SetDraft, object: string): SetDraft {
  const { [object]: _own, ...objects } = draft.objects
  return { ...draft, objects }
}

/** Whether a set says something about a field. */
export function limitsField(draft: SetDraft, object: string, field: string): boolean {
  return Object.hasOwn(draft.fields, `${object}.${field}`)
}

/** What a set says about a field; open when it says nothing (D-47). */
export function fieldAccess(draft: SetDraft, object: string, field: string): FieldAccess {
  const key = `${object}.${field}`
  if (!Object.hasOwn(draft.fields, key)) return { readable: true, editable: true }
  const { readable = true, editable = true } = draft.fields[key] ?? {}
  return { readable, editable }
}

/** Opens or closes a field; what is not read is not edited, what is edited is read. */
export function withFieldAccess(
  draft: SetDraft,
  object: string,
  field: string,
  access: keyof FieldAccess,
  on: boolean,
): SetDraft {
  const next = { ...fieldAccess(draft, object, field), [access]: on }
  if (access === 'readable' && !on) next.editable = false
  if (access === 'editable' && on) next.readable = true
  return { ...draft, fields: { ...draft.fields, [`${object}.${field}`]: next } }
}

/** Takes what a set says about a field away. */
export function withoutFieldAccess(draft: SetDraft, object: string, field: string): SetDraft {
  const { [`${object}.${field}`]: _said, ...fields } = draft.fields
  return { ...draft, fields }
}

/** How many cells, rules and words differ. */
export function countSetChanges(base: SetDraft, draft: SetDraft): number {
  const differing = (one: object, other: object): number => {
    const before = one as Readonly<Record<string, unknown>>
    const after = other as Readonly<Record<string, unknown>>
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].filter((key) => stableText(before[key]) !== stableText(after[key])).length
  }
  const flags = (of: SetDraft): Record<string, boolean> =>
    Object.fromEntries(
      [...new Set([...Object.keys(base.objects), ...Object.keys(draft.objects)])].flatMap((object) => [
        [`${object} own`, hasOwnRights(of, object)],
        ...objectFlags.map((flag) => [`${object} ${flag}`, hasOwnRights(of, object) && hasFlag(of, object, flag)]),
      ]),
    ) as Record<string, boolean>
  const words = (of: SetDraft): Record<string, true> =>
    Object.fromEntries(of.systemPermissions.map((word) => [word, true as const]))
  return (
    differing(flags(base), flags(draft)) +
    differing(base.fields, draft.fields) +
    differing({ ...base.rowLevelSecurity }, { ...draft.rowLevelSecurity }) +
    differing(words(base), words(draft)) +
    (base.label === draft.label ? 0 : 1) +
    (stableText(base['description'] ?? '') === stableText(draft['description'] ?? '') ? 0 : 1)
  )
}
