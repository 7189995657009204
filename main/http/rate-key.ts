// Whose bucket a request takes from. Only what the connection and the credential say counts; no header does.
import { normalForm } from '#shared/normal-form.ts'
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
 * The bucket of the account a sign-in body is about, a form as well as JSON, or of the client that proves itself with a
 * secret; null when it names neither. Writing an address differently does not give a new bucket, and no bucket shows
 * whose it is.
 * @param authorization the header of the request, where clients may name themselves too
 * @source D-200
 */
export function accountKey(body: unknown, authorization?: string): string | null {
  const members = Buffer.isBuffer(body) ? Object.fromEntries(new URLSearchParams(body.toString('utf8'))) : body
  const given = (typeof members === 'object' && members !== null ? members : {}) as Record<string, unknown>
  for (const name of accountMembers) {
    const value = given[name]
    if (typeof value === 'string' && value !== '') return keyOf('account', value)
  }
  const byHeader = clientOfHeader(authorization)
  // A client without a secret has nothing that could be guessed, and many people share it.
  const byBody = typeof given['client_secret'] === 'string' ? given['client_id'] : undefined
  const client = byHeader ?? byBody
  return typeof client === 'string' && client !== '' ? keyOf('client', client) : null
}

/** The user part of a Basic credential (RFC 6749 section 2.3.1). */
function clientOfHeader(authorization: string | undefined): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization ?? '')?.[1]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0]
}

/** No account has a longer name or address: what follows tells no two of them apart. */
const maxNameLength = 320

function keyOf(kind: 'account' | 'client', name: string): string {
  return `${kind} ${hash('sha256', normalForm(name.slice(0, maxNameLength), 'NFKC').trim().toLowerCase(), 'base64url')}`
}
