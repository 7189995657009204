// A small memory of which records somebody is subscribed to: one bit per group of records, so that it never grows and
// never says no where it should say yes. Knows no subscriptions.

/** Remembers records. */
export interface SubscribedRecords {
  add(recordId: string): void
  /** False only for records that were never added. */
  mayHave(recordId: string): boolean
}

/** The last five hexadecimal digits of an id are random: 2^20 groups, 128 kB. */
const digits = 5

/** Makes an empty memory. */
export function createSubscribedRecords(): SubscribedRecords {
  const bits = new Uint8Array(16 ** digits / 8)
  const groupOf = (recordId: string): number => Number.parseInt(recordId.slice(-digits), 16)
  return {
    add(recordId) {
      const group = groupOf(recordId)
      bits[group >> 3]! |= 1 << (group & 7)
    },
    mayHave(recordId) {
      const group = groupOf(recordId)
      return (bits[group >> 3]! & (1 << (group & 7))) !== 0
    },
  }
}
