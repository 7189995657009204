// Clients of texts that are edited live: the document the screens use, over a real WebSocket that sends a credential; and
// sockets that send whatever a test wants.
import { setTimeout as pause } from 'node:timers/promises'
import * as encoding from 'lib0/encoding'
import { WebSocket } from 'ws'
import type * as Y from 'yjs'
import type { LiveDocument, OpenedRoom, OpenFailure } from '../../renderer/features/live-text/live-document.ts'
import { openLiveDocument } from '../../renderer/features/live-text/live-document.ts'
import type { TestHost } from './create-test-host.ts'

/** A text of a record. */
export interface Place {
  readonly object: string
  readonly recordId: string
  readonly field: string
}

/** Where a client finds the host; may change while it runs. */
export interface Door {
  url: string
  headers: Record<string, string>
  /** How it is asked; as any other address where this is left out. */
  readonly ask?: TestHost['ask']
}

/** The door of a host with its own token, whichever leads or was started last. */
export function ownDoor(host: TestHost): Readonly<Door> {
  return {
    get url() {
      return host.host.url
    },
    get headers() {
      return { authorization: `Bearer ${host.host.token}` }
    },
    ask: host.ask,
  }
}

/** An answer of `POST /sync/docs/open`. */
export interface Opening {
  readonly status: number
  // oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely
  readonly body: any
}

/** Asks for a room. */
export async function askForText(
  door: Door,
  place: Place & { clientId?: number | undefined; lease?: string | undefined },
): Promise<Opening> {
  const { ask = (path, init) => fetch(`${door.url}${path}`, init) } = door
  const response = await ask('/api/v1/sync/docs/open', {
    method: 'POST',
    headers: { ...door.headers, 'content-type': 'application/json' },
    body: JSON.stringify(place),
  })
  return { status: response.status, body: await response.json() }
}

/** Somebody who edits a text. */
export interface TextClient {
  readonly live: LiveDocument
  readonly text: () => string
  /** Puts a text at a place of the document. */
  insert(at: number, text: string): void
  remove(at: number, count: number): void
  /** The shared text of the document shown now. */
  shared(): Y.Text
  /** Waits until something holds. @throws Error after `ms` */
  until(holds: () => boolean, ms?: number): Promise<void>
  /** Breaks the connection as a network does. */
  cut(): void
  close(): void
}

class Refused extends Error {
  readonly failure: OpenFailure
  constructor(answer: Opening) {
    super(JSON.stringify(answer))
    const byStatus: Record<number, OpenFailure> = { 401: 'forbidden', 403: 'forbidden', 404: 'gone', 413: 'too-large' }
    this.failure = byStatus[answer.status] ?? 'again'
  }
}

/** Opens a text as the screens do; resolves when it is there. */
export async function editText(door: Door, place: Place): Promise<TextClient> {
  const sockets = new Set<WebSocket>()
  // The provider makes its sockets itself; what it cannot say is whose they are.
  class OwnSocket extends WebSocket {
    constructor(url: string | URL, protocols: string[]) {
      super(url, protocols, { headers: door.headers })
      sockets.add(this)
      this.on('close', () => sockets.delete(this))
      this.on('error', () => undefined)
    }
  }
  const live = openLiveDocument({
    async open(before) {
      const answer = await askForText(door, { ...place, clientId: before?.clientId, lease: before?.lease })
      if (answer.status !== 200) throw new Refused(answer)
      return answer.body as OpenedRoom
    },
    failureOf: (error) => (error instanceof Refused ? error.failure : 'again'),
    changed: () => undefined,
    socket: OwnSocket as unknown as typeof globalThis.WebSocket,
  })
  const client: TextClient = {
    live,
    text: () => live.text(),
    shared: () => live.session!.text,
    insert: (at, text) => live.session!.text.insert(at, text),
    remove: (at, count) => live.session!.text.delete(at, count),
    async until(holds, ms = 10_000) {
      const last = performance.now() + ms
      while (!holds()) {
        if (performance.now() > last)
          throw new Error(`It did not come: ${JSON.stringify(live.state)} ${JSON.stringify(live.text().slice(0, 400))}`)
        await pause(5)
      }
    },
    cut() {
      for (const socket of sockets) socket.terminate()
    },
    close: () => live.close(),
  }
  await client.until(() => live.session !== undefined || live.state.phase === 'ended')
  return client
}

/** A bare socket of a room and everything it heard. */
export interface RawText {
  readonly socket: WebSocket
  readonly heard: Uint8Array[]
  readonly closed: Promise<number>
}

/** Opens a socket of a room; the answer instead of an upgrade is thrown. */
export async function openRawText(
  opened: { url: string; room: string; ticket?: string },
  options: { readonly headers?: Record<string, string>; readonly protocols?: readonly string[] } = {},
): Promise<RawText> {
  const protocols = options.protocols ?? ['cairn.v1', `cairn.ticket.${opened.ticket}`]
  const socket = new WebSocket(`${opened.url}/${opened.room}`, [...protocols], { headers: options.headers ?? {} })
  const heard: Uint8Array[] = []
  socket.on('message', (data: Buffer) => heard.push(new Uint8Array(data)))
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => resolve(code))
  })
  await new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve())
    socket.on('unexpected-response', (_request, response) => {
      reject(new Error(`The upgrade was answered with ${response.statusCode}.`))
    })
    socket.on('error', reject)
  })
  return { socket, heard, closed }
}

/** The message that carries an update. */
export function updateFrame(update: Uint8Array): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, 0)
  encoding.writeVarUint(encoder, 2)
  encoding.writeVarUint8Array(encoder, update)
  return encoding.toUint8Array(encoder)
}
