// Which machines may have what is here: those whose person may read everything that travels, as when they were paired. Asked
// before anything is sent; what an administrator's machine finds is told in the roster, for those who have no account of
// that person. Knows no link.
import type { KnownDevice } from '../engine/replica.ts'
import type { Roster } from './roster.ts'

/** Makes what judges and tells. */
export function createReaders(parts: {
  readonly roster: Pick<Roster, 'known' | 'isAdmin' | 'isNarrowed' | 'narrowedBy'>
  /** Id of this machine. */
  readonly device: string
  /** Whether the person of a device may read everything, by the rights they have here; true where nobody here can say. */
  readonly mayReadAll: (device: KnownDevice) => boolean
  /** Writes which machines may not. */
  readonly put: (narrowed: ReadonlySet<string>) => Promise<void>
}) {
  const { roster, device: own, mayReadAll } = parts
  let isTelling = false

  const others = (): readonly KnownDevice[] =>
    roster.known.all().filter(({ device, isRevoked }) => device !== own && !isRevoked)

  /** Those that may not, by the rights here. */
  const narrowedHere = (): readonly string[] =>
    others().flatMap((device) => (mayReadAll(device) ? [] : [device.device]))

  const isNarrowed = (id: string): boolean => {
    if (id === own) return false
    const device = roster.known.find(id)
    return roster.isNarrowed(id) || (device !== undefined && !device.isRevoked && !mayReadAll(device))
  }

  /** Tells the others what is found here and not told yet. */
  function tell(): void {
    if (isTelling || !roster.isAdmin(own)) return
    const here = new Set(narrowedHere())
    const told = roster.narrowedBy(own)
    const isNews = [...here].some((id) => !told.has(id)) || [...told].some((id) => !here.has(id))
    if (!isNews) return
    isTelling = true
    void parts.put(here).finally(() => (isTelling = false))
  }

  return {
    /** Whether a machine may have nothing of what is here. */
    isNarrowed,
    narrowedHere,
    tell,
  }
}
