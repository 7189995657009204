// Tells a relay which machines of the workspace it lets in: all that take part, and none that was unpaired. Knows the
// roster, no frame.
import type { Logger } from '#main/kernel/logger.ts'
import type { PeerSession } from '../session/peer-session.ts'
import { signKeyOf } from './roster-entries.ts'
import type { Roster } from './roster.ts'

/** Says it anew to each connection, and to an open one whenever it changes. @param own this device, which is in already */
export function createRelayAdmission(roster: Pick<Roster, 'devices'>, own: string, log: Logger) {
  let told = new WeakMap<PeerSession, Map<string, string>>()
  let telling: Promise<unknown> = Promise.resolve()

  async function tell(session: PeerSession, said: Map<string, string>): Promise<void> {
    for (const known of roster.devices()) {
      const { device, revokedAt } = known
      const word = revokedAt === null ? 'GRANT' : 'REVOKE'
      if (device === own || said.get(device) === word) continue
      said.set(device, word)
      if (!(await session.admit(word, signKeyOf(known)))) log.warn({ device, word }, 'The relay did not take a word.')
    }
  }

  return {
    /** To be called whenever the session or the roster may have changed. */
    look(session: PeerSession | undefined) {
      if (session === undefined || session.status().state !== 'open') return
      const said = told.get(session) ?? new Map<string, string>()
      told.set(session, said)
      const next = tell(session, said).catch((error: unknown) => {
        // With the next look everything is said once more.
        told = new WeakMap()
        log.warn({ err: error }, 'The relay could not be told who may come in.')
      })
      telling = Promise.all([telling, next])
    },
    /** Waits until everything said so far was answered. */
    async settled() {
      await telling
    },
  }
}
