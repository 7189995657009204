// Starts flows for changes of records: a durable consumer of the outbox (D-205). The runs of all events that are there are
// stored in one write, each once: an event that comes again finds them there.
import type { PlatformEvent } from '#shared/events.ts'
import { ExpressionError, compileOpenExpression } from '#shared/expression/compile-expression.ts'
import { PlatformError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { OutboxConsumer, PluginHost } from '#main/kernel/plugin.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { automationError } from '../errors.ts'
import type { RunRow } from '../store.ts'
import type { Accounts } from './caller.ts'
import { contextOf, userOf } from './caller.ts'
import { startConfig } from './flow.ts'
import type { FlowBook, KnownFlow } from './flow-book.ts'
import type { RunStarter } from './run-starter.ts'
import { callerOf } from './run-starter.ts'

/** What the consumer works with. */
export interface RecordTriggerParts extends Pick<PluginHost, 'write' | 'clock'> {
  readonly book: FlowBook
  readonly starter: RunStarter
  readonly accounts: Accounts
  readonly data: Pick<DataService, 'shown' | 'reach'>
  readonly authorizer: () => Authorizer
  readonly timeZone: () => string
  /** The organization of a record; null for none. */
  readonly organizationOf: (object: string, recordId: string) => string | null
}

/** The words of `events`, by the event that raises them. */
const words: Readonly<Record<string, string>> = {
  'record.created': 'create',
  'record.updated': 'update',
  'record.deleted': 'delete',
  'record.restored': 'undelete',
}

/** Runs whose chain of causes is this long do not begin. @source D-154 */
export const maxDepth = 5

type Values = Readonly<Record<string, unknown>>

/** A change as flows see it. */
interface Subject {
  readonly object: string
  readonly recordId: string
  readonly word: string
  readonly record: Values
  readonly previous: Values | null
  readonly changed: readonly string[]
}

/** A run that is about to be stored; with an error, it failed before it began. */
interface Start {
  readonly known: KnownFlow
  readonly run: RunRow
  readonly error: Values | null
}

/** Runs after which those made so far are stored: others wait for a write no longer than that. */
const maxAtOnce = 100

/** Makes the consumer. */
export function createRecordTrigger(parts: RecordTriggerParts): OutboxConsumer {
  const { book, starter, accounts } = parts

  const listening = (event: PlatformEvent): readonly KnownFlow[] => {
    const word = Object.hasOwn(words, event.type) ? words[event.type] : undefined
    return word === undefined || event.object === undefined ? [] : book.startedBy(event.object, word)
  }

  /** The condition, over what the run would see. @throws ExpressionError */
  const holds = (known: KnownFlow, subject: Subject, event: PlatformEvent, userId: string | null): boolean => {
    const { condition, fields } = startConfig(known.flow)
    const isLimited = subject.word === 'update' && Array.isArray(fields) && fields.length > 0
    if (isLimited && !subject.changed.some((field) => (fields as unknown[]).includes(field))) return false
    if (condition === undefined || condition === null || condition === '') return true
    const scope = {
      record: subject.record,
      previous: subject.previous,
      user: userOf(accounts, userId),
      params: {},
      event: { type: subject.word, operation: subject.word },
      vars: { object: subject.object },
      now: Date.parse(event.timestamp),
      timeZone: parts.timeZone(),
    }
    return compileOpenExpression(condition).evaluate(scope) === true
  }

  /** The run of one flow; null when its condition does not hold. */
  const runFor = (known: KnownFlow, subject: Subject, event: PlatformEvent): Omit<Start, 'known'> | null => {
    const changer = event.actor.type === 'user' ? event.actor.id : (event.onBehalfOf ?? null)
    const userId = changer ?? known.state.savedBy
    const ctx: RequestContext = {
      ...internalContext(event.requestId, 'automation'),
      organizationId: parts.organizationOf(subject.object, subject.recordId),
      causeEventId: event.eventId,
      ...(changer === null || event.key === undefined ? {} : { key: event.key }),
    }
    const failure = (code: string, message: string, reason?: string): Values => ({
      code,
      message,
      ...(reason === undefined ? {} : { reason }),
    })
    let error: Values | null = null
    try {
      if (!holds(known, subject, event, userId)) return null
    } catch (thrown) {
      if (!(thrown instanceof ExpressionError)) throw thrown
      error = failure('expression_error', thrown.message)
    }
    if (event.depth + 1 >= maxDepth) {
      const { code } = automationError('execution_failed')
      error = failure(code, 'Flows that start each other end here.', 'recursion')
    }
    const draft = {
      type: 'record_change' as const,
      object: subject.object,
      recordId: subject.recordId,
      event: subject.word,
      userId,
      depth: event.depth + 1,
      eventId: event.eventId,
      caller: callerOf(ctx, null),
    }
    const inputOf = (record: Values | null, previous: Values | null) => ({
      params: {},
      record,
      previous,
      event: { type: subject.word, operation: subject.word, eventId: event.eventId },
    })
    const run = starter.draft(known, { ...draft, input: inputOf(subject.record, subject.previous) })
    if (known.flow.runAs === 'system') return { run, error }
    // The user sees in the run what it may see elsewhere.
    try {
      const user = contextOf(accounts, run, ctx.signal)
      const isSeen =
        changer !== null ||
        parts.data.reach(user, { object: subject.object, id: subject.recordId, action: 'read' }) !== 'none'
      const shown = (record: Values | null): Values | null =>
        record === null || !isSeen ? null : parts.data.shown(user, subject.object, { ...record })
      const rights = parts.authorizer().fingerprint(user)
      const input = inputOf(shown(subject.record), shown(subject.previous))
      return { run: { ...run, input: JSON.stringify(input), caller: JSON.stringify(callerOf(ctx, rights)) }, error }
    } catch (thrown) {
      if (!(thrown instanceof PlatformError)) throw thrown
      const reason = thrown.details['reason']
      const input = JSON.stringify(inputOf(null, null))
      return {
        run: { ...run, input },
        error: failure(thrown.code, thrown.message, typeof reason === 'string' ? reason : undefined),
      }
    }
  }

  const startsOf = (event: PlatformEvent): Start[] => {
    const subject = subjectOf(event)
    if (subject === undefined) return []
    return listening(event).flatMap((known) => {
      const made = runFor(known, subject, event)
      return made === null ? [] : [{ known, ...made }]
    })
  }

  const begin = async (starts: readonly Start[]): Promise<void> => {
    if (starts.length === 0) return
    await starter.room(starts.length)
    const stored = await parts.write('automation.event', (tx) =>
      starts.filter(({ known, run, error }) => {
        if (error === null) return starter.insert(tx, known, run)
        starter.insertFailed(tx, known, run, error)
        return false
      }),
    )
    for (const { known, run } of stored) await starter.startOwn(known, run)
  }

  return {
    wants: (event) =>
      event.runAutomations !== false &&
      // What came from another machine has started its flows there.
      event.source !== 'sync' &&
      listening(event).length > 0,
    runOf: () => 'flows',
    async handle(first, more) {
      let starts: Start[] = []
      for (const event of [first, ...more]) {
        starts.push(...startsOf(event))
        if (starts.length < maxAtOnce) continue
        await begin(starts)
        starts = []
      }
      await begin(starts)
    },
  }
}

function subjectOf(event: PlatformEvent): Subject | undefined {
  const { record, changes = {} } = event.payload as {
    record: Record<string, unknown>
    changes?: Record<string, { old: unknown; new: unknown }>
  }
  const word = words[event.type]
  if (event.object === undefined || event.recordId === undefined || word === undefined) return undefined
  const old = Object.entries(changes).map(([name, change]) => [name, change.old] as const)
  return {
    object: event.object,
    recordId: event.recordId,
    word,
    record,
    previous: word === 'create' ? null : { ...record, ...Object.fromEntries(old) },
    changed: Object.keys(changes),
  }
}
