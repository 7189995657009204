// The machines of the workspace as other plugins see them: this one, the others, and the one that does what only one may do.
import type { Machine, SyncService } from '../api.ts'
import type { Running } from './running.ts'

/** What is asked of a machine that takes part. */
type Taking = Pick<Running, 'keys' | 'roster'>

/** Makes the service. @param running this machine while it takes part; null while sync is off */
export function createSyncService(running: () => Taking | null): SyncService {
  const machineIn = ({ roster }: Taking, id: string): Machine | null => {
    const device = roster.device(id)
    return device === undefined || device.revokedAt !== null ? null : { id, name: device.name }
  }
  return {
    ownMachine() {
      const here = running()
      return here === null ? null : machineIn(here, here.keys.device)
    },
    machine(id) {
      const here = running()
      return here === null ? null : machineIn(here, id)
    },
    runner() {
      const here = running()
      const id = here?.roster.runner() ?? null
      return here === null || id === null ? null : machineIn(here, id)
    },
  }
}
