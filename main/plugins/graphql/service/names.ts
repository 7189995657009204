// Names of types and fields are taken once each; what they are made from is `shared/graphql-names.ts`. Pure.

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
