// What automation hears of: flows that are saved and deleted, records that change and are gone for good.
import { whyNotLent } from '#main/kernel/identity.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { AutomationCore } from './service.ts'
import { blankRun, getRun, runsAbout } from './store.ts'

/** Registers the listeners. */
export function subscribe(
  host: Pick<PluginHost, 'on' | 'onCommitted' | 'read' | 'log'>,
  core: Pick<AutomationCore, 'book' | 'states' | 'starter' | 'waits' | 'alarm' | 'schedules' | 'openRuns'>,
): void {
  const { book, states, starter, waits, alarm, schedules } = core

  // Whoever lays something over a flow says what it does, like whoever saves it.
  for (const type of ['metadata.item.saved', 'metadata.item.overlay_changed'] as const) {
    host.on(type, ({ payload, actor }, tx, ctx) => {
      const { type: of, name } = payload as { type: string; name: string }
      if (of !== 'flow') return
      // What nobody starts runs with the rights of the saver: whole ones, or none.
      const savedBy = actor.type === 'user' && whyNotLent(ctx) === null ? actor.id : null
      states.put(tx, name, { ...states.of(name), savedBy, savedOrganization: ctx.organizationId })
    })
  }

  host.on('metadata.item.deleted', ({ payload }, tx) => {
    const { type, name } = payload as { type: string; name: string }
    const known = type === 'flow' ? book.get(name) : undefined
    if (type !== 'flow') return
    states.drop(tx, name)
    if (known === undefined) return
    tx.whenOnDisk(() => {
      for (const id of core.openRuns(known.item.uid)) {
        starter
          .cancel(id, 'The flow was deleted.')
          .catch((error: unknown) => host.log.error({ err: error, runId: id }, 'A run of a deleted flow goes on.'))
      }
    })
  })

  const look = (): void => {
    schedules
      .refresh(false)
      .then(schedules.settlePlaces)
      .then(alarm.set)
      .catch((error: unknown) => host.log.error({ err: error }, 'Schedules were not brought in line with their flows.'))
  }
  for (const type of ['saved', 'deleted', 'state_changed', 'overlay_changed']) {
    host.onCommitted(`metadata.item.${type}`, ({ payload }) => {
      if ((payload as { type: string }).type === 'flow') look()
    })
  }

  for (const type of ['created', 'updated', 'deleted', 'restored']) host.onCommitted(`record.${type}`, waits.heard)

  // Nothing that a purged record held stays in what is kept of runs (D-59); those that go on have lost what they need.
  host.on('record.purged', ({ recordId }, tx) => {
    if (recordId === undefined) return
    for (const { id, status } of runsAbout(tx, recordId)) {
      blankRun(tx, id)
      const isOver = status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'timed_out'
      if (isOver || getRun(tx, id) === undefined) continue
      tx.whenOnDisk(() => {
        starter
          .cancel(id, 'A record the run held was purged.')
          .catch((error: unknown) => host.log.error({ err: error, runId: id }, 'A run over a purged record goes on.'))
      })
    }
  })
}
