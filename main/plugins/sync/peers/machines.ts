// The machines of the workspace as other plugins see them: this one, the others, and which of them does what only one may do.
import { internalContext } from '#main/kernel/context.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Machine, SyncService } from '../api.ts'
import type { Running } from './running.ts'

/** What is asked of a machine that takes part. */
type Taking = Pick<Running, 'keys' | 'roster' | 'leases'>

/** This machine: `running` is null while sync is off. */
interface Own extends Pick<SyncService, 'sharedUntil'> {
  running(): Taking | null
}

/**
 * Makes the service.
 * @param onChange hears of every change of the machines
 */
export function createSyncService(
  { running, sharedUntil }: Own,
  ids: Pick<Ids, 'uuid'>,
  onChange: (listener: () => void) => void,
): SyncService {
  const machineIn = ({ roster }: Taking, id: string | null): Machine | null => {
    const device = id === null ? undefined : roster.device(id)
    return device === undefined || device.revokedAt !== null ? null : { id: device.device, name: device.name }
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
      return here === null ? null : machineIn(here, here.roster.runner())
    },
    lease(of) {
      const here = running()
      if (here === null) return null
      const { leases } = here
      return {
        holder: machineIn(here, leases.holder(of)),
        isMine: leases.isMine(of),
        isWaiting: leases.isWaiting(of),
        isMineAt: (due) => leases.isMineAt(of, due),
      }
    },
    async handOn(of, to) {
      await running()?.leases.handOn(internalContext(ids.uuid()), of, to)
    },
    sharedUntil,
    onMachinesChanged: onChange,
  }
}
