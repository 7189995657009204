// Server-sent events: the same event objects as text/event-stream (D-173). Knows no right.
import { Readable } from 'node:stream'
import type { Connection, Sink } from './connection.ts'

/** How often a silent stream shows that it is alive. */
const heartbeatMs = 15_000

/** How long a client waits before it comes back. */
const retryMs = 2_000

/** One open stream. */
export interface EventStream {
  readonly readable: Readable
  /** Called a few times a second. */
  beat(): void
}

/** Opens the stream of a connection; it ends with the signal, with its reader or with the connection. */
export function openEventStream(parts: {
  readonly connection: Connection
  readonly resume: string | undefined
  readonly signal: AbortSignal
  now(): number
  /** The position of a connection that has everything; null while something waits. */
  settledAt(): number | null
  /** Called once when it is over. */
  over(sink: Sink): void
}): EventStream {
  const { connection } = parts
  let beatAt = parts.now()
  const readable = new Readable({ read: () => connection.pump(), destroy: (error, done) => finish(error, done) })
  let isOver = false

  const write = (text: string): void => {
    if (!isOver) readable.push(text)
  }

  const sink: Sink = {
    buffered: () => readable.readableLength,
    deliver(eventId, messages) {
      for (const [at, { type, text }] of messages.entries()) {
        // The id comes with the last message of an event: who loses some of them gets all of them again.
        const id = at === messages.length - 1 ? `id: ${eventId}\n` : ''
        write(`${id}event: ${type}\ndata: ${text}\n\n`)
      }
    },
    frame({ type, ...rest }) {
      const id = 'lastEventId' in rest ? `id: ${rest.lastEventId}\n` : ''
      write(`${id}event: ${type}\ndata: ${JSON.stringify(rest)}\n\n`)
    },
    close(code) {
      // What still waits was for somebody whose credential holds, or who reads.
      if (code === 4401 || code === 1013) readable.destroy()
      else end()
    },
  }

  function finish(error: Error | null, done: (error?: Error | null) => void): void {
    if (!isOver) {
      isOver = true
      parts.signal.removeEventListener('abort', end)
      parts.over(sink)
    }
    done(error)
  }

  /** Ends in an orderly way: what was written leaves first. */
  function end(): void {
    if (isOver) return
    isOver = true
    parts.over(sink)
    readable.push(null)
  }

  parts.signal.addEventListener('abort', end, { once: true })
  write(`retry: ${retryMs}\n\n`)
  const reason = connection.attach(sink, parts.resume)
  const lastEventId = String(connection.position)
  const resumed = parts.resume !== undefined && reason === null
  sink.frame({ type: 'ready', connectionId: connection.id, lastEventId, resumed })
  if (reason !== null) sink.frame({ type: 'reset', reason, lastEventId })
  if (parts.signal.aborted) end()

  return {
    readable,
    beat() {
      const now = parts.now()
      if (now - beatAt < heartbeatMs || readable.readableLength > 0) return
      beatAt = now
      const position = parts.settledAt()
      // Moves the position of a client on a quiet channel along, so that it does not grow old.
      write(`: heartbeat\n${position === null ? '' : `id: ${position}\n`}\n`)
    },
  }
}
