// Owns comparing what is stored by its content. Pure.

/** A value as text, the same for the same content in whatever order its members stand. */
export function stableText(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )
}
