// A request that another node of a hub has passed on: what that node knows of its client, under a key that all nodes have.
// The node that leads judges the request as if the client had come to itself. Knows no hub and no route.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

/** The header that carries it. */
export const passedHeader = 'cairn-passed-on'

/** What the node that was asked knows of a client. Its `Host` was one of that node's own. */
export interface PassedOn {
  /** Address of the client. */
  readonly address: string
  /** It came to the listener that other machines reach. */
  readonly isFromBeyond: boolean
  /** Its `Origin` is that node's own. */
  readonly isOwnOrigin: boolean
  /** It was sent before, and nobody knows what became of it. */
  readonly isRepeat?: boolean
}

/** Where a request was sent. */
export type SentTo = Pick<IncomingMessage, 'method' | 'url'>

/** Writes the header for one request. @param key 32 bytes */
export function writePassedOn(key: Buffer, request: SentTo, passed: PassedOn): string {
  const { address, isFromBeyond, isOwnOrigin, isRepeat } = passed
  const words = [address, isFromBeyond, isOwnOrigin, ...(isRepeat === true ? [isRepeat] : [])]
  const text = Buffer.from(JSON.stringify(words)).toString('base64url')
  return `${text}.${macOf(key, request, text).toString('base64url')}`
}

/** Reads the header of a request; null when it is not one that a node with this key wrote for it. */
export function readPassedOn(key: Buffer, request: SentTo & Pick<IncomingMessage, 'headers'>): PassedOn | null {
  const header = request.headers[passedHeader]
  if (typeof header !== 'string') return null
  const [text = '', mac = ''] = header.split('.', 2)
  const wanted = macOf(key, request, text)
  const given = Buffer.from(mac, 'base64url')
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
  const [address, isFromBeyond, isOwnOrigin, isRepeat = false] = JSON.parse(
    Buffer.from(text, 'base64url').toString(),
  ) as [string, boolean, boolean, boolean?]
  return { address, isFromBeyond, isOwnOrigin, isRepeat }
}

function macOf(key: Buffer, { method, url }: SentTo, text: string): Buffer {
  return createHmac('sha256', key).update(`${method}\n${url}\n${text}`).digest()
}

const fromBeyond = new WeakSet<Socket>()
const repeats = new WeakSet<object>()

/** Whether a request was sent before, to a node that may have done what it asks. */
export function isRepeat(request: IncomingMessage): boolean {
  return repeats.has(request)
}

/** Whether a connection speaks for a client beyond loopback: an encrypted one, or one of a node that had it from there. */
export function isBeyondLoopback(socket: Socket): boolean {
  return (socket as Partial<TLSSocket>).encrypted === true || fromBeyond.has(socket)
}

/**
 * Makes a request that was passed on what it would be had its client come here; any other stays as it is, and its `Host` says
 * that it was for somebody else. A connection carries one such request, so that it has the address of one client.
 * @param urlOf this server's own address, on loopback or beyond; null where it has none
 */
export function acceptPassedOn(
  key: Buffer,
  request: IncomingMessage,
  urlOf: (isBeyond: boolean) => string | null,
): void {
  if (request.headers[passedHeader] === undefined) return
  const passed = readPassedOn(key, request)
  delete request.headers[passedHeader]
  if (passed === null) return
  if (passed.isRepeat === true) repeats.add(request)
  const { socket } = request
  const isBeyond = passed.isFromBeyond || isBeyondLoopback(socket)
  const own = urlOf(isBeyond)
  if (own === null) return
  if (isBeyond) fromBeyond.add(socket)
  request.headers.host = new URL(own).host
  if (passed.isOwnOrigin) request.headers.origin = new URL(own).origin
  Object.defineProperty(socket, 'remoteAddress', { value: passed.address, configurable: true })
}
