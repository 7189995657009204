// Which renames of fields between two versions of an object pass names on. Pure; used where fields keep their identity.

type Fields = Readonly<Record<string, unknown>>

/**
 * New name to old name of the fields that take over the name of another one renamed in the same step, as in a chain
 * (`a` to `b`, `b` to `c`) or an exchange; such a rename counts before equal names. The old name must be gone or handed
 * on, the new one free or handed on. A `renamedFrom` that the field had before already says nothing.
 * @source D-100
 */
export function handedOnNames(before: Fields, after: Fields): Map<string, string> {
  const renames = new Map<string, string>()
  for (const name of Object.keys(after)) {
    const from = renamedFrom(after, name)
    if (from === undefined || from === name || !Object.hasOwn(before, from)) continue
    if (renamedFrom(before, name) !== from) renames.set(name, from)
  }
  for (let size = -1; size !== renames.size;) {
    size = renames.size
    const sources = new Set(renames.values())
    for (const [name, from] of renames) {
      const oldNameIsGone = !Object.hasOwn(after, from) || renames.has(from)
      const newNameIsFree = !Object.hasOwn(before, name) || sources.has(name)
      if (!oldNameIsGone || !newNameIsFree) renames.delete(name)
    }
  }
  return renames
}

/** The name a definition says the field had; undefined when it says none. */
export function renamedFrom(fields: Fields, name: string): string | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  const from: unknown =
    typeof field === 'object' && field !== null ? (field as { renamedFrom?: unknown }).renamedFrom : undefined
  return typeof from === 'string' ? from : undefined
}
