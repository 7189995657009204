// Owns the address: everything after `#` is path and search of a screen, so that a link holds the whole state of a view
// and the host needs no fallback rule. Gives the router its two hooks.
import { useSyncExternalStore } from 'react'

const changed = 'cairn:location'

/** Entries of the history count up, so that it is known which way was gone. */
interface Entry {
  place?: number
}
const placeOf = (): number | undefined => (window.history.state as Entry | null)?.place

let place = 0
/** The address on screen while it is asked whether that may be left; null otherwise: then the window's is. */
let held: string | null = null
let shown = window.location.hash
const guards = new Set<() => Promise<boolean>>()
const listeners = new Set<() => void>()

const pathOf = (hash: string): string => {
  const path = hash.replace(/^#/, '').split('?')[0] ?? ''
  return path.startsWith('/') ? path : `/${path}`
}
const current = (): string => held ?? window.location.hash

function take(): void {
  held = null
  shown = window.location.hash
  const known = placeOf()
  place = known ?? place + 1
  if (known === undefined) window.history.replaceState({ place }, '')
  for (const listener of listeners) listener()
}

/** Whether the guards let go; then they are free, because what they kept is given up. */
async function mayLeave(): Promise<boolean> {
  for (const guard of [...guards]) if (!(await guard())) return false
  guards.clear()
  return true
}

// The address has changed already when the browser tells: what is on screen stays until the answer.
async function onMove(): Promise<void> {
  if (held !== null) return
  if (guards.size === 0 || pathOf(window.location.hash) === pathOf(shown)) return take()
  held = shown
  if (await mayLeave()) return take()
  held = null
  const back = place - (placeOf() ?? place + 1)
  if (back !== 0) window.history.go(back)
}

function subscribe(callback: () => void): () => void {
  if (listeners.size === 0) {
    for (const event of moves) window.addEventListener(event, move)
    shown = window.location.hash
    place = placeOf() ?? place
    window.history.replaceState({ place }, '')
  }
  listeners.add(callback)
  return () => {
    listeners.delete(callback)
    if (listeners.size === 0) for (const event of moves) window.removeEventListener(event, move)
  }
}
const moves = ['hashchange', 'popstate', changed]
const move = (): void => void onMove()

function hashPath(): string {
  return pathOf(current())
}

function hashSearch(): string {
  const hash = current()
  const mark = hash.indexOf('?')
  return mark < 0 ? '' : hash.slice(mark + 1)
}

/** Asks before another path is shown, until the returned function is called. `ask` answers whether it may be. */
export function guardLocation(ask: () => Promise<boolean>): () => void {
  guards.add(ask)
  return () => void guards.delete(ask)
}

/**
 * Goes to `path?search`; with `replace` the present entry of the history is overwritten. A guarded screen asks first, unless
 * what it kept is known to be gone (`unasked`).
 */
export function navigate(to: string, options: { replace?: boolean; unasked?: boolean } = {}): void {
  const hash = `#${to.startsWith('/') ? to : `/${to}`}`
  const go = (): void => {
    if (hash !== window.location.hash) {
      if (options.replace) window.history.replaceState({ place }, '', hash)
      else window.history.pushState({ place: place + 1 }, '', hash)
    }
    window.dispatchEvent(new Event(changed))
  }
  if (options.unasked) guards.clear()
  if (guards.size === 0 || pathOf(hash) === pathOf(current())) return go()
  // A question that is open already stands for this way, too.
  if (held === null) void mayLeave().then((yes) => yes && go())
}

/** The path and how to change it, as the router wants it. */
export function useHashPath(): [string, typeof navigate] {
  return [useSyncExternalStore(subscribe, hashPath), navigate]
}

useHashPath.hrefs = (href: string): string => `#${href}`

/** The search part of the hash, without its question mark. */
export function useHashSearch(): string {
  return useSyncExternalStore(subscribe, hashSearch)
}
