// Owns reading what a person typed or followed to join: a code, a link, an address. Pure. Nothing here acts: a link is
// only taken apart so that a screen can say where it leads.

/** What of a link a person is shown before anything happens. */
export interface PairLink {
  /** Places the link leads to, as host and port. */
  readonly addresses: readonly string[]
  /** The relay over which it works as well. */
  readonly relay?: string
  /** Of the device that made it. */
  readonly fingerprint: string
}

/** As long as the host takes. */
const longest = 2_000

/** A code without spaces and dashes; undefined when it is not seven digits. */
export function readCode(text: string): string | undefined {
  const digits = text.replaceAll(/[\s-]/g, '')
  return /^\d{7}$/.test(digits) ? digits : undefined
}

/** Takes a link for joining apart; undefined for anything else, however much it looks like one. */
export function readPairLink(text: string): PairLink | undefined {
  const found = /^cairn:\/\/pair\/?\?([^#]*)#(.+)$/i.exec(text.trim())
  if (!found || text.length > longest) return undefined
  const secret = new URLSearchParams(found[2])
  const fingerprint = secret.get('f') ?? ''
  if (readCode(secret.get('c') ?? '') === undefined || !/^[0-9a-f]{64}$/i.test(fingerprint)) return undefined
  const query = new URLSearchParams(found[1])
  const relay = query.get('r')
  return { addresses: query.getAll('a'), fingerprint, ...(relay !== null && isRelayUrl(relay) ? { relay } : {}) }
}

/** Whether a text is a host with a port, as in `192.168.1.20:7421` or `[fe80::1]:7421`. */
export function isAddress(text: string): boolean {
  const match = /^(?:\[[0-9a-f:.%]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?):(\d{1,5})$/i.exec(text.trim())
  const port = Number(match?.[2])
  return match !== null && port >= 1 && port <= 65_535
}

/** A port as typed; null for none, undefined for what is no port. */
export function readPort(text: string): number | null | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const port = Number(trimmed)
  return /^\d{1,5}$/.test(trimmed) && port >= 1 && port <= 65_535 ? port : undefined
}

/** Whether a text is the address of a relay: `wss://host:port` and nothing behind it. */
export function isRelayUrl(text: string): boolean {
  const match = /^wss:\/\/([^/?#\s]+)\/?$/i.exec(text.trim())
  return match?.[1] !== undefined && isAddress(match[1])
}

/** Whether a text is a relay with the name of a mailbox, as in `relay.example.org:7422/k7qf-2m9x-4tzd-81ab`. */
export function isMailbox(text: string): boolean {
  const match = /^(?:wss:\/\/)?([^/?#\s]+)\/([0-9a-z]{4}-?){4}$/i.exec(text.trim())
  return match?.[1] !== undefined && isAddress(match[1])
}
