// Where other devices connect: a port of its own, TLS 1.3 with both certificates, and nobody heard before its
// fingerprint is admitted. Binds nothing until told to. Knows no roster and no message.
import { createServer as createHttpServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { createServer as createTcpServer, isIP, SocketAddress } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { WebSocketServer } from 'ws'
import { createDoor } from './door.ts'
import type { DoorLimits } from './door.ts'
import { peerFingerprint } from './fingerprint.ts'
import { channelPath, socketLimits, subprotocols, unpairedStatus } from './peer-dial.ts'
import { createPeerLink } from './peer-link.ts'
import type { LinkOptions, LinkPurpose, PeerLink } from './peer-link.ts'
import type { LinkEnd } from './link-close.ts'
import type { ChannelIdentity } from './self-signed.ts'
import { serverTlsOptions } from './server-tls.ts'
import { systemTimers } from './timers.ts'

/**
 * Whom a fingerprint belongs to: a device of the workspace, somebody an open invite may be for, a device that was unpaired,
 * which is told so and no more, or a stranger.
 */
export type Admission = 'known' | 'pairing' | 'unpaired' | 'unknown'

/** Why somebody was sent away. */
export type RefusalReason =
  | 'too_many'
  | 'too_slow'
  | 'handshake'
  | 'no_certificate'
  | 'own_certificate'
  | 'unpaired'
  | 'unknown'
  | 'purpose'
  | 'request'

/** Somebody who was sent away before a link was open. */
export interface Refusal {
  readonly reason: RefusalReason
  readonly address: string
  readonly fingerprint?: string
}

/** What a listener works with. */
export interface ListenerOptions {
  readonly identity: ChannelIdentity
  /** Fingerprint of this device: whoever shows it is a copy of this machine. */
  readonly fingerprint: string
  /** Asked once per connection, after the handshake and before a byte is read. */
  admit(fingerprint: string): Admission
  onLink(link: PeerLink): void
  onRefused?(refusal: Refusal): void
  readonly limits?: Partial<DoorLimits>
  /** Pairing links open at once; default 4. */
  readonly maxPairing?: number
  /** Bytes of the largest message of a link for a mailbox, which only a relay offers; without it there are none. */
  readonly mailboxMessageBytes?: number
  readonly link?: LinkOptions
}

/** The place where other devices connect. */
export interface PeerListener {
  /**
   * Binds the addresses of the chosen interfaces on one port.
   * @param port 0 lets the system choose one; all addresses get the same
   * @returns the port
   * @throws Error for an address that means every interface, or one that cannot be bound; nothing stays bound then
   */
  listen(addresses: readonly string[], port: number): Promise<number>
  /** What is bound now; empty until {@link listen}. */
  listening(): readonly { readonly address: string; readonly port: number }[]
  links(): readonly PeerLink[]
  /** Ends the links of a device, for example because it is not known any more. */
  disconnect(fingerprint: string, reason: Exclude<LinkEnd, 'lost'>): void
  /** Gives the port free and ends every connection. */
  close(): Promise<void>
}

const noBody = 'Connection: close\r\nContent-Length: 0\r\n\r\n'

const everyInterface = new Set(['0.0.0.0', '::', '::ffff:0.0.0.0'])

/** Makes a listener that binds nothing yet. */
export function createPeerListener(options: ListenerOptions): PeerListener {
  const { identity, limits, maxPairing = 4 } = options
  const timers = options.link?.timers ?? systemTimers
  const door = createDoor({ timers, limits: limits ?? {}, refused: (reason, address) => refuse({ reason, address }) })
  const admitted = new WeakMap<Duplex, { fingerprint: string; purpose: LinkPurpose }>()
  const unpaired = new WeakSet<Duplex>()
  const links = new Set<PeerLink>()
  let bound: Server[] = []

  function refuse(refusal: Refusal): void {
    options.onRefused?.(refusal)
  }

  const upgradeLimits = { ...socketLimits, closeTimeout: options.link?.closeAnswerMs ?? socketLimits.closeTimeout }
  const makeUpgrades = (maxPayload: number): WebSocketServer =>
    new WebSocketServer({
      ...upgradeLimits,
      maxPayload,
      noServer: true,
      clientTracking: false,
      handleProtocols: (offered) => [...offered][0] ?? false,
    })
  const upgrades = makeUpgrades(socketLimits.maxPayload)
  const mailboxUpgrades = makeUpgrades(options.mailboxMessageBytes ?? 0)

  // Neither server listens itself: the door hands connections in, and the handshake has ended before HTTP is read.
  const http = createHttpServer({ maxHeaderSize: 4096, keepAlive: false })
  http.on('request', (request, response) => {
    turnAway(request, 'request')
    response.writeHead(404, { connection: 'close', 'content-length': '0' }).end()
  })
  http.on('clientError', (_error, socket: Duplex) => socket.destroy())
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const found = admitted.get(socket)
    const asked = request.headers['sec-websocket-protocol']
    if (unpaired.has(socket)) {
      turnAway(request, 'unpaired')
      // Whoever comes for a pairing finds nobody here, like a stranger.
      if (asked === subprotocols.peer) socket.end(`HTTP/1.1 ${unpairedStatus} Gone\r\n${noBody}`)
      else socket.destroy()
      return
    }
    const isForMailbox =
      options.mailboxMessageBytes !== undefined && found?.purpose === 'peer' && asked === subprotocols.mailbox
    const isRight =
      found !== undefined && request.url === channelPath && (isForMailbox || asked === subprotocols[found.purpose])
    if (!isRight) {
      turnAway(request, 'purpose')
      socket.end(`HTTP/1.1 403 Forbidden\r\n${noBody}`)
      return
    }
    // An open invite has no more room: said in words, since hanging up says that there is none.
    if (found.purpose === 'pairing' && pairingLinks() >= maxPairing) {
      turnAway(request, 'too_many')
      socket.end(`HTTP/1.1 503 Service Unavailable\r\n${noBody}`)
      return
    }
    const taking = isForMailbox ? mailboxUpgrades : upgrades
    taking.handleUpgrade(request, socket, head, (opened) => {
      const channel = socket as TLSSocket
      door.proved(channel)
      const { fingerprint: peer } = found
      const purpose = isForMailbox ? 'mailbox' : found.purpose
      const link = createPeerLink({ ...options.link, socket: opened, channel, peer, purpose, direction: 'in' })
      links.add(link)
      link.onClose(() => links.delete(link))
      options.onLink(link)
    })
  })

  const pairingLinks = (): number => [...links].filter((link) => link.purpose === 'pairing').length

  function turnAway(request: IncomingMessage, reason: RefusalReason): void {
    const fingerprint = admitted.get(request.socket)?.fingerprint
    const address = request.socket.remoteAddress ?? ''
    refuse({ reason, address, ...(fingerprint === undefined ? {} : { fingerprint }) })
  }

  const tls = createTlsServer(serverTlsOptions(identity, door.limits.proofMs))
  tls.on('tlsClientError', (_error, channel: TLSSocket) => {
    refuse({ reason: 'handshake', address: channel.remoteAddress ?? '' })
    channel.destroy()
  })
  tls.on('secureConnection', (channel: TLSSocket) => {
    channel.on('error', () => channel.destroy())
    channel.setNoDelay(true)
    const fingerprint = peerFingerprint(channel)
    const reason = judge(fingerprint)
    if (reason !== undefined || fingerprint === undefined) {
      const address = channel.remoteAddress ?? ''
      refuse({ reason: reason ?? 'no_certificate', address, ...(fingerprint === undefined ? {} : { fingerprint }) })
      channel.destroy()
      return
    }
    http.emit('connection', channel)

    function judge(shown: string | undefined): RefusalReason | undefined {
      if (shown === undefined) return 'no_certificate'
      if (shown === options.fingerprint) return 'own_certificate'
      const admission = options.admit(shown)
      if (admission === 'unknown') return 'unknown'
      if (admission === 'unpaired') {
        unpaired.add(channel)
        return undefined
      }
      const purpose = admission === 'known' ? 'peer' : 'pairing'
      admitted.set(channel, { fingerprint: shown, purpose })
      return undefined
    }
  })

  async function bind(address: string, port: number): Promise<Server> {
    const server = createTcpServer({ noDelay: true, keepAlive: true }, (raw: Socket) => {
      if (door.enter(raw)) tls.emit('connection', raw)
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: address, port, exclusive: true }, resolve)
    })
    return server
  }

  async function unbind(): Promise<void> {
    const closing = bound
    bound = []
    await Promise.all(closing.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))))
  }

  const portOf = (server: Server): number => (server.address() as AddressInfo).port

  return {
    async listen(addresses, port) {
      if (bound.length > 0) throw new Error('The listener is bound already.')
      if (!addresses.every(isOneInterface)) throw new Error('The listener binds addresses of chosen interfaces only.')
      try {
        for (const address of addresses)
          bound.push(await bind(address, bound[0] === undefined ? port : portOf(bound[0])))
      } catch (error) {
        await unbind()
        throw error
      }
      return bound[0] === undefined ? 0 : portOf(bound[0])
    },
    listening: () =>
      bound.map((server) => ({ address: (server.address() as AddressInfo).address, port: portOf(server) })),
    links: () => [...links],
    disconnect(fingerprint, reason) {
      for (const link of links) if (link.peer === fingerprint) link.close(reason)
    },
    async close() {
      const released = unbind()
      door.shut()
      const ended = [...links].map(
        (link) =>
          new Promise<void>((resolve) => {
            link.onClose(() => resolve())
            link.close('stopping')
          }),
      )
      await Promise.all(ended)
      await released
      upgrades.close()
      mailboxUpgrades.close()
    },
  }
}

function isOneInterface(address: string): boolean {
  const plain = address.split('%', 1)[0]!
  const kind = isIP(plain)
  if (kind === 0) return false
  return !everyInterface.has(new SocketAddress({ address: plain, family: kind === 4 ? 'ipv4' : 'ipv6' }).address)
}
