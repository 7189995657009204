// Which machines may have what is here: those whose person may read everything that travels, as when they were paired. Asked
// before each frame, so the answer is kept until rights or the roster may be others; what an administrator's machine finds is
// told in the roster, for those who have no account of that person. Knows no link.
import type { KnownDevice } from '../engine/replica.ts'
import type { Roster } from './roster.ts'

/** Makes what judges and tells. */
export function createReaders(parts: {
  readonly roster: Pick<Roster, 'known' | 'isAdmin' | 'isNarrowed' | 'narrowedBy'>
  /** Id of this machine. */
  readonly device: string
  /** Whether the person of a device may read everything, by the rights they have here; true where nobody here can say. */
  readonly mayReadAll: (device: KnownDevice) => boolean
  /** Another text as soon as rights are others. */
  readonly rights: () => string
  /** Writes which machines may not. */
  readonly put: (narrowed: ReadonlySet<string>) => Promise<void>
}) {
  const { roster, device: own, mayReadAll, rights } = parts
  let isTelling = false
  let kept: { readonly rights: string; readonly narrowed: ReadonlySet<string> } | undefined

  /** Those that may not, by the rights here. */
  const narrowedHere = (): ReadonlySet<string> => {
    const now = rights()
    if (kept?.rights !== now) {
      const others = roster.known.all().filter(({ device, isRevoked }) => device !== own && !isRevoked)
      const found = others.flatMap((device) => (mayReadAll(device) ? [] : [device.device]))
      kept = { rights: now, narrowed: new Set(found) }
    }
    return kept.narrowed
  }

  /** Tells the others what is found here and not told yet. */
  function tell(): void {
    if (isTelling || !roster.isAdmin(own)) return
    const here = narrowedHere()
    const told = roster.narrowedBy(own)
    const isNews = [...here].some((id) => !told.has(id)) || [...told].some((id) => !here.has(id))
    if (!isNews) return
    isTelling = true
    void parts.put(here).finally(() => (isTelling = false))
  }

  return {
    /** Whether a machine may have nothing of what is here. */
    isNarrowed: (id: string): boolean => roster.isNarrowed(id) || narrowedHere().has(id),
    narrowedHere,
    /** To be called when the roster, an account or the time may have changed. */
    forget: () => void (kept = undefined),
    tell,
  }
}
