// The hierarchy of roles (D-44): who stands below whom. Pure; a ring that was stored somehow ends the walk.
import type { MetadataItem } from '#main/plugins/metadata/api.ts'

type RoleItem = Pick<MetadataItem, 'name' | 'item'>

/** The roles below some roles, those themselves left out unless they stand below another of them. */
export function rolesBelow(roles: readonly RoleItem[], from: readonly string[]): ReadonlySet<string> {
  const below = new Set<string>()
  let waiting = [...from]
  while (waiting.length > 0) {
    const parents = new Set(waiting)
    waiting = []
    for (const { name, item } of roles) {
      const { parent } = item
      if (typeof parent !== 'string' || !parents.has(parent) || below.has(name)) continue
      below.add(name)
      waiting.push(name)
    }
  }
  return below
}

/** Whether the way up from a parent leads to the role itself. */
export function closesRoleRing(roles: readonly RoleItem[], name: string, parent: string): boolean {
  const parents = new Map(roles.map((role) => [role.name, role.item['parent']]))
  parents.set(name, parent)
  const seen = new Set<string>()
  for (let at: unknown = parent; typeof at === 'string' && !seen.has(at); at = parents.get(at)) {
    if (at === name) return true
    seen.add(at)
  }
  return false
}
