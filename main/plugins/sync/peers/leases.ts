// Who does what only one machine of the workspace may do (D-340): a lease has no end, and only the machine that has it hands
// it on, so that two never have it. Knows the roster and who is connected, nothing of what is done under a lease.
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { DocWriter } from '../engine/docs.ts'
import type { Lease } from './roster-entries.ts'
import type { Roster } from './roster.ts'

/** What leases work with. */
export interface LeaseParts {
  readonly host: Pick<PluginHost, 'write' | 'clock' | 'ids' | 'log'>
  readonly roster: Roster
  readonly docs: DocWriter
  /** This machine. */
  readonly device: string
  /** Whether a machine is connected, and has said all it had to say. */
  readonly isConnected: (device: string) => boolean
  /** Whether any other machine or the relay has said all it had to say since this start. */
  readonly hasHeard: () => boolean
  /** Milliseconds the clock of another machine is ahead; undefined until measured. */
  readonly clockOffset: (device: string) => number | undefined
}

/**
 * How long a machine that starts waits to hear whether its leases were taken from it. One that reaches nobody goes on then:
 * it may be the only one that is on.
 */
const hearMs = 120_000

/** Makes the leases of a machine that takes part. */
export function createLeases(parts: LeaseParts) {
  const { host, roster, docs, device } = parts
  /** By a clock that nobody sets: one that is put right just after the start is no sign that others were heard. */
  const startedAt = performance.now()
  /** Those that are on their way to another machine: from the moment that is decided nothing is done under them here. */
  const leaving = new Set<string>()
  const isAlone = (): boolean => roster.devices().every((one) => one.device === device || one.revokedAt !== null)

  const isLeaving = (of: string): boolean => leaving.has(of) || (leaving.has('') && !roster.isApart(of))

  const write = async (ctx: RequestContext, of: string, to: Omit<Lease, 'term'>): Promise<void> => {
    leaving.add(of)
    try {
      await host.write('sync.lease', (tx) => {
        const term = (roster.lease(of)?.term ?? 0) + 1
        roster.putLease(tx, ctx, docs, of, { ...to, term })
      })
    } finally {
      leaving.delete(of)
    }
  }

  const leases = {
    /** The machine that has a lease; null where nobody can have it. */
    holder: roster.holder,
    /**
     * Whether what is due at a time, in milliseconds since 1970, is for this machine: it has the lease, or it had it then and
     * has handed it on since.
     */
    isMineAt(of: string, due: number): boolean {
      const handings = [roster.lease(of), roster.isApart(of) ? undefined : roster.lease('')].flatMap((one) => one ?? [])
      const next = handings.toSorted((a, b) => a.after - b.after).find(({ after }) => due <= after)
      return next === undefined ? leases.isMine(of) : next.from === device
    },
    /**
     * Whether this machine may act under a lease now: it has it, and if it has just started, it has heard from others or
     * waited for them.
     */
    isMine: (of: string): boolean => !isLeaving(of) && roster.holder(of) === device,
    /** Whether this machine cannot tell yet: it still waits to hear from the others, or is handing the lease on. */
    isWaiting: (of: string): boolean =>
      isLeaving(of) || (leases.isMine(of) && !isAlone() && !parts.hasHeard() && performance.now() - startedAt < hearMs),
    /**
     * Hands a lease on if this machine has it; one of a machine that may not write into the roster is handed on by the one
     * that has the lease of the workspace.
     * @param to null: whoever has the lease of the workspace
     */
    async handOn(ctx: RequestContext, of: string, to: string | null): Promise<void> {
      const holder = roster.holder(of)
      const isOurs = holder === device || (roster.holder('') === device && holder !== null && !roster.isAdmin(holder))
      if (!isOurs || holder === null || leaving.has(of) || !roster.isAdmin(device)) return
      await write(ctx, of, { device: to, after: host.clock.now(), from: holder })
    },
    /**
     * Takes the lease of the workspace from a machine that is not connected; does nothing while it is.
     * @returns whether this machine has it now
     */
    async takeOver(ctx: RequestContext): Promise<boolean> {
      const holder = roster.holder('')
      if (holder === device) return true
      if (holder === null || parts.isConnected(holder)) return false
      // What was due by the other clock may have been done.
      const ahead = Math.max(0, parts.clockOffset(holder) ?? 0)
      await write(ctx, '', { device, after: host.clock.now() + ahead })
      return true
    },
    /** Hands the lease of the workspace on when an administrator has named another machine. */
    settle(): void {
      const wanted = roster.runner()
      if (wanted === null || wanted === device || !leases.isMine('')) return
      leases
        .handOn(internalContext(host.ids.uuid()), '', wanted)
        .catch((error: unknown) => host.log.error({ err: error }, 'The schedules could not be handed on.'))
    },
  }
  return leases
}
