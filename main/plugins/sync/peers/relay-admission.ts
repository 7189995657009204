// Tells a relay which machines of the workspace it lets in: all that take part, and none that was unpaired or may not read
// everything. Knows the roster, no frame.
import type { Logger } from '#main/kernel/logger.ts'
import type { PeerSession } from '../session/peer-session.ts'
import { signKeyOf } from './roster-entries.ts'
import type { Roster } from './roster.ts'

/** How long a word is not said again that the relay did not take. */
const notTakenMs = 5_000

/**
 * Says it anew to each connection, and to an open one whenever it changes.
 * @param own this device, which is in already
 * @param isNarrowed whether a device may not have everything
 */
export function createRelayAdmission(
  roster: Pick<Roster, 'devices'>,
  own: string,
  isNarrowed: (device: string) => boolean,
  log: Logger,
) {
  let told = new WeakMap<PeerSession, Map<string, string>>()
  /** Whom the relay has shut out, by its own word. */
  const shutOut = new WeakMap<PeerSession, Set<string>>()
  let telling: Promise<unknown> = Promise.resolve()

  async function tell(session: PeerSession, said: Map<string, string>): Promise<void> {
    for (const known of roster.devices()) {
      const { device, revokedAt } = known
      const word = revokedAt !== null ? 'REVOKE' : isNarrowed(device) ? 'NARROW' : 'GRANT'
      if (device === own || said.get(device) === word) continue
      // What this machine lacks of the log may shut out whom it would let in.
      if (word === 'GRANT' && session.status().state !== 'open') continue
      said.set(device, word)
      const out = shutOut.get(session) ?? new Set()
      shutOut.set(session, out)
      if (word === 'GRANT') out.delete(device)
      if (!(await session.admit(word, signKeyOf(known)))) {
        log.warn({ device, word }, 'The relay did not take a word.')
        if (word !== 'GRANT') setTimeout(() => said.delete(device), notTakenMs).unref()
      } else if (word !== 'GRANT') {
        out.add(device)
        session.lookAtRights()
      }
    }
  }

  return {
    /** To be called whenever the session or the roster may have changed. */
    look(session: PeerSession | undefined) {
      if (session === undefined || !['catching_up', 'open'].includes(session.status().state)) return
      const said = told.get(session) ?? new Map<string, string>()
      told.set(session, said)
      const next = tell(session, said).catch((error: unknown) => {
        // With the next look everything is said once more.
        told = new WeakMap()
        log.warn({ err: error }, 'The relay could not be told who may come in.')
      })
      telling = Promise.all([telling, next])
    },
    /** Whether the relay gives nothing to these devices any more. */
    hasShutOut: (session: PeerSession | undefined, devices: ReadonlySet<string>): boolean => {
      const out = session && shutOut.get(session)
      return [...devices].every((device) => out?.has(device) === true)
    },
    /** Waits until everything said so far was answered. */
    async settled() {
      await telling
    },
  }
}
