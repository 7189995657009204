// Owns where cards of different heights stand in one list. Pure.

/** Places of cards, one below the other. */
export interface CardPlaces {
  /** Where a card begins; the count of cards for where all end. */
  topOf: (offset: number) => number
  /** The card at a height of the list. */
  at: (height: number) => number
}

/** Places of so many cards, each as high as told, with a gap after each. */
export function cardPlaces(count: number, gap: number, heightOf: (offset: number) => number): CardPlaces {
  const tops = new Float64Array(count + 1)
  for (let offset = 0; offset < count; offset++) tops[offset + 1] = tops[offset]! + heightOf(offset) + gap
  return {
    topOf: (offset) => tops[Math.min(Math.max(0, offset), count)]!,
    at: (height) => {
      let first = 0
      let last = Math.max(0, count - 1)
      while (first < last) {
        const middle = (first + last + 1) >> 1
        if (tops[middle]! <= height) first = middle
        else last = middle - 1
      }
      return first
    },
  }
}
