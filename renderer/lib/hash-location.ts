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
/** Who asks before an address is left, and whether another one leaves it. */
interface Guard {
  ask: () => Promise<boolean>
  isLeft: LeavesAddress
}
/** Whether a screen is left on the way from one address to another; both with their `#`. */
export type LeavesAddress = (to: string, from: string) => boolean

const guards = new Set<Guard>()
const listeners = new Set<() => void>()

const pathOf = (hash: string): string => {
  const path = hash.replace(/^#/, '').split('?')[0] ?? ''
  return path.startsWith('/') ? path : `/${path}`
}
const searchOf = (hash: string): string => (hash.includes('?') ? hash.slice(hash.indexOf('?') + 1) : '')
const current = (): string => held ?? window.location.hash

function take(): void {
  held = null
  shown = window.location.hash
  const known = placeOf()
  place = known ?? place + 1
  if (known === undefined) window.history.replaceState({ place }, '')
  for (const listener of listeners) listener()
}

const guardsLeft = (to: string, from: string): Guard[] => [...guards].filter((guard) => guard.isLeft(to, from))

/** Whether guards let go; then they are free, because what they kept is given up. One that is free already is not asked. */
async function mayLeave(left: readonly Guard[]): Promise<boolean> {
  for (const guard of left) if (guards.has(guard) && !(await guard.ask())) return false
  for (const guard of left) guards.delete(guard)
  return true
}

// The address has changed already when the browser tells: what is on screen stays until the answer.
async function onMove(): Promise<void> {
  if (held !== null) return
  const left = guardsLeft(window.location.hash, shown)
  if (left.length === 0) return take()
  held = shown
  if (await mayLeave(left)) return take()
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
  return searchOf(current())
}

/** Whether another path is shown, or another search part of it that `leaves` says so of. */
export function leavesPath(leaves?: (search: string) => boolean): LeavesAddress {
  return (to, from) => pathOf(to) !== pathOf(from) || leaves?.(searchOf(to)) === true
}

/** Asks before what it guards is left, until the returned function is called. `ask` answers whether it may be. */
export function guardLocation(ask: () => Promise<boolean>, isLeft: LeavesAddress = leavesPath()): () => void {
  const guard = { ask, isLeft }
  guards.add(guard)
  return () => void guards.delete(guard)
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
  const left = guardsLeft(hash, current())
  if (left.length === 0) return go()
  // A question that is open already stands for this way, too.
  if (held === null) void mayLeave(left).then((yes) => yes && go())
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
