// Runs triggers for committed record events (D-98): a durable consumer, so that the trigger of an acknowledged write
// survives the end of the process. An action that wrote a record is marked in the transaction of that record and runs
// once; scripts run at least once. Each run acts as the system, names the event that caused it, and is remembered.
import { PlatformError } from '#shared/errors.ts'
import type { PlatformEvent } from '#shared/events.ts'
import type { ExpressionScope } from '#shared/expression/compile-expression.ts'
import { ExpressionError } from '#shared/expression/compile-expression.ts'
import { createTextFiller, fillTemplates } from '#shared/expression/templates.ts'
import { fillFilter } from '#shared/filter/filter-templates.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { EventListener, OutboxConsumer, PluginHost } from '#main/kernel/plugin.ts'
import type { RunTriggerAction, TriggerSubject } from './trigger-actions.ts'
import type { Trigger, TriggerList } from './trigger-list.ts'
import { triggerEvents } from './trigger-list.ts'
import type { TriggerRun } from './trigger-store.ts'
import { addRun, dropOldRuns, forgetReasons, hasRun } from './trigger-store.ts'

/** What running triggers needs. */
export interface TriggerRunnerParts extends Pick<PluginHost, 'read' | 'write' | 'clock' | 'log'> {
  readonly triggers: TriggerList
  readonly run: RunTriggerAction
  readonly timeZone: () => string
  /** Whether there is the record, in the trash too. */
  readonly exists: (tx: Tx, object: string, recordId: string) => boolean
  /** The organization of a record; null for none. */
  readonly organizationOf: (object: string, recordId: string) => string | null
}

/** The runner as the plugin registers it. */
export interface TriggerRunner {
  readonly consumer: OutboxConsumer
  /** Listens inside transactions: marks an action as done together with the record it writes. */
  readonly mark: EventListener
  /** Listens inside transactions: nothing that a purged record held stays in what is remembered of its runs. */
  readonly forget: EventListener
  /** Drops runs nobody needs any more. */
  tidy(): Promise<void>
}

/** Runs are kept this long, and this many of them. */
const keptMs = 30 * 86_400_000
const keptRuns = 10_000

const never = new AbortController().signal

/** Tries of an action that a service is away for, or that takes too long: the events behind it wait nine minutes for them. */
const maxTries = 10

/** Makes the runner. */
export function createTriggerRunner(parts: TriggerRunnerParts): TriggerRunner {
  const { clock, log } = parts
  /** Tries that may have failed in passing, of the event under way: of each action, named by its trigger and place. */
  let tries = { eventId: -1, counts: new Map<string, number>() }
  /** Actions that took too long at every try for an event, and at each since: others would wait nine minutes for each. */
  const spent = new Set<string>()
  const running = new WeakMap<RequestContext, TriggerRun>()

  const runTrigger = async (event: PlatformEvent, trigger: Trigger, subject: TriggerSubject): Promise<void> => {
    const scope: ExpressionScope = {
      record: subject.record,
      previous: subject.previous,
      user: { id: event.actor.id, name: event.actor.name ?? null },
      event: { operation: subject.event },
      now: Date.parse(event.timestamp),
      timeZone: parts.timeZone(),
    }
    const keyOf = (action: number): string => `${trigger.name} ${action}`
    const pending = (action: number): TriggerRun => ({
      eventId: event.eventId,
      trigger: trigger.name,
      action,
      actionType: trigger.actions[action]?.type ?? '',
      status: 'done',
      error: null,
      object: subject.object,
      recordId: subject.recordId,
      caller: `${event.actor.type}:${event.actor.id}`,
      at: clock.iso(),
    })
    const fail = async (action: number, error: unknown, skipped: readonly number[] = []): Promise<void> => {
      if (isPassing(error)) {
        if (tries.eventId !== event.eventId) tries = { eventId: event.eventId, counts: new Map() }
        const key = keyOf(action)
        const count = (tries.counts.get(key) ?? 0) + 1
        const isSlow = error.code === 'timeout'
        tries.counts.set(key, count % maxTries)
        if (count < maxTries && !(isSlow && spent.has(key))) throw error
        if (isSlow) spent.add(key)
      }
      const reason = reasonOf(error)
      // The log keeps what is purged, so it gets no reason that may quote a record.
      const code = reason.split(':', 1)[0]
      log.warn({ trigger: trigger.name, action, eventId: event.eventId, code }, 'An action of a trigger failed.')
      await parts.write('data.trigger', (tx) => {
        addRun(tx, { ...pending(action), status: 'failed', error: reason })
        // Together with it: after an end in between the rest would be taken for what is still to do.
        for (const at of skipped) addRun(tx, { ...pending(at), status: 'skipped' })
        if (!parts.exists(tx, subject.object, subject.recordId)) forgetReasons(tx, subject.recordId)
      })
    }
    try {
      if (!holds(trigger, scope)) return
    } catch (error) {
      await fail(0, error)
      return
    }
    for (const [at, action] of trigger.actions.entries()) {
      if (hasRun(parts.read, event.eventId, trigger.name, at)) continue
      const ctx = contextOf(event, parts.organizationOf(subject.object, subject.recordId))
      running.set(ctx, pending(at))
      try {
        // What a record holds is never read as a program, and chooses none: a script is given it as its input.
        const isProgram = (name: string): boolean =>
          action.type === 'script' && (name === 'source' || name === 'function')
        const fillMember = (name: string, value: unknown): unknown =>
          action.type === 'update_record' && name === 'filter'
            ? fillFilter(value, createTextFiller(scope), name)
            : fillTemplates(value, scope)
        const filled = Object.entries(action.config).map(([name, value]): [string, unknown] => [
          name,
          isProgram(name) ? value : fillMember(name, value),
        ])
        const config = Object.fromEntries(filled)
        await parts.run(ctx, action.type, config, subject, (tx) => addRun(tx, pending(at)))
        spent.delete(keyOf(at))
        if (!hasRun(parts.read, event.eventId, trigger.name, at))
          await parts.write('data.trigger', (tx) => addRun(tx, pending(at)))
      } catch (error) {
        await fail(at, error, [...trigger.actions.keys()].slice(at + 1))
        return
      }
    }
  }

  return {
    consumer: {
      wants: (event) =>
        event.runAutomations !== false &&
        // What came from another machine has started its triggers there.
        event.source !== 'sync' &&
        event.object !== undefined &&
        parts.triggers(event.object, event.type).length > 0,
      async handle(event) {
        const subject = subjectOf(event)
        if (subject === undefined) return
        for (const trigger of parts.triggers(subject.object, event.type)) await runTrigger(event, trigger, subject)
      },
    },
    mark(_event, tx, ctx) {
      const run = running.get(ctx)
      if (run !== undefined) addRun(tx, run)
    },
    forget({ recordId }, tx) {
      if (recordId !== undefined) forgetReasons(tx, recordId)
    },
    async tidy() {
      const before = new Date(clock.now() - keptMs).toISOString()
      await parts.write('data.trigger', (tx) => dropOldRuns(tx, before, keptRuns))
    },
  }
}

/** As the system in the organization of the record, one step further down the chain; the caller is the actor of the event named as the cause. */
function contextOf(event: PlatformEvent, organizationId: string | null): RequestContext {
  return {
    actor: { type: 'system', id: 'system' },
    credential: 'internal',
    organizationId,
    isWalled: true,
    permissionEpoch: 0,
    locale: 'en',
    requestId: event.requestId,
    source: 'automation',
    signal: never,
    causeEventId: event.eventId,
    depth: event.depth + 1,
    ...(event.key === undefined ? {} : { key: event.key }),
    deprecations: [],
  }
}

function subjectOf(event: PlatformEvent): TriggerSubject | undefined {
  const { record, changes } = event.payload as {
    record: Record<string, unknown>
    changes?: Record<string, { old: unknown; new: unknown }>
  }
  if (event.object === undefined || event.recordId === undefined) return undefined
  const old = Object.entries(changes ?? {}).map(([name, change]) => [name, change.old] as const)
  const word = triggerEvents[event.type]!
  const previous = word === 'create' ? null : { ...record, ...Object.fromEntries(old) }
  const userId = event.actor.type === 'user' ? event.actor.id : (event.onBehalfOf ?? null)
  return { object: event.object, recordId: event.recordId, event: word, record, previous, userId }
}

function holds({ condition }: Trigger, scope: ExpressionScope): boolean {
  if (condition === null) return true
  if (typeof condition === 'string') throw new ExpressionError('syntax', condition)
  return condition.evaluate(scope) === true
}

/** Whether trying again later may help: the outbox does so. */
function isPassing(error: unknown): error is PlatformError {
  return error instanceof PlatformError && (error.code === 'service_unavailable' || error.code === 'timeout')
}

function reasonOf(error: unknown): string {
  if (error instanceof PlatformError) {
    const fields = error.details['fieldErrors'] as { field: string; message: string }[] | undefined
    const first = fields?.[0]
    return `${error.code}: ${first === undefined ? error.message : `${first.field === '' ? '' : `${first.field}: `}${first.message}`}`
  }
  if (error instanceof ExpressionError) return `expression_error: ${error.message}`
  // What is unforeseen goes to the log with its cause, not into answers.
  return 'internal_error'
}
