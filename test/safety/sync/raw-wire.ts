// A connection to another device below the level of messages: TLS with a certificate, the upgrade, and from then on frames
// of the WebSocket put together by hand, right or wrong. Knows how a WebSocket frames, nothing of what is in it.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:tls'
import { channelPath, subprotocols } from '#main/replication/channel/peer-dial.ts'
import type { ChannelIdentity } from '#main/replication/channel/self-signed.ts'

/** Kinds of frames of a WebSocket. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9 } as const

/** The connection. */
export interface RawWire {
  /** Keying material of the TLS session. */
  readonly secret: Uint8Array
  isOpen(): boolean
  /** Writes bytes as they are; resolves when the system has taken them, or the connection ended. */
  write(bytes: Uint8Array): Promise<void>
  end(): void
}

/** Connects and upgrades. @throws Error when the other end does not let it in */
export async function openRawWire(port: number, identity: ChannelIdentity): Promise<RawWire> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    cert: identity.certificate,
    key: identity.privateKey,
    minVersion: 'TLSv1.3',
    rejectUnauthorized: false,
  })
  let isOpen = true
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      isOpen = false
      resolve()
    })
  })
  await once(socket, 'secureConnect')
  socket.on('error', () => socket.destroy())
  socket.write(
    `GET ${channelPath} HTTP/1.1\r\nHost: device\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n` +
      `Sec-WebSocket-Protocol: ${subprotocols.peer}\r\n\r\n`,
  )
  const first = await Promise.race([once(socket, 'data'), ended.then((): unknown[] => [])])
  if (!String(first[0]).startsWith('HTTP/1.1 101')) throw new Error('The connection was not upgraded.')
  const secret = new Uint8Array(socket.exportKeyingMaterial(32, 'cairn-sync-auth', Buffer.alloc(0)))
  socket.resume()
  return {
    secret,
    isOpen: () => isOpen && !socket.destroyed,
    async write(bytes) {
      if (!isOpen) return
      await Promise.race([new Promise<void>((resolve) => void socket.write(bytes, () => resolve())), ended])
    },
    end: () => socket.destroy(),
  }
}

/** A whole frame as a client sends it; `length`: what it says of its length, in place of the truth. */
export function socketFrame(
  payload: Uint8Array,
  options: { readonly opcode?: number; readonly isLast?: boolean; readonly length?: bigint } = {},
): Uint8Array {
  const { opcode = opcodes.binary, isLast = true, length } = options
  const mask = randomBytes(4)
  const first = (isLast ? 0x80 : 0) | opcode
  const masked = payload.map((byte, index) => byte ^ mask[index % 4]!)
  return new Uint8Array([
    first,
    ...lengthBytes(length ?? BigInt(payload.length), length !== undefined),
    ...mask,
    ...masked,
  ])
}

function lengthBytes(length: bigint, isLong: boolean): readonly number[] {
  if (!isLong && length < 126n) return [0x80 | Number(length)]
  if (!isLong && length < 65_536n) return [0xfe, Number(length >> 8n), Number(length & 0xffn)]
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(length)
  return [0xff, ...bytes]
}
