// Owns the ids an import gives its records: computed from the row, so that repeating a part adds nothing twice and an
// undo knows what was added without a list. Pure but for the clock and the random source it is given.

const rowBits = 32n
const randomBits = 42n

/**
 * Ids for the rows of one import. They are UUIDv7 of one instant whose order is the order of the rows, so the records
 * list in the order of the table. Rows are numbered from 0 and must stay below 2^32.
 * @source D-09
 */
export function createRowIds(now: number = Date.now(), random: Uint8Array = randomBytes()): (row: number) => string {
  const time = BigInt(now) & ((1n << 48n) - 1n)
  const noise = random.slice(0, 6).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) & ((1n << randomBits) - 1n)
  return (row) => {
    const position = BigInt(row) & ((1n << rowBits) - 1n)
    // 48 bits time, version 7, 12 bits row (high), variant, 20 bits row (low), 42 bits random.
    const high = (time << 16n) | 0x7000n | (position >> 20n)
    const low = (0b10n << 62n) | ((position & 0xfffffn) << randomBits) | noise
    const hex = high.toString(16).padStart(16, '0') + low.toString(16).padStart(16, '0')
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }
}

function randomBytes(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(6))
}
