// Whose bucket a request takes from. Only what the connection and the credential say counts; no header does.
import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'

/**
 * The bucket of an address without credential. IPv6 addresses count by their network of 64 bits: one machine owns all
 * addresses in it. An IPv4 address in IPv6 writing is the IPv4 address.
 * @param address `socket.remoteAddress`; undefined once the client is gone
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('%', 1)[0]!.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ?? '').split(':')]
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

/** Members of a sign-in body that name the account, in the order they are looked for. */
const accountMembers = ['email', 'username', 'userCode', 'user_code'] as const

/**
 * The bucket of the account a sign-in body is about; null when it names none. Writing an address differently does not
 * give a new bucket, and no bucket shows whose it is.
 * @source D-200
 */
export function accountKey(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null
  for (const name of accountMembers) {
    const value = (body as Record<string, unknown>)[name]
    if (typeof value !== 'string' || value === '') continue
    return `account ${hash('sha256', value.normalize('NFKC').trim().toLowerCase(), 'base64url')}`
  }
  return null
}
