// Owns moving one entry of a list by one place. Pure.

/** The list with the entry moved; the same list when it would leave it. */
export function moveItem<Item>(items: Item[], from: number, step: number): Item[] {
  const to = from + step
  if (from < 0 || from >= items.length || to < 0 || to >= items.length) return items
  const next = [...items]
  const [moved] = next.splice(from, 1)
  if (moved !== undefined) next.splice(to, 0, moved)
  return next
}
