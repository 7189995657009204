// One WebSocket of the library as plugins see it. Knows no route and no message.
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import type { PlatformSocket } from '#main/kernel/sockets.ts'

/** How long the other side may take to answer a close frame. */
const closeAnswerMs = 1_000

/** Messages kept for a listener that comes late; a socket that sends more before is closed. */
const maxKept = 16

/**
 * Wraps an open socket; `raw` is the connection below it.
 * @param failed hears what a listener threw; its socket is closed
 */
export function createPlatformSocket(socket: WebSocket, raw: Duplex, failed: (error: unknown) => void): PlatformSocket {
  const kept: (string | Uint8Array)[] = []
  let listener: ((data: string | Uint8Array) => void) | undefined
  let isClosing = false
  // A message that breaks the protocol ends the socket; the library has sent the close frame by then.
  socket.on('error', () => undefined)
  socket.on('message', (data: RawData, isBinary: boolean) => {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data)
    const message = isBinary ? bytes : bytes.toString('utf8')
    if (listener !== undefined) safely(listener)(message)
    else if (kept.length < maxKept) kept.push(message)
    else close(1008, 'too many messages')
  })

  /** Out here nothing else would catch it, and one socket must not end the process. */
  function safely<A extends unknown[]>(given: (...told: A) => void): (...told: A) => void {
    return (...told) => {
      try {
        given(...told)
      } catch (error) {
        failed(error)
        close(1011, 'internal error')
      }
    }
  }

  function close(code: number, reason?: string): void {
    // Messages that were on their way may ask for it again.
    if (isClosing || socket.readyState === socket.CLOSED) return
    isClosing = true
    socket.close(code, reason)
    const cut = setTimeout(() => socket.terminate(), closeAnswerMs)
    socket.once('close', () => clearTimeout(cut))
  }

  return {
    protocol: socket.protocol,
    bufferedBytes: () => socket.bufferedAmount,
    send(data) {
      // Frames handed to a closing socket would only be counted.
      if (socket.readyState === socket.OPEN) socket.send(data)
    },
    together(send) {
      raw.cork()
      try {
        send()
      } finally {
        raw.uncork()
      }
    },
    ping() {
      if (socket.readyState === socket.OPEN) socket.ping()
    },
    close,
    onMessage(given) {
      listener = given
      for (const message of kept.splice(0)) safely(given)(message)
    },
    onPong: (given) => void socket.on('pong', () => safely(given)()),
    onDrain: (given) => void raw.on('drain', safely(given)),
    onClose: (given) => void socket.on('close', (code) => safely(given)(code)),
  }
}
