// Names of types and fields: from the words of the platform to those of GraphQL, each taken once. Pure.

/** Gives names out, each once. */
export interface NamePool {
  /** The wanted name, with `_` behind it until nobody has it (D-181). */
  claim(wanted: string): string
}

/** Makes a pool in which some names are taken. */
export function createNamePool(taken: Iterable<string> = []): NamePool {
  const names = new Set(taken)
  return {
    claim(wanted) {
      let name = wanted
      while (names.has(name)) name += '_'
      names.add(name)
      return name
    },
  }
}

/** `crm_account` as `CrmAccount`. */
export function typeNameOf(object: string): string {
  return object
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}

/** `crm_account` as `crmAccount`. */
export function fieldNameOf(object: string): string {
  const name = typeNameOf(object)
  return name.slice(0, 1).toLowerCase() + name.slice(1)
}
