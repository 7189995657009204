// Owns the live texts of this window: one per field of a record, kept on while something typed is not stored yet, also
// when its editor is gone. Knows no element of the screen.
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { connection } from '../../lib/bridge.ts'
import { onHostBack } from '../../lib/host-status.ts'
import { openLiveDocument } from './live-document.ts'
import type { FormerStay, LiveDocument, OpenedRoom, OpenFailure } from './live-document.ts'

/** One text of one record. */
export interface TextPlace {
  readonly object: string
  readonly recordId: string
  readonly field: string
}

interface Kept {
  readonly live: LiveDocument
  readonly listeners: Set<() => void>
  users: number
}

const kept = new Map<string, Kept>()

/** A live text in use. */
export interface TextLease {
  readonly live: LiveDocument
  /** Calls back on every change of its state, until the returned function is called. */
  listen(listener: () => void): () => void
  /** Gives it up; it goes on by itself until everything typed is stored. */
  release(): void
}

/** Takes a text into use. */
export function takeText(place: TextPlace): TextLease {
  const key = JSON.stringify([place.object, place.recordId, place.field])
  const found = kept.get(key) ?? create(key, place)
  found.users += 1
  let isReleased = false
  return {
    live: found.live,
    listen(listener) {
      found.listeners.add(listener)
      return () => found.listeners.delete(listener)
    },
    release() {
      if (isReleased) return
      isReleased = true
      found.users -= 1
      found.live.store()
      settle(key)
    },
  }
}

function create(key: string, place: TextPlace): Kept {
  const listeners = new Set<() => void>()
  const live = openLiveDocument({
    open: (before) => openRoom(place, before),
    failureOf,
    changed() {
      for (const listener of listeners) listener()
      settle(key)
    },
  })
  const entry = { live, listeners, users: 0 }
  kept.set(key, entry)
  return entry
}

/** Closes a text that nobody uses once nothing of it is missing on the host, or never can be brought there. */
function settle(key: string): void {
  const entry = kept.get(key)
  if (!entry || entry.users > 0) return
  const { isStored, phase } = entry.live.state
  if (!isStored && phase !== 'ended') return
  kept.delete(key)
  entry.live.close()
}

async function openRoom(place: TextPlace, before: FormerStay | undefined): Promise<OpenedRoom> {
  const opened = await call('openLiveText', { body: { ...place, clientId: before?.clientId, lease: before?.lease } })
  // The host may know itself under another name; the page may only speak to where it came from.
  const { baseUrl } = await connection()
  return { ...opened, url: baseUrl.replace(/^http/, 'ws') + new URL(opened.url).pathname }
}

function failureOf(error: unknown): OpenFailure {
  if (hasCode(error, 'sync_document_not_found', 'method_not_allowed')) return 'unavailable'
  if (hasCode(error, 'resource_not_found')) return error.details['reason'] === 'route' ? 'unavailable' : 'gone'
  if (hasCode(error, 'permission_denied')) return 'forbidden'
  // A session that ended is begun anew: what was typed goes on then.
  return hasCode(error, 'sync_update_too_large') ? 'too-large' : 'again'
}

onHostBack(() => {
  for (const { live } of kept.values()) live.retry()
})

window.addEventListener('beforeunload', (event) => {
  // What is typed and has not reached the host, or is refused there, would be gone with the window.
  const isMissing = ({ live: { state } }: Kept): boolean =>
    !state.isStored && (state.phase === 'offline' || state.problem !== undefined)
  if ([...kept.values()].some(isMissing)) event.preventDefault()
})
