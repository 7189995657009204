// WebSockets as plugins see them: the server has judged host, origin and credential before `open` is called. Types only.
import type { Caller } from './identity.ts'

/** One open WebSocket. Messages before the first listener are kept. */
export interface PlatformSocket {
  /** The subprotocol chosen; '' for none. */
  readonly protocol: string
  /** Bytes handed over and not yet taken by the network. */
  bufferedBytes(): number
  send(data: string | Uint8Array): void
  ping(): void
  /** Ends with a close frame; what does not answer is cut after a second. */
  close(code: number, reason?: string): void
  onMessage(listener: (data: string | Uint8Array) => void): void
  onPong(listener: () => void): void
  onClose(listener: (code: number) => void): void
}

/** The request a socket was opened with. */
export interface SocketRequest {
  readonly params: Readonly<Record<string, string>>
  /** The subprotocols offered, in order; tickets travel here, never in the address (safety W8). */
  readonly protocols: readonly string[]
  /** Who asks by header or by a cookie with an allowed origin; credential `none` when the socket has yet to say. */
  readonly caller: Caller
  /** Whom the credential of the request belongs to now; null once it holds no more. */
  recheck(): Caller | null
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
  open(socket: PlatformSocket, request: SocketRequest): void
}
