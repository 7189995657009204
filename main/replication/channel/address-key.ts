// Whose share of connections an address takes from. Knows no socket.
import { SocketAddress, isIPv6 } from 'node:net'

/**
 * An IPv4 address as it is, also in IPv6 writing; of an IPv6 address its network of 64 bits, since one machine owns all
 * addresses in it.
 * @param address `socket.remoteAddress`; undefined once the other side is gone
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address
  if (!isIPv6(plain)) return plain
  const [short] = new SocketAddress({ address: plain.split('%', 1)[0]!, family: 'ipv6' }).address.split('%', 1)
  const [head = '', tail] = short!.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - groups.length - after.length }, () => '0')
  return `${[...groups, ...zeros, ...after].slice(0, 4).join(':')}::/64`
}
