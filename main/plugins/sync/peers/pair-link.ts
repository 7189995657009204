// The link an invite can be sent as: `cairn://pair?...`, with the secrets and the fingerprints behind the #, which no server
// it might pass is sent. Pure.
import type { MailboxPlace } from '#main/replication/channel/mailbox.ts'
import { parseFingerprint } from '#main/replication/channel/fingerprint.ts'
import { parseCode } from '#main/replication/channel/pairing-proofs.ts'
import { formatAddress, parseRelayUrl } from './addresses.ts'
import { formatBox, parseBox } from './mailbox-place.ts'

/** What a link says. */
export interface PairLink {
  readonly code: string
  /** Fingerprint of the inviting machine. */
  readonly fingerprint: string
  /** `host:port`, best first. */
  readonly addresses: readonly string[]
  /** Where both machines meet when none of the addresses can be reached. */
  readonly mailbox?: MailboxPlace & { readonly fingerprint: string }
}

/** Writes a link. */
export function formatPairLink({ code, fingerprint, addresses, mailbox }: PairLink): string {
  const query = new URLSearchParams(addresses.map((address): [string, string] => ['a', address]))
  const secret = new URLSearchParams({ c: code, f: fingerprint })
  if (mailbox !== undefined) {
    query.append('r', `wss://${formatAddress(mailbox.relay)}`)
    secret.append('m', formatBox(mailbox.box))
    secret.append('p', mailbox.fingerprint)
  }
  return `cairn://pair?${query.toString()}#${secret.toString()}`
}

/** Reads a link; undefined for anything that is none. */
export function parsePairLink(text: string): PairLink | undefined {
  const found = /^cairn:\/\/pair\/?\?([^#]*)#(.+)$/i.exec(text.trim())
  if (found === null) return undefined
  const query = new URLSearchParams(found[1])
  const secret = new URLSearchParams(found[2])
  const code = parseCode(secret.get('c') ?? '')
  const fingerprint = parseFingerprint(secret.get('f') ?? '')
  if (code === undefined || fingerprint === undefined) return undefined
  const mailbox = mailboxOf(query, secret)
  const addresses = query.getAll('a').slice(0, 16)
  return { code, fingerprint, addresses, ...(mailbox === undefined ? {} : { mailbox }) }
}

/** A part that cannot be read is no mailbox; the addresses may still be good. */
function mailboxOf(query: URLSearchParams, secret: URLSearchParams): PairLink['mailbox'] {
  const relay = parseRelayUrl(query.get('r') ?? '')
  const box = parseBox(secret.get('m') ?? '')
  const fingerprint = parseFingerprint(secret.get('p') ?? '')
  return relay === undefined || box === undefined || fingerprint === undefined ? undefined : { relay, box, fingerprint }
}
