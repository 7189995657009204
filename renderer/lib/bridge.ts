// Owns the way to the host: base address and credential, from the desktop shell's preload or from the page's own origin.
// Knows no route and no capability.
import { defaultPrefix, prefixMeta } from '#shared/api-prefix.ts'
import type { CairnBridge } from '#shared/ipc.ts'

/** Where requests go and what authorises them; without a token the browser's session cookie does. */
export interface Connection {
  /** Origin of the host without a trailing slash. */
  baseUrl: string
  /** The API prefix (D-01). */
  prefix: string
  token?: string
}

/** The bridge of the desktop shell, or undefined in a plain browser. */
export function shellBridge(): CairnBridge | undefined {
  return (window as Window & { cairn?: CairnBridge }).cairn
}

let pending: Promise<Connection> | undefined

/** Resolves the connection once; {@link forgetConnection} makes the next call ask again. */
export function connection(): Promise<Connection> {
  pending ??= resolveConnection()
  return pending
}

/** Drops the remembered connection, for example after the host was started anew with another token. */
export function forgetConnection(): void {
  pending = undefined
}

/** The API prefix, as the host writes it into the page it serves to a plain browser. */
export function pagePrefix(): string {
  const meta = (window as Partial<Window>).document?.querySelector<HTMLMetaElement>(`meta[name="${prefixMeta}"]`)
  return meta?.content ?? defaultPrefix
}

async function resolveConnection(): Promise<Connection> {
  const bridge = shellBridge()
  if (!bridge) return { baseUrl: window.location.origin, prefix: pagePrefix() }
  const { url, token, prefix = defaultPrefix } = await bridge.getConnection()
  return { baseUrl: url.replace(/\/$/, ''), token, prefix }
}
