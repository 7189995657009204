// Owns the order of columns as a person changes it: moved, hidden, put beside another one. Pure; names only.

/** The names with one of them at another place, counted from 0 after it was taken out. */
export function moveColumn(names: readonly string[], name: string, to: number): string[] {
  const others = names.filter((other) => other !== name)
  if (others.length === names.length) return [...names]
  return others.toSpliced(Math.min(Math.max(to, 0), others.length), 0, name)
}

/** The names with a new one before or after another; at the end when that one is not shown. */
export function placeBeside(
  names: readonly string[],
  added: string,
  beside: string,
  side: 'before' | 'after',
): string[] {
  const others = names.filter((name) => name !== added)
  const at = others.indexOf(beside)
  return at < 0 ? [...others, added] : others.toSpliced(side === 'before' ? at : at + 1, 0, added)
}

/**
 * The names with one of them shown or hidden; one always stays. A shown one comes after the nearest field before it that is
 * shown, in the order of the object.
 */
export function toggleColumn(names: readonly string[], name: string, all: readonly string[]): string[] {
  if (names.includes(name)) return names.length === 1 ? [...names] : names.filter((other) => other !== name)
  const before = all.slice(0, all.indexOf(name)).findLast((other) => names.includes(other))
  return before === undefined ? [name, ...names] : placeBeside(names, name, before, 'after')
}

/** How many columns stay frozen after one was moved: a column that crosses the line takes part or leaves. */
export function frozenAfterMove(frozen: number, from: number, to: number): number {
  if (from < frozen && to >= frozen) return frozen - 1
  if (from >= frozen && to < frozen) return frozen + 1
  return frozen
}
