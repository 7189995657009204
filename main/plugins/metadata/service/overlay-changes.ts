// What an overlay changes, place by place: kept beside the patch so that a later version of the package can be compared
// with what stood there when the overlay was made (D-109). Pure.
import { isJsonMap, isSameJson } from '#shared/merge-patch.ts'
import type { FieldError } from '#shared/errors.ts'
import type { OverlayChange } from '../api.ts'

/** A change as its author tells it; who and when is the server's to say. */
export type StatedChange = Pick<OverlayChange, 'path' | 'originalValue' | 'currentValue'>

type Authorship = Pick<OverlayChange, 'changedBy' | 'changedAt'>

/** RFC 6901; empty means the whole item. */
const jsonPointer = /^(?:\/(?:[^~/]|~[01])*)*$/

/**
 * The places a patch changes, as JSON Pointers (RFC 6901). An entry of before that still says the same is kept with its
 * author, its time and the value it found.
 */
export function overlayChanges(
  under: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
  before: readonly OverlayChange[],
  by: Authorship,
): OverlayChange[] {
  const changes: OverlayChange[] = []
  const walk = (value: unknown, original: unknown, hasOriginal: boolean, path: string): void => {
    if (isJsonMap(value) && isJsonMap(original)) {
      for (const [key, member] of Object.entries(value)) {
        const has = Object.hasOwn(original, key)
        walk(member, has ? original[key] : undefined, has, `${path}/${escapeKey(key)}`)
      }
      return
    }
    if (value === null && !hasOriginal) return
    const kept = before.find((change) => change.path === path && isSameJson(change.currentValue, value))
    changes.push(kept ?? { path, ...(hasOriginal ? { originalValue: original } : {}), currentValue: value, ...by })
  }
  walk(patch, under, true, '')
  return changes
}

/** Stated changes as they are stored: one that was stored like this keeps its author and its time. */
export function signedChanges(
  stated: readonly StatedChange[],
  before: readonly OverlayChange[],
  by: Authorship,
): OverlayChange[] {
  return stated.map(({ path, originalValue, currentValue }) => {
    const change = { path, ...(originalValue === undefined ? {} : { originalValue }), currentValue }
    const { changedBy, changedAt } = before.find((one) => isSameJson(statementOf(one), change)) ?? by
    return { ...change, changedBy, changedAt }
  })
}

/** The problems of stated changes. */
export function checkChanges(stated: readonly StatedChange[]): FieldError[] {
  return stated.flatMap(({ path }, index): FieldError[] => {
    const message = 'The path must be a JSON Pointer.'
    const problem = { field: `changes.${index}.path`, code: 'invalid_format' as const, message, value: path }
    return jsonPointer.test(path) ? [] : [problem]
  })
}

function statementOf({ changedBy: _by, changedAt: _at, ...statement }: OverlayChange): StatedChange {
  return statement
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
