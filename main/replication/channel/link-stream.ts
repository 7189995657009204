// A stream of bytes over the messages of a link, for a second TLS session inside of it. Knows nothing of what flows.
import { Duplex } from 'node:stream'
import type { PeerLink } from './peer-link.ts'

/** How long what came before the end may wait for its reader. */
const lastReadMs = 5_000

/** A stream over a link whose consumer is somebody else's. */
export interface LinkStream {
  readonly stream: Duplex
  /** Takes a message that came; a promise says when the next one may come. */
  put(message: Uint8Array): void | Promise<void>
}

/** Makes the stream; it ends with the link, and the link with it. @param messageBytes the largest message that is sent */
export function createLinkStream(link: PeerLink, messageBytes: number): LinkStream {
  let wake = (): void => undefined

  /** What the link takes no more goes nowhere: its end follows, after what came before it was read. */
  async function sendAll(bytes: Uint8Array, done: () => void): Promise<void> {
    for (let at = 0; at < bytes.byteLength; at += messageBytes)
      if (!(await link.send(bytes.subarray(at, at + messageBytes)))) break
    done()
  }

  const stream = new Duplex({
    allowHalfOpen: false,
    read: () => wake(),
    write(bytes: Buffer, _encoding, done) {
      void sendAll(bytes, done)
    },
    final(done) {
      link.close('done')
      done()
    },
    destroy(error, done) {
      wake()
      link.close('done')
      done(error)
    },
  })
  // Whoever reads from it hears of the end as well; without a listener an error would end the process.
  stream.on('error', () => undefined)
  link.onClose(() => {
    if (stream.destroyed) return
    stream.push(null)
    const timer = setTimeout(() => stream.destroy(), lastReadMs).unref()
    stream.once('close', () => clearTimeout(timer))
  })

  return {
    stream,
    put(message) {
      if (stream.destroyed || stream.push(message)) return
      return new Promise((resolve) => {
        wake = resolve
      })
    },
  }
}
