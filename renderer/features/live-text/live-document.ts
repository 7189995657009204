// Owns one text that is edited together with others: its document, its connection, and what becomes of typed text when the
// connection or the room was lost. Knows no element of the screen; how a room is opened is handed in.
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import type { Awareness } from 'y-protocols/awareness'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { liveTextCloseCodes, liveTextMessages, liveTextRoot, textDigest } from '#shared/live-text.ts'
import type { LiveTextAsk, LiveTextNote, LiveTextProblem } from '#shared/live-text.ts'
import { mergedChanges } from '#shared/text-changes.ts'

/** What the host answers to somebody who opens a text. */
export interface OpenedRoom {
  readonly room: string
  readonly url: string
  readonly ticket: string
  readonly clientId: number
  readonly epoch: number
  readonly readOnly: boolean
  readonly lease?: string | undefined
}

/** What a window comes back with: its client id, and what was given with it. */
export type FormerStay = Pick<OpenedRoom, 'clientId' | 'lease'>

/** Why a text can no longer be edited here. */
export type LiveEnd = 'unavailable' | 'forbidden' | 'gone' | 'too-large' | 'refused'

/** What to do about a room that could not be opened: try again, or give up. */
export type OpenFailure = 'again' | LiveEnd

/** What a live document works with. */
export interface LiveDocumentParts {
  /** Opens the room, with what the time before was opened with. */
  open(before: FormerStay | undefined): Promise<OpenedRoom>
  /** What a rejection of `open` means. */
  failureOf(error: unknown): OpenFailure
  /** Told of every change of {@link LiveDocument.state}. */
  changed(): void
  /** Default: the one of the browser. */
  readonly socket?: typeof WebSocket
}

/** What a screen shows. */
export interface LiveState {
  readonly phase: 'connecting' | 'open' | 'offline' | 'ended'
  /** Whether everything typed here is known to be stored. */
  readonly isStored: boolean
  /** Why the host does not store the text. */
  readonly problem: LiveTextProblem | undefined
  readonly end: LiveEnd | undefined
  readonly isReadOnly: boolean
}

/** The document of one stay in a room; a room that was begun anew brings another one. */
export interface LiveSession {
  readonly text: Y.Text
  readonly awareness: Awareness
  readonly undo: Y.UndoManager
}

/** A text under way. */
export interface LiveDocument {
  readonly state: LiveState
  /** What an editor shows; undefined until the text is there. Another value: bind anew. */
  readonly session: LiveSession | undefined
  /** The text as it is here. */
  text(): string
  /** Asks the host to store at once. */
  store(): void
  /** Tries to connect now, when it waits for the next try. */
  retry(): void
  close(): void
}

interface Stay {
  readonly epoch: number
  readonly clientId: number
  readonly lease: string | undefined
  readonly doc: Y.Doc
  readonly provider: WebsocketProvider
  readonly session: LiveSession
}

const protocol = 'cairn.v1'
const backoff = { firstMs: 250, mostMs: 5_000 }
/** Documents refused one after the other before it is given up. */
const maxRefusals = 3
/** Texts since the last one that is known to be stored. */
const maxSeen = 5_000
/** Texts of them that are kept as a whole, and their characters: those of the moments a text takes to be stored. */
const maxRecent = { texts: 500, length: 2_000_000 }

/** Opens a text; it connects by itself until it is closed. */
export function openLiveDocument(parts: LiveDocumentParts): LiveDocument {
  let state: LiveState = {
    phase: 'connecting',
    isStored: true,
    problem: undefined,
    end: undefined,
    isReadOnly: false,
  }
  let shown: Stay | undefined
  let next: Stay | undefined
  let isClosed = false
  let isOpening = false
  let tries = 0
  let refusals = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The text that is stored for certain, and digests of what was here since. */
  let stored: string | undefined
  const seen = new Set<string>()
  /** The last of these texts, to know what is stored of somebody who never pauses. */
  const recent = new Map<string, string>()
  let recentLength = 0

  const become = (change: Partial<LiveState>): void => {
    const after = { ...state, ...change }
    if (Object.entries(after).every(([key, value]) => state[key as keyof LiveState] === value)) return
    state = after
    parts.changed()
  }

  const end = (why: LiveEnd): void => {
    clearTimeout(timer)
    leave(next)
    next = undefined
    if (shown) shown.provider.shouldConnect = false
    become({ phase: 'ended', end: why })
  }

  const again = (): void => {
    if (isClosed || timer !== undefined) return
    const longest = Math.min(backoff.mostMs, backoff.firstMs * 2 ** Math.min(tries++, 10))
    timer = setTimeout(() => void connect(), Math.round(longest * (0.5 + Math.random() / 2)))
  }

  const connect = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    if (isClosed || isOpening || state.phase === 'ended') return
    isOpening = true
    try {
      const opened = await parts.open(refusals === 0 ? shown : undefined)
      if (!isClosed) enter(opened)
    } catch (error) {
      if (isClosed) return
      const failure = parts.failureOf(error)
      if (failure === 'again') {
        become({ phase: shown ? 'offline' : 'connecting' })
        again()
      } else end(failure)
    } finally {
      isOpening = false
    }
  }

  const enter = (opened: OpenedRoom): void => {
    const isHere = shown?.epoch === opened.epoch && shown.clientId === opened.clientId
    if (opened.readOnly && shown && !state.isStored) {
      end('forbidden')
      return
    }
    become({ isReadOnly: opened.readOnly })
    const stay = isHere ? shown! : createStay(opened)
    if (!isHere) {
      leave(next)
      next = stay
    }
    stay.provider.serverUrl = opened.url
    stay.provider.protocols = [protocol, `cairn.ticket.${opened.ticket}`]
    stay.provider.connect()
  }

  const createStay = (opened: OpenedRoom): Stay => {
    const doc = new Y.Doc()
    doc.clientID = opened.clientId
    const text = doc.getText(liveTextRoot)
    const provider = new WebsocketProvider(opened.url, opened.room, doc, {
      connect: false,
      disableBc: true,
      shouldReconnect: () => false,
      ...(parts.socket === undefined ? {} : { WebSocketPolyfill: parts.socket }),
    })
    provider.awareness.setLocalState({ cursor: null })
    const session = { text, awareness: provider.awareness, undo: new Y.UndoManager(text) }
    const { epoch, clientId, lease } = opened
    const stay: Stay = { epoch, clientId, lease, doc, provider, session }
    provider.messageHandlers[liveTextMessages.note] = (_encoder, decoder) => {
      hear(stay, JSON.parse(decoding.readVarString(decoder)) as LiveTextNote)
    }
    provider.on('sync', (isSynced) => {
      if (isSynced) synced(stay)
    })
    provider.on('connection-close', (event) => lost(stay, event?.code))
    doc.on('update', () => {
      if (stay === shown) touched()
    })
    return stay
  }

  const synced = (stay: Stay): void => {
    // Loading may have changed it (design of sync, section 1).
    stay.doc.clientID = stay.clientId
    tries = 0
    if (stay === next) {
      next = undefined
      moveInto(stay)
    }
    refusals = 0
    become({ phase: 'open' })
  }

  /** Shows another document; what was typed into the one before and not stored is put into it. */
  const moveInto = (stay: Stay): void => {
    const before = shown
    shown = stay
    const { text } = stay.session
    const theirs = text.toJSON()
    if (before && stored !== undefined && !state.isStored && !state.isReadOnly) {
      const ours = before.session.text.toJSON()
      // A text that was here a moment ago is an earlier one of the same text: nothing in it is to be doubled.
      const base = seen.has(textDigest(theirs)) ? theirs : stored
      stored = theirs
      clearSeen()
      stay.doc.transact(() => {
        for (const { at, remove, insert } of mergedChanges(base, theirs, ours).toReversed()) {
          if (remove > 0) text.delete(at, remove)
          if (insert !== '') text.insert(at, insert)
        }
      })
      if (text.toJSON() === theirs) become({ isStored: true })
    } else {
      stored = theirs
      clearSeen()
      become({ isStored: true, problem: undefined })
    }
    leave(before)
  }

  const leave = (stay: Stay | undefined): void => {
    if (!stay) return
    stay.provider.destroy()
    stay.session.undo.destroy()
    stay.doc.destroy()
  }

  const touched = (): void => {
    const text = self.text()
    const digest = textDigest(text)
    if (seen.size < maxSeen) seen.add(digest)
    if (!recent.has(digest)) {
      recent.set(digest, text)
      recentLength += text.length
    }
    while (recent.size > 1 && (recent.size > maxRecent.texts || recentLength > maxRecent.length)) forgetOldest()
    become({ isStored: false })
  }

  const forgetOldest = (): void => {
    const [digest, text] = recent.entries().next().value!
    recent.delete(digest)
    recentLength -= text.length
  }

  const clearSeen = (): void => {
    seen.clear()
    recent.clear()
    recentLength = 0
  }

  const hear = (stay: Stay, note: LiveTextNote): void => {
    if (stay !== shown) return
    if (note.type === 'refused') {
      become({ problem: note.problem, isStored: false })
      return
    }
    const text = self.text()
    if (textDigest(text) !== note.digest) {
      const earlier = note.text ?? recent.get(note.digest)
      if (earlier !== undefined) {
        stored = earlier
        while (recent.has(note.digest)) forgetOldest()
      }
      become({ problem: undefined })
      return
    }
    stored = text
    clearSeen()
    become({ isStored: true, problem: undefined })
  }

  const lost = (stay: Stay, code: number | undefined): void => {
    // Its own tries would come with a ticket that is used up.
    stay.provider.shouldConnect = false
    if (isClosed || state.phase === 'ended' || (stay !== shown && stay !== next)) return
    if (code === liveTextCloseCodes.tooLarge || code === 1009) return end('too-large')
    if (code === liveTextCloseCodes.invalid) {
      refusals += 1
      if (refusals > maxRefusals) return end('refused')
    }
    become({ phase: shown ? 'offline' : 'connecting' })
    again()
  }

  const self: LiveDocument = {
    get state() {
      return state
    },
    get session() {
      return shown?.session
    },
    text: () => shown?.session.text.toJSON() ?? '',
    store() {
      const socket = shown?.provider.ws
      if (!socket || socket.readyState !== 1) return
      const encoder = encoding.createEncoder()
      encoding.writeVarUint(encoder, liveTextMessages.note)
      encoding.writeVarString(encoder, JSON.stringify({ type: 'store' } satisfies LiveTextAsk))
      socket.send(encoding.toUint8Array(encoder))
    },
    retry() {
      if (timer !== undefined) void connect()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      leave(next)
      leave(shown)
    },
  }
  void connect()
  return self
}
