// Small readers of JSON values: members that may be absent or of another kind. Pure; knows no item.
import { isJsonMap } from '#shared/merge-patch.ts'

/** A JSON object nobody writes to. */
export type Body = Readonly<Record<string, unknown>>

/** An own member, undefined when there is none. */
export function memberOf(value: unknown, key: string): unknown {
  return isJsonMap(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** An own member that is text, else undefined. */
export function textOf(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key)
  return typeof member === 'string' ? member : undefined
}

/** An own member that is a JSON object, else an empty one. */
export function mapAt(value: unknown, key: string): Body {
  const member = memberOf(value, key)
  return isJsonMap(member) ? member : {}
}

/** The fields of an object's body. */
export function fieldsOf(body: unknown): Body {
  return mapAt(body, 'fields')
}

/** A copy that holds exactly what a row would hold. */
export function plainJson(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>
}

/** Freezes a JSON value at every depth; a part that is frozen already is taken as frozen throughout. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return value
}
