// Bytes that were right and are not any more: changed, cut, repeated, stretched, and with numbers that no length can be.
// Knows no format.

/** 0 to 1, the same for the same seed. */
type Random = () => number

/** Numbers and lengths as lib0 and CBOR write them: huge, negative, without an end, or not in their shortest form. */
const numbers: readonly (readonly number[])[] = [
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x80, 0x80, 0x80, 0x80, 0x08],
  [0xff, 0xff, 0x3f],
  [0x80, 0x80, 0x40],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  [0x7f],
  [0x00],
  // CBOR: bytes, texts, lists and maps of four gigabytes and of 2^64 - 1, without a length, and a number that needs less.
  [0x5a, 0xff, 0xff, 0xff, 0xff],
  [0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  [0x9a, 0xff, 0xff, 0xff, 0xff],
  [0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  [0x9f],
  [0xbf],
  [0x18, 0x01],
  // Lists within lists, a tag, a double and nothing.
  [0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81],
  [0xd8, 0x2a],
  [0xfb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0],
  [0xf7],
]

/** Changes a few bytes somewhere. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const below = (count: number): number => Math.floor(random() * count)
  const mutated = [...bytes]
  for (let times = 1 + below(3); times > 0; times -= 1) {
    const at = below(Math.max(1, mutated.length))
    const kind = below(7)
    if (kind <= 1) mutated[at] = below(256)
    else if (kind === 2) mutated.splice(at, 1 + below(4))
    else if (kind === 3) mutated.splice(at, 0, below(256), below(256))
    else if (kind === 4) mutated[at] = [0, 0x7f, 0x80, 0xff][below(4)]!
    else if (kind === 5) mutated.splice(at, 1, ...numbers[below(numbers.length)]!)
    else mutated.length = Math.max(1, at)
  }
  return new Uint8Array(mutated)
}

/** Puts a number into the place of a byte, mostly near the beginning, where lengths are. */
export function mutateLength(bytes: Uint8Array, random: Random): Uint8Array {
  const near = Math.min(bytes.length, random() < 0.7 ? 12 : bytes.length)
  const at = Math.floor(random() * near)
  const number = numbers[Math.floor(random() * numbers.length)]!
  return new Uint8Array([...bytes.subarray(0, at), ...number, ...bytes.subarray(at + 1)])
}

/** Bytes of one in the middle of another. */
export function interleave(one: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const at = Math.floor(random() * one.length)
  return new Uint8Array([...one.subarray(0, at), ...other, ...one.subarray(at)])
}
