// Starting flows for callers (D-156, D-157): what they send becomes the input of a run, and they wait for its end.
import type { TriggerType } from '#shared/contracts/automation.ts'
import { validationError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { absenceOf } from '#main/kernel/identity.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { StartInput } from '../api.ts'
import { automationError } from '../errors.ts'
import type { RunRow } from '../store.ts'
import { getRun } from '../store.ts'
import { flowProblems } from './check-flow.ts'
import type { CheckParts } from './check-flow.ts'
import type { Accounts } from './caller.ts'
import { contextOf } from './caller.ts'
import type { FlowBook, KnownFlow } from './flow-book.ts'
import type { RunQueue } from './run-queue.ts'
import type { RunRights } from './run-rights.ts'
import type { RunStarter } from './run-starter.ts'
import { callerOf } from './run-starter.ts'

/** How long a caller waits, and what it is called. */
export interface TriggerOptions {
  /** Milliseconds; 0 answers at once. */
  readonly waitMs: number
  readonly type?: TriggerType
}

/** Starts flows for callers. */
export interface Triggering {
  /** @throws flow_disabled, validation_error, permission_denied, resource_not_found, concurrent_execution_limit */
  start(ctx: RequestContext, known: KnownFlow, input: StartInput, options: TriggerOptions): Promise<RunRow>
  /** Starts a flow nobody waits for; what is given besides is written together with the run. */
  startLater(ctx: RequestContext, known: KnownFlow, input: StartInput, also: (tx: Tx) => void): Promise<void>
  /**
   * Starts a flow by its name, else every active flow of an event of the API.
   * @throws flow_not_found
   */
  startNamed(
    ctx: RequestContext,
    trigger: string,
    input: StartInput,
    options: TriggerOptions,
  ): Promise<readonly { readonly name: string; readonly run: RunRow }[]>
}

/** What starting needs. */
export interface TriggerParts {
  readonly read: Reads
  readonly write: Write
  readonly book: FlowBook
  readonly starter: RunStarter
  readonly queue: RunQueue
  readonly accounts: Accounts
  readonly data: Pick<DataService, 'get'>
  readonly authorizer: () => Authorizer
  readonly rights: RunRights
  readonly check: CheckParts
}

/** Milliseconds a caller waits unless it says otherwise. @source D-156 */
export const defaultWaitMs = 30_000

/** Makes the service. */
export function createTriggering(parts: TriggerParts): Triggering {
  const { read, starter, queue, accounts } = parts

  /** Only the person itself starts runs with its rights, or who manages flows. */
  const userOf = (ctx: RequestContext, userId: string | undefined): string | null => {
    if (userId === undefined || userId === ctx.actor.id) return ctx.actor.type === 'user' ? ctx.actor.id : null
    parts.rights.requireLent(ctx, userId)
    if (absenceOf(accounts(), userId, { organizationId: ctx.organizationId }) === undefined) return userId
    throw validationError([
      { field: 'userId', code: 'invalid_reference', message: 'There is no such user.', value: userId },
    ])
  }

  /** @throws flow_disabled, flow_validation_failed */
  const requireStartable = ({ item, flow, status, state }: KnownFlow): void => {
    const isOpen = state.isEnabled && !flow.isTemplate && (status === 'active' || status === 'draft')
    if (!isOpen) throw automationError('flow_disabled', { name: item.name, enabled: state.isEnabled, status })
    if (status !== 'draft') return
    // A draft is tried as it is, but for what cannot be walked; unknown node types fail where they stand.
    const errors = flowProblems(flow, parts.check).filter(({ code }) => code !== 'unknown_node_type')
    if (errors.length > 0) throw automationError('flow_validation_failed', { errors })
  }

  /** The row of a run as the caller asks for it. */
  const draftRun = async (
    ctx: RequestContext,
    known: KnownFlow,
    input: StartInput,
    type: TriggerType,
  ): Promise<RunRow> => {
    requireStartable(known)
    parts.rights.requireStart(ctx, known)
    const userId = userOf(ctx, input.userId)
    const isOther = userId !== null && userId !== ctx.actor.id
    const { object, id: recordId, given } = parts.rights.recordOf(ctx, known, input)
    const rights = userId === null || isOther ? null : parts.authorizer().fingerprint(ctx)
    const caller = {
      ...callerOf(ctx, rights),
      ...(isOther && ctx.key === undefined ? { scope: null, keyId: undefined } : {}),
    }
    const event = input.event ?? 'manual'
    const draft = starter.draft(known, {
      type,
      input: { params: input.params ?? {}, record: given, previous: null, event: { type: event, operation: event } },
      object: object ?? null,
      recordId: recordId ?? null,
      event,
      userId,
      caller,
      depth: ctx.depth + 1,
    })
    if (given !== null || recordId === undefined || object === undefined) return draft
    const reader = isOther ? contextOf(accounts, { ...draft, runAs: 'user' }, ctx.signal) : ctx
    const { record } = await parts.data.get(reader, { object, id: recordId })
    return { ...draft, input: JSON.stringify({ ...(JSON.parse(draft.input) as object), record }) }
  }

  const startRun = async (...asked: Parameters<typeof draftRun>): Promise<string> => {
    const run = await draftRun(...asked)
    await starter.startAsked(asked[1], run)
    return run.id
  }

  /** The run when it has ended, waits, or the time is over. */
  const settled = async (ctx: RequestContext, runId: string, waitMs: number): Promise<RunRow> => {
    if (waitMs > 0) await within(queue.settled(runId), waitMs, ctx.signal)
    return getRun(read, runId)!
  }

  return {
    async start(ctx, known, input, { waitMs, type = 'manual' }) {
      return settled(ctx, await startRun(ctx, known, input, type), waitMs)
    },
    async startLater(ctx, known, input, also) {
      const userId = input.userId ?? known.state.savedBy
      // A key is that of the user behind the event; the saver of the flow is somebody else.
      const { key, ...own } = ctx
      const by = input.userId === undefined || key === undefined ? own : ctx
      const run = await draftRun(by, known, { ...input, ...(userId === null ? {} : { userId }) }, 'manual')
      await starter.room(1)
      await parts.write('automation.start', (tx) => {
        starter.insert(tx, known, run)
        also(tx)
      })
      await starter.startOwn(known, run)
    },
    async startNamed(ctx, trigger, input, { waitMs, type }) {
      const named = parts.book.get(trigger)
      const flows = named === undefined ? parts.book.startedByEvent(trigger) : [named]
      if (flows.length === 0) throw automationError('flow_not_found', { trigger })
      const event = input.event ?? (named === undefined ? trigger : 'manual')
      const kind = type ?? (named === undefined ? 'api' : 'manual')
      const ids: { name: string; id: string }[] = []
      for (const known of flows) {
        ids.push({ name: known.item.name, id: await startRun(ctx, known, { ...input, event }, kind) })
      }
      return Promise.all(ids.map(async ({ name, id }) => ({ name, run: await settled(ctx, id, waitMs) })))
    },
  }
}

async function within(work: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, ms)
  const onAbort = (): void => over.resolve()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
