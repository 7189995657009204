// Owns what a person opened last and what they pinned: addresses with the words of their pages, kept by this browser for
// each person apart. Knows no screen.
import { create } from 'zustand'
import { readStored, writeStored } from './storage.ts'

/** A place of the application. */
export interface Place {
  /** Path with its search part. */
  path: string
  label: string
}

const kinds = ['recents', 'pins'] as const
type Kind = (typeof kinds)[number]
type Kept = Record<Kind, readonly Place[]>

const maxPlaces = { recents: 12, pins: 30 } as const

const useStore = create<Kept & { person: string | undefined }>(() => ({ recents: [], pins: [], person: undefined }))

function read(kind: Kind, person: string): readonly Place[] {
  try {
    const list = JSON.parse(readStored(`${kind}.${person}`) ?? '[]') as Place[]
    return Array.isArray(list)
      ? list.filter(({ path, label }) => typeof path === 'string' && typeof label === 'string')
      : []
  } catch {
    return [] // written by another version: what is there says nothing any more
  }
}

function keep(kind: Kind, places: readonly Place[]): void {
  const { person } = useStore.getState()
  if (person === undefined) return
  const kept = places.slice(0, maxPlaces[kind])
  useStore.setState({ [kind]: kept })
  writeStored(`${kind}.${person}`, JSON.stringify(kept))
}

/** Says whose places these are; undefined forgets them in memory. */
export function keepPlacesOf(person: string | undefined): void {
  if (useStore.getState().person === person) return
  const kept =
    person === undefined ? { recents: [], pins: [] } : { recents: read('recents', person), pins: read('pins', person) }
  useStore.setState({ person, ...kept })
}

/** Notes that a place was opened. A view is one place however it was filtered or sorted: the last way of it is kept. */
export function noteOpened(place: Place): void {
  const { recents } = useStore.getState()
  const page = pageOf(place.path)
  keep('recents', [place, ...recents.filter(({ path }) => pageOf(path) !== page)])
}

function pageOf(path: string): string {
  const [page = '', search] = path.split('?')
  return `${page}?${new URLSearchParams(search).get('v') ?? ''}`
}

/** Pins a place, or takes the pin off. */
export function togglePin(place: Place): void {
  const { pins } = useStore.getState()
  const others = pins.filter(({ path }) => path !== place.path)
  keep('pins', others.length < pins.length ? others : [...others, place])
}

/** What was opened last, the latest first. */
export function useRecents(): readonly Place[] {
  return useStore((state) => state.recents)
}

/** What is pinned, in the order of pinning. */
export function usePins(): readonly Place[] {
  return useStore((state) => state.pins)
}
