// What the plugin hears of, in the transaction it happens in: changes of states, records that leave, runs that end.
import { internalContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { Approvals } from './service/approvals.ts'
import { forgetChanges } from './service/change-store.ts'
import type { History } from './service/history.ts'
import { approvalsOfRun, forgetApprovals } from './store.ts'

/** The ends of runs that no longer wait for anybody. */
const runEnds = ['flow.run.cancelled', 'flow.run.failed', 'flow.run.timed_out'] as const

/** Registers the listeners. */
export function subscribe(
  host: Pick<PluginHost, 'on'>,
  {
    metadata,
    history,
    approvals,
  }: {
    readonly metadata: Pick<MetadataService, 'objectSchema'>
    readonly history: History
    readonly approvals: Approvals
  },
): void {
  host.on('record.updated', history.heard)
  host.on('record.restored', history.heard)
  host.on('record.deleted', ({ object = '', recordId = '' }, tx, ctx) => {
    const schema = metadata.objectSchema(object)
    if (schema === undefined) return
    // Another machine takes back what it knows of; what was asked for here it may not know yet.
    const isRemote = ctx.source === 'sync'
    const by = isRemote ? internalContext(ctx.requestId, 'automation') : ctx
    approvals.leave(tx, by, { object: schema.uid, recordId, ownOnly: isRemote })
  })
  // What is removed for good is quoted nowhere (safety D4).
  host.on('record.purged', ({ object = '', recordId = '' }, tx) => {
    const schema = metadata.objectSchema(object)
    if (schema === undefined) return
    forgetChanges(tx, schema.uid, recordId)
    forgetApprovals(tx, schema.uid, recordId)
  })
  host.on('schema.backup_expired', ({ payload }, tx) => {
    const { kind, objectUid } = payload as { readonly kind: string; readonly objectUid: string | null }
    if (kind !== 'object' || objectUid === null) return
    forgetChanges(tx, objectUid)
    forgetApprovals(tx, objectUid)
  })
  for (const end of runEnds) {
    host.on(end, ({ payload }, tx, ctx) => {
      const { runId = '' } = payload as { readonly runId?: string }
      for (const row of approvalsOfRun(tx, runId)) {
        approvals.act(tx, ctx, row, { userId: ctx.actor.id, decision: 'recall' }, 'recalled')
      }
    })
  }
}
