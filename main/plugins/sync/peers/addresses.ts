// Where machines are: `host:port` as people write it, the address of a relay, and the addresses this machine has. Knows no
// setting.
import { isIP, SocketAddress } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { PeerAddress } from '#main/replication/channel/peer-dial.ts'

/** An address of this machine. */
export interface OwnAddress {
  readonly address: string
  readonly interface: string
  readonly loopback: boolean
}

const hostName = /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/

/** Reads `host:port`, with IPv6 in brackets; undefined for anything else. */
export function parseAddress(text: string): PeerAddress | undefined {
  const found = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text.trim())
  if (found === null) return undefined
  const [, six, name, digits] = found
  const port = Number(digits)
  if (port < 1 || port > 65_535) return undefined
  if (six !== undefined) return isIP(six.split('%', 1)[0]!) === 6 ? { host: six, port } : undefined
  // What looks like a number of four parts and is none would be asked of a name server.
  const isBroken = /^[\d.]+$/.test(name!) && isIP(name!) !== 4
  return !isBroken && hostName.test(name!) ? { host: name!, port } : undefined
}

/** Writes an address as {@link parseAddress} reads it. */
export function formatAddress({ host, port }: PeerAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Reads `wss://host:port`; undefined for anything else, such as a path or a password in it. */
export function parseRelayUrl(text: string): PeerAddress | undefined {
  const found = /^wss:\/\/([^/?#@]+)\/?$/i.exec(text.trim())
  return found === null ? undefined : parseAddress(found[1]!)
}

/** The addresses of this machine. Those that are good on one link only are left out. */
export function ownAddresses(): OwnAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([name, found = []]) =>
    found
      .filter(({ address }) => !address.toLowerCase().startsWith('fe80:'))
      .map(({ address, internal }) => ({ address, interface: name, loopback: internal })),
  )
}

/** An address in its shortest writing, so that two writings of one are equal; undefined for what is none. */
export function plainAddress(text: string): string | undefined {
  const kind = isIP(text)
  if (kind === 0) return undefined
  return new SocketAddress({ address: text, family: kind === 4 ? 'ipv4' : 'ipv6' }).address
}
