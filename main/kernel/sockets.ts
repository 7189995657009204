// WebSockets as plugins see them: the server has judged host, origin and credential before `open` is called. Types only.
import type { Caller } from './identity.ts'

/** One open WebSocket. Messages before the first listener are kept. */
export interface PlatformSocket {
  /** The subprotocol chosen; '' for none. */
  readonly protocol: string
  /** Bytes handed over and not yet taken by the network. */
  bufferedBytes(): number
  send(data: string | Uint8Array): void
  /** Messages sent meanwhile leave in one piece, as far as the network allows. */
  together(send: () => void): void
  ping(): void
  /** Ends with a close frame; what does not answer is cut after a second. */
  close(code: number, reason?: string): void
  onMessage(listener: (data: string | Uint8Array) => void): void
  onPong(listener: () => void): void
  /** Called when everything handed over has been taken by the network. */
  onDrain(listener: () => void): void
  onClose(listener: (code: number) => void): void
}

/** Answers whom credentials belong to at the moment of the call; null for one that does not hold. Keeps the way the
 * request came in: what holds on loopback only does not hold for a request from another machine. */
export interface CredentialCheck {
  /** Whom the credential of the request belongs to now; null when it had none or it holds no more. */
  recheck(): Caller | null
  /** Whom a bare token belongs to: what a Bearer header could carry. */
  ofToken(token: string): Caller | null
}

/** The request a socket was opened with. */
export interface SocketRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The subprotocols offered, in order; tickets travel here, never in the address (safety W8). */
  readonly protocols: readonly string[]
  /** Who asks by header or by a cookie with an allowed origin; credential `none` when the socket has yet to say. */
  readonly caller: Caller
  readonly credentials: CredentialCheck
  /** Says that the socket has proved who it is; one that does not within ten seconds is closed with 4401. */
  proved(): void
  readonly locale: string
}

/** A path that answers upgrades. */
export interface SocketRoute {
  /** Below the prefix, `:name` for parameters, as in contracts. */
  readonly path: string
  /** The subprotocols spoken here. */
  readonly protocols: readonly string[]
  /** Larger messages close the socket with 1009. */
  readonly maxMessageBytes: number
  /** True: the credential may come with the first message or as an offered subprotocol. */
  readonly provesLater?: boolean
  open(socket: PlatformSocket, request: SocketRequest): void
}
