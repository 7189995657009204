// What automation hears of: flows that are saved and deleted, records that change and are gone for good.
import { whyNotLent } from '#main/kernel/identity.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { AutomationCore } from './service.ts'
import { nobody } from './service/flow-state-store.ts'
import { blankRun, getRun, runsAbout, runsIn } from './store.ts'

/** Registers the listeners. */
export function subscribe(
  host: Pick<PluginHost, 'on' | 'onCommitted' | 'read' | 'log'>,
  core: Pick<AutomationCore, 'book' | 'states' | 'starter' | 'waits' | 'alarm' | 'schedules' | 'openRuns'>,
): void {
  const { book, states, starter, waits, alarm, schedules } = core

  const cancel = (runId: string, reason: string, otherwise: string): void => {
    starter.cancel(runId, reason).catch((error: unknown) => host.log.error({ err: error, runId }, otherwise))
  }

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

  // The account is its owner's now: what whoever made it had it do, and runs with others' rights, waits for a person (D-35).
  host.on('auth.email_verified', ({ payload }, tx) => {
    const { userId, endedAccess } = payload as { userId: string; endedAccess?: true }
    if (endedAccess !== true) return
    for (const { item, state } of book.all())
      if (state.savedBy === userId) states.put(tx, item.name, { ...state, isEnabled: false })
    tx.whenOnDisk(() => {
      for (const run of runsIn(host.read, ['pending', 'running', 'paused', 'retrying']))
        if (run.userId === userId)
          cancel(run.id, 'Its account became that of the owner of the address.', 'A run of an account goes on.')
    })
  })

  // Else the word of who is gone would count as that of somebody of another machine (D-419).
  host.on('auth.user_deleted', ({ payload }, tx) => {
    const { userId } = payload as { userId: string }
    for (const { item, state } of book.all())
      if (state.savedBy === userId) states.put(tx, item.name, { ...state, savedBy: nobody })
  })

  host.on('metadata.item.deleted', ({ payload }, tx) => {
    const { type, name } = payload as { type: string; name: string }
    const known = type === 'flow' ? book.get(name) : undefined
    if (type !== 'flow') return
    states.drop(tx, name)
    if (known === undefined) return
    tx.whenOnDisk(() => {
      for (const id of core.openRuns(known.item.uid))
        cancel(id, 'The flow was deleted.', 'A run of a deleted flow goes on.')
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
      tx.whenOnDisk(() => cancel(id, 'A record the run held was purged.', 'A run over a purged record goes on.'))
    }
  })
}
