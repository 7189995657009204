// Small functions that rewrite parts of JSON values and leave the rest as it is. Pure; knows no item.
// A value in which nothing changes is answered as it came, so that callers can tell by identity.
import { isJsonMap } from '#shared/merge-patch.ts'

/** Answers what takes the value's place. */
export type Edit = (value: unknown) => unknown

/** Edits text; other values stay. */
export function text(edit: (value: string) => string): Edit {
  return (value) => (typeof value === 'string' ? edit(value) : value)
}

/** Edits every element of a list; other values stay. */
export function each(edit: Edit): Edit {
  return (value) => {
    if (!Array.isArray(value)) return value
    const edited = value.map((element: unknown) => edit(element))
    return edited.some((element, index) => element !== value[index]) ? edited : value
  }
}

/** Edits a value, or every element of a list of them. */
export function oneOrMany(edit: Edit): Edit {
  const many = each(edit)
  return (value) => (Array.isArray(value) ? many(value) : edit(value))
}

/** Edits the members of a map that are named here. */
export function members(edits: Readonly<Record<string, Edit>>): Edit {
  return (value) => editMembers(value, (key) => (Object.hasOwn(edits, key) ? edits[key] : undefined))
}

/** Edits every member of a map; the edit may depend on the key. */
export function everyMember(edit: (key: string) => Edit): Edit {
  return (value) => editMembers(value, edit)
}

/** Renames the keys of a map; a key that would meet another stays. */
export function keys(rename: (key: string) => string): Edit {
  return (value) => {
    if (!isJsonMap(value)) return value
    const names = Object.keys(value).map((key): [string, string] => [key, rename(key)])
    if (names.every(([from, to]) => from === to)) return value
    const leaving = new Set(names.filter(([from, to]) => from !== to).map(([from]) => from))
    const free = (from: string, to: string): boolean => from === to || !Object.hasOwn(value, to) || leaving.has(to)
    return Object.fromEntries(names.map(([from, to]) => [free(from, to) ? to : from, value[from]]))
  }
}

/** Runs edits one after the other. */
export function inTurn(...edits: readonly Edit[]): Edit {
  return (value) => edits.reduce((current, edit) => edit(current), value)
}

/** Chooses the edit by the value. */
export function choose(pick: (value: unknown) => Edit | undefined): Edit {
  return (value) => pick(value)?.(value) ?? value
}

function editMembers(value: unknown, editOf: (key: string) => Edit | undefined): unknown {
  if (!isJsonMap(value)) return value
  let changed = false
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => {
    const edited = editOf(key)?.(member) ?? member
    if (edited !== member) changed = true
    return [key, edited]
  })
  return changed ? Object.fromEntries(entries) : value
}
