// Records that wait for an approval, against everybody's writes but those of administrators and of the approval itself
// (D-167, D-255). Rows tell which; memory tells of which objects there may be any, so that others pay nothing.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { RecordLocks } from '#main/plugins/data/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import { lockOf, lockedObjects } from '../store.ts'

/** The locks of one host. */
export interface Locks extends RecordLocks {
  /** No lock holds up what is written in this context: an approval writes it itself. */
  exempt(ctx: RequestContext): void
  /** A record of the object is held from this moment of the transaction on. */
  taken(object: string): void
  /** A record of some object may be free once the transaction is stored. */
  released(tx: Tx): void
}

/** Makes the locks. */
export function createLocks(read: Pick<Reads, 'all'>, permissions: Pick<PermissionsService, 'isAdministrator'>): Locks {
  /** Uids of objects; one too many costs a statement per write until the next release. */
  let objects = new Set(lockedObjects(read))
  const own = new WeakSet<RequestContext>()
  return {
    heldBy(reads, ctx, { uid }, id) {
      if (!objects.has(uid) || own.has(ctx) || permissions.isAdministrator(ctx)) return undefined
      return lockOf(reads, uid, id)
    },
    exempt: (ctx) => void own.add(ctx),
    taken: (object) => void objects.add(object),
    released(tx) {
      tx.afterCommit(() => {
        objects = new Set(lockedObjects(read))
      })
    },
  }
}
