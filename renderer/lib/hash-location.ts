// Owns the address: everything after `#` is path and search of a screen, so that a link holds the whole state of a view
// and the host needs no fallback rule. Gives the router its two hooks.
import { useSyncExternalStore } from 'react'

const changed = 'cairn:location'

function subscribe(callback: () => void): () => void {
  const events = ['hashchange', 'popstate', changed]
  for (const event of events) window.addEventListener(event, callback)
  return () => {
    for (const event of events) window.removeEventListener(event, callback)
  }
}

function hashPath(): string {
  const path = window.location.hash.replace(/^#/, '').split('?')[0] ?? ''
  return path.startsWith('/') ? path : `/${path}`
}

function hashSearch(): string {
  const hash = window.location.hash
  const mark = hash.indexOf('?')
  return mark < 0 ? '' : hash.slice(mark + 1)
}

/** Goes to `path?search`; with `replace` the present entry of the history is overwritten. */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  const hash = `#${to.startsWith('/') ? to : `/${to}`}`
  if (hash !== window.location.hash) {
    if (options.replace) window.history.replaceState(null, '', hash)
    else window.history.pushState(null, '', hash)
  }
  window.dispatchEvent(new Event(changed))
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
