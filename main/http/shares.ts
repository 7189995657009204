// Bounds what is taken in sum by many, so that nobody leaves nothing for the others. Knows no request.

/** Something there is so much of. */
export interface Shares {
  /**
   * Takes, where it is there to take: whoever takes has no more than is left then, so that one alone gets half of all, and
   * two get a third each.
   * @returns whether it was taken
   */
  take(who: string, amount: number): boolean
  give(who: string, amount: number): void
}

/** Makes something there is `all` of. */
export function createShares(all: number): Shares {
  const taken = new Map<string, number>()
  let total = 0
  return {
    take(who, amount) {
      const own = (taken.get(who) ?? 0) + amount
      if (own > all - total - amount) return false
      taken.set(who, own)
      total += amount
      return true
    },
    give(who, amount) {
      const own = (taken.get(who) ?? 0) - amount
      if (own > 0) taken.set(who, own)
      else taken.delete(who)
      total -= amount
    },
  }
}
