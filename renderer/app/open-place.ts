// Owns which page of records or dashboard is open, and noting it among what was opened last.
import { useEffect } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useOwnId } from '../lib/me.ts'
import { keepPlacesOf, noteOpened } from '../lib/recents.ts'
import type { Place } from '../lib/recents.ts'
import { t } from '../lib/strings.ts'

/** A page is what somebody wanted once they have stayed that long; its title has arrived by then, too. */
const stayMs = 1_000

/** The path of the page of records or the dashboard that is open, with what it shows; undefined on other pages. */
export function useOpenPlace(): string | undefined {
  const [location] = useLocation()
  const [parameters] = useSearchParams()
  const isDashboard = /^\/dashboards\/[^/]+$/.test(location)
  if (!isDashboard && (!location.startsWith('/o/') || location.endsWith('/import'))) return undefined
  // What lies beside the records is no place of its own.
  const shown = new URLSearchParams(parameters)
  for (const name of ['rec', 'tab', 'item']) shown.delete(name)
  return shown.size > 0 ? `${location}?${shown.toString()}` : location
}

/** A place with the words of the page that is open. */
export function placeWithLabel(path: string): Place {
  const [before = '', after = ''] = t('app.title', { page: '\n' }).split('\n')
  return { path, label: document.title.slice(before.length, document.title.length - after.length) }
}

/** Notes pages of records while they are open. */
export function useRecentPlaces(): void {
  const person = useOwnId()
  useEffect(() => keepPlacesOf(person), [person])
  const place = useOpenPlace()
  useEffect(() => {
    if (place === undefined || person === undefined) return
    const timer = setTimeout(() => noteOpened(placeWithLabel(place)), stayMs)
    return () => clearTimeout(timer)
  }, [place, person])
}
