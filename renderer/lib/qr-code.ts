// Owns turning a text into the squares of a QR code (ISO/IEC 18004): bytes, level M, versions 1 to 15. Pure; knows no
// screen. Texts longer than 412 bytes have no code.

/** Per version: check bytes per block, then how many blocks hold how many bytes. */
const versions: readonly { check: number; blocks: readonly (readonly [count: number, bytes: number])[] }[] = [
  { check: 10, blocks: [[1, 16]] },
  { check: 16, blocks: [[1, 28]] },
  { check: 26, blocks: [[1, 44]] },
  { check: 18, blocks: [[2, 32]] },
  { check: 24, blocks: [[2, 43]] },
  { check: 16, blocks: [[4, 27]] },
  { check: 18, blocks: [[4, 31]] },
  { check: 22, blocks: [[2, 38], [2, 39]] }, // prettier-ignore
  { check: 22, blocks: [[3, 36], [2, 37]] }, // prettier-ignore
  { check: 26, blocks: [[4, 43], [1, 44]] }, // prettier-ignore
  { check: 30, blocks: [[1, 50], [4, 51]] }, // prettier-ignore
  { check: 22, blocks: [[6, 36], [2, 37]] }, // prettier-ignore
  { check: 22, blocks: [[8, 37], [1, 38]] }, // prettier-ignore
  { check: 24, blocks: [[4, 40], [5, 41]] }, // prettier-ignore
  { check: 24, blocks: [[5, 41], [5, 42]] }, // prettier-ignore
]

/** Per version the centres of the small squares, along both axes. */
const centres: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
  [6, 30, 54],
  [6, 32, 58],
  [6, 34, 62],
  [6, 26, 46, 66],
  [6, 26, 48, 70],
]

const masks: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/** Rows of squares, true for dark; undefined when the text is too long. */
export function qrCode(text: string): boolean[][] | undefined {
  const bytes = new TextEncoder().encode(text)
  const version = versions.findIndex((each, index) => bytes.length + (index < 9 ? 2 : 3) <= capacity(each.blocks)) + 1
  if (version === 0) return undefined
  const codewords = interleave(withChecks(dataBytes(bytes, version), version))
  const candidates = masks.map((mask, number) => drawCode(version, codewords, mask, number))
  return candidates.reduce((best, each) => (penalty(each) < penalty(best) ? each : best))
}

function capacity(blocks: readonly (readonly [number, number])[]): number {
  return blocks.reduce((sum, [count, bytes]) => sum + count * bytes, 0)
}

function dataBytes(bytes: Uint8Array, version: number): Uint8Array {
  const data = new Uint8Array(capacity(versions[version - 1]!.blocks))
  let at = 0
  const put = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit--, at++) data[at >> 3]! |= ((value >> bit) & 1) << (7 - (at & 7))
  }
  put(0b0100, 4)
  put(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) put(byte, 8)
  // Four zero bits end the text and fill its last byte; what is left is filled with two bytes in turn.
  for (let index = (at + 4 + 7) >> 3, odd = true; index < data.length; index++, odd = !odd) {
    data[index] = odd ? 0xec : 0x11
  }
  return data
}

const exponents = new Uint8Array(255)
const logarithms = new Uint8Array(256)
for (let power = 0, value = 1; power < 255; power++) {
  exponents[power] = value
  logarithms[value] = power
  value = value << 1 > 255 ? (value << 1) ^ 0x11d : value << 1
}

function multiply(one: number, other: number): number {
  if (one === 0 || other === 0) return 0
  return exponents[(logarithms[one]! + logarithms[other]!) % 255]!
}

/** The remainder of a block divided by the polynomial of its length: Reed-Solomon over GF(256). */
function checkBytes(block: Uint8Array, length: number): Uint8Array {
  let divisor = [1]
  for (let root = 0; root < length; root++) {
    const next = [...divisor, 0]
    divisor.forEach((factor, index) => (next[index + 1]! ^= multiply(factor, exponents[root]!)))
    divisor = next
  }
  const rest = new Uint8Array(length)
  for (const byte of block) {
    const factor = byte ^ rest[0]!
    rest.copyWithin(0, 1)
    rest[length - 1] = 0
    for (let index = 0; index < length; index++) rest[index]! ^= multiply(divisor[index + 1]!, factor)
  }
  return rest
}

interface Block {
  data: Uint8Array
  check: Uint8Array
}

function withChecks(data: Uint8Array, version: number): Block[] {
  const { check, blocks } = versions[version - 1]!
  let from = 0
  return blocks.flatMap(([count, bytes]) =>
    Array.from({ length: count }, () => {
      const block = data.subarray(from, (from += bytes))
      return { data: block, check: checkBytes(block, check) }
    }),
  )
}

function interleave(blocks: readonly Block[]): number[] {
  const inTurn = (parts: readonly Uint8Array[]): number[] =>
    Array.from({ length: Math.max(...parts.map((part) => part.length)) }, (_, index) =>
      parts.flatMap((part) => (index < part.length ? [part[index]!] : [])),
    ).flat()
  return [...inTurn(blocks.map(({ data }) => data)), ...inTurn(blocks.map(({ check }) => check))]
}

/** The value with its check bits behind it: the remainder by a polynomial of the given degree. */
function withCheckBits(value: number, polynomial: number, degree: number): number {
  let rest = value << degree
  for (let bit = 31; bit >= degree; bit--) if ((rest >>> bit) & 1) rest ^= polynomial << (bit - degree)
  return (value << degree) | rest
}

function drawCode(
  version: number,
  codewords: readonly number[],
  mask: (row: number, column: number) => boolean,
  maskNumber: number,
): boolean[][] {
  const size = version * 4 + 17
  const dark = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  const fixed = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  const set = (row: number, column: number, value: boolean): void => {
    if (row < 0 || column < 0 || row >= size || column >= size) return
    dark[row]![column] = value
    fixed[row]![column] = true
  }
  const rings = (row: number, column: number, reach: number, lightRings: readonly number[]): void => {
    for (let down = -reach; down <= reach; down++) {
      for (let across = -reach; across <= reach; across++) {
        set(row + down, column + across, !lightRings.includes(Math.max(Math.abs(down), Math.abs(across))))
      }
    }
  }

  for (let index = 0; index < size; index++) {
    set(6, index, index % 2 === 0)
    set(index, 6, index % 2 === 0)
  }
  for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]] as const) rings(row, column, 4, [2, 4]) // prettier-ignore
  const around = centres[version - 1]!
  const last = around.at(-1)
  for (const row of around) {
    for (const column of around) {
      const inCorner = (row === 6 && (column === 6 || column === last)) || (row === last && column === 6)
      if (!inCorner) rings(row, column, 2, [1])
    }
  }

  // Level M is 00, so the five bits are those of the mask.
  const format = withCheckBits(maskNumber, 0x537, 10) ^ 0x5412
  for (let bit = 0; bit < 15; bit++) {
    const value = ((format >> bit) & 1) === 1
    set(bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, 8, value)
    set(8, bit < 8 ? size - 1 - bit : bit === 8 ? 7 : 14 - bit, value)
  }
  set(size - 8, 8, true)
  if (version >= 7) {
    const bits = withCheckBits(version, 0x1f25, 12)
    for (let bit = 0; bit < 18; bit++) {
      const value = ((bits >> bit) & 1) === 1
      const across = size - 11 + (bit % 3)
      set(Math.floor(bit / 3), across, value)
      set(across, Math.floor(bit / 3), value)
    }
  }

  let at = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++) {
      const row = ((right + 1) & 2) === 0 ? size - 1 - step : step
      for (const column of [right, right - 1]) {
        if (fixed[row]![column]) continue
        const bit = ((codewords[at >> 3] ?? 0) >> (7 - (at & 7))) & 1
        dark[row]![column] = (bit === 1) !== mask(row, column)
        at += 1
      }
    }
  }
  return dark
}

/** How hard a code is to read, by the four rules of the standard. */
function penalty(dark: readonly (readonly boolean[])[]): number {
  const size = dark.length
  const columns = dark.map((_, column) => dark.map((row) => row[column]!))
  let points = 0
  for (const line of [...dark, ...columns]) {
    const text = line.map((each) => (each ? '1' : '0')).join('')
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) points += run.length - 2
    for (let at = 0; at + 11 <= size; at++) {
      const part = text.slice(at, at + 11)
      if (part === '10111010000' || part === '00001011101') points += 40
    }
  }
  for (let row = 1; row < size; row++) {
    for (let column = 1; column < size; column++) {
      const value = dark[row]![column]
      const square = [dark[row - 1]![column], dark[row]![column - 1], dark[row - 1]![column - 1]]
      if (square.every((each) => each === value)) points += 3
    }
  }
  const share = dark.flat().filter(Boolean).length / (size * size)
  return points + 10 * Math.floor(Math.abs(share * 100 - 50) / 5)
}
