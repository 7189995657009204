// Merges a customization into a new version of what it lies over, path by path (D-133). Pure.
import type { MergeConflict } from '#shared/contracts/package-parts.ts'
import { applyMergePatch, isJsonMap, isSameJson } from '#shared/merge-patch.ts'

/** How conflicts end. */
export type MergeStrategy = 'keep-custom' | 'accept-incoming' | 'three-way-merge'

type Body = Readonly<Record<string, unknown>>

/** A customized item and its new version. */
export interface MergeInput {
  /** As the package delivered it. */
  readonly base: Body
  readonly incoming: Body
  /** JSON Merge Patch over `base`. */
  readonly patch: Body
  readonly strategy: MergeStrategy
  /** Uids of fields of `base`, of an object. */
  readonly fieldUids: Readonly<Record<string, string>>
}

/** A conflict without the item it is in. */
export type PathConflict = Omit<MergeConflict, 'type' | 'name'>

/** What came of it. */
export interface MergeResult {
  /** JSON Merge Patch over the new version; empty when nothing is left of the customization. */
  readonly patch: Body
  readonly conflicts: readonly PathConflict[]
}

/** Merges; what only one side changed stands, and what both made the same is no customization any more. */
export function mergeThreeWay(input: MergeInput): MergeResult {
  const { strategy, fieldUids } = input
  const conflicts: PathConflict[] = []
  const { base, patch } = withRenamedFields(input)

  const conflict = (
    path: readonly string[],
    baseValue: unknown,
    incomingValue: unknown,
    customValue: unknown,
  ): boolean => {
    const keeps = strategy !== 'accept-incoming'
    conflicts.push({
      path: pointer(path),
      ...(baseValue === undefined ? {} : { baseValue }),
      ...(incomingValue === undefined ? {} : { incomingValue }),
      ...(customValue === undefined ? {} : { customValue }),
      suggestedResolution: keeps ? 'keep-custom' : 'accept-incoming',
    })
    return keeps
  }

  const walk = (part: Body, before: unknown, after: unknown, path: readonly string[]): Body => {
    const kept: [string, unknown][] = []
    for (const [key, value] of Object.entries(part)) {
      const at = [...path, key]
      const was = memberOf(before, key)
      const is = memberOf(after, key)
      if (isJsonMap(value) && (isJsonMap(is) || (was === undefined && is === undefined))) {
        const inner = is === undefined ? value : walk(value, was, is, at)
        if (is === undefined || Object.keys(inner).length > 0) kept.push([key, inner])
        continue
      }
      const custom = value === null ? undefined : isJsonMap(value) ? applyMergePatch(was, value) : value
      if (isSameJson(custom, is)) {
        if (strategy === 'keep-custom' && value !== null) kept.push([key, value])
        continue
      }
      if (!isSameJson(was, is)) {
        const keeps = conflict(at, was, is, custom)
        if (keeps) kept.push([key, wholeOf(at, value, custom, fieldUids)])
        continue
      }
      kept.push([key, value])
    }
    return Object.fromEntries(kept)
  }
  return { patch: walk(patch, base, input.incoming, []), conflicts }
}

/** What a patch has to say of a part that is not there any more, or is no map any more: all of it. */
function wholeOf(
  path: readonly string[],
  value: unknown,
  custom: unknown,
  fieldUids: Readonly<Record<string, string>>,
) {
  if (!isJsonMap(value) || !isJsonMap(custom)) return value
  const uid = path.length === 2 && path[0] === 'fields' ? fieldUids[path[1]!] : undefined
  // What people began before the package had it keeps their values.
  return uid === undefined || Object.hasOwn(value, 'uid') ? custom : { ...custom, uid }
}

/** Base and patch with the names fields have in the new version. */
function withRenamedFields({ base, incoming, patch }: MergeInput): { base: Body; patch: Body } {
  const [before, after, own] = [base['fields'], incoming['fields'], patch['fields']]
  if (!isJsonMap(before) || !isJsonMap(after) || !isJsonMap(own)) return { base, patch }
  const names = new Map(
    Object.entries(after).flatMap(([name, field]): [string, string][] => {
      const from = memberOf(field, 'renamedFrom')
      const isRename = typeof from === 'string' && Object.hasOwn(before, from) && !Object.hasOwn(after, from)
      return isRename && !Object.hasOwn(before, name) ? [[from, name]] : []
    }),
  )
  if (names.size === 0) return { base, patch }
  const renamed = (fields: Body): Body =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [names.get(name) ?? name, field]))
  return { base: { ...base, fields: renamed(before) }, patch: { ...patch, fields: renamed(own) } }
}

function memberOf(value: unknown, key: string): unknown {
  return isJsonMap(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** @source RFC 6901 */
function pointer(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
