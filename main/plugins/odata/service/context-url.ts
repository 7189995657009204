// The part of a context URL that says what an answer holds.
import type { EntityShape } from './expand-option.ts'

/** The set with what is shown of its entities: `task`, or `task(title,owner(name))`. */
export function contextUrl(set: string, shape: EntityShape): string {
  const list = shownList(shape)
  return list === null ? set : `${set}(${list})`
}

function shownList({ select, expansions }: EntityShape): string | null {
  const expanded = expansions.map(({ name, shape }) => `${name}(${shownList(shape) ?? ''})`)
  if (select === null && expanded.length === 0) return null
  return [...(select ?? []).map((name) => name.replaceAll('.', '/')), ...expanded].join(',')
}
