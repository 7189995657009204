// Which addresses of the internet a request of this machine may go to. Decides by ranges that are allowed, so that a
// range nobody thought of is refused. Pure: knows no socket and no name.
import { isIPv4, isIPv6 } from 'node:net'

type Range = readonly [first: string, bits: number]

/** IPv4 that belongs to nobody in particular. @source IANA IPv4 special-purpose registry (RFC 6890) */
const specialV4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/** What of 2000::/3, the only range that is routed, is special all the same. @source IANA IPv6 special-purpose registry */
const specialV6: readonly Range[] = [
  // Protocol assignments: Teredo, benchmarking, ORCHID.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4 carries an IPv4 address; its relays are gone from the internet, so nobody needs it.
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

/** The address an IPv6 one carries in its last four bytes: mapped (RFC 4291) and NAT64 (RFC 6052). */
const carriers: readonly Range[] = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
]

const parsed = (ranges: readonly Range[]): readonly (readonly [Uint8Array, number])[] =>
  ranges.map(([first, bits]) => [bytesOf(first)!, bits])
const specialV4Bytes = parsed(specialV4)
const specialV6Bytes = parsed(specialV6)
const carrierBytes = parsed(carriers)
const routedV6 = bytesOf('2000::')!

/**
 * Whether an address is one of the public internet: not of this machine, its networks, a group, or a range kept for
 * special use. An IPv6 address that carries an IPv4 one counts as that one.
 * @param address as the system's resolver writes it; anything else is not public
 * @source safety N6
 */
export function isPublicAddress(address: string): boolean {
  const bytes = bytesOf(address)
  if (bytes === undefined) return false
  if (bytes.length === 4) return !isInAny(bytes, specialV4Bytes)
  if (isInAny(bytes, carrierBytes)) return !isInAny(bytes.subarray(12), specialV4Bytes)
  return isIn(bytes, routedV6, 3) && !isInAny(bytes, specialV6Bytes)
}

/** Whether two spellings mean one address. */
export function isSameAddress(a: string, b: string): boolean {
  const [left, right] = [bytesOf(a), bytesOf(b)].map((bytes) =>
    bytes?.length === 16 && isIn(bytes, carrierBytes[0]![0], 96) ? bytes.subarray(12) : bytes,
  )
  return left !== undefined && right !== undefined && Buffer.compare(left, right) === 0
}

function isInAny(bytes: Uint8Array, ranges: readonly (readonly [Uint8Array, number])[]): boolean {
  return ranges.some(([first, bits]) => isIn(bytes, first, bits))
}

function isIn(bytes: Uint8Array, first: Uint8Array, bits: number): boolean {
  const whole = bits >> 3
  for (let at = 0; at < whole; at += 1) if (bytes[at] !== first[at]) return false
  const rest = bits & 7
  return rest === 0 || ((bytes[whole]! ^ first[whole]!) & (0xff << (8 - rest)) & 0xff) === 0
}

/** Four or sixteen bytes; undefined for what is no address, and for one that only means something on one interface. */
function bytesOf(address: string): Uint8Array | undefined {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number)
  if (!isIPv6(address) || address.includes('%')) return undefined
  const dotted = /[^:]+[.][^:]+$/.exec(address)?.[0]
  const tail = dotted?.split('.').map(Number) ?? []
  const [before = '', after] = address.slice(0, address.length - (dotted?.length ?? 0)).split('::')
  const head = groupsOf(before)
  const end = [...groupsOf(after ?? ''), ...tail]
  if (after === undefined) return Uint8Array.from([...head, ...end])
  return Uint8Array.from([...head, ...Array.from({ length: 16 - head.length - end.length }, () => 0), ...end])
}

function groupsOf(text: string): number[] {
  return text
    .split(':')
    .filter((group) => group !== '')
    .flatMap((group) => {
      const value = Number.parseInt(group, 16)
      return [value >> 8, value & 0xff]
    })
}
