// Plans schema changes with their counts. A large table is counted in the background, slice by slice, and the answer is
// kept until the definition or the rows have moved on.
import { userDirectory } from '#shared/user-directory.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FieldError } from '#shared/errors.ts'
import { platformError } from '#shared/errors.ts'
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import { PendingWork } from '#main/kernel/pending-work.ts'
import { countings, countPlan, finishPlan, showPlan } from '#main/database/schema/schema-plan.ts'
import type { PlannedChange, SchemaPlan } from '#main/database/schema/schema-plan.ts'
import { readDuplicates } from '#main/database/schema/unique.ts'
import type { SharedTuples } from '#main/database/query/shared-tuples.ts'
import { sharedTuples } from '#main/database/query/shared-tuples.ts'
import type { MetadataItem, SchemaChangeStep } from '#main/plugins/metadata/api.ts'
import { aboutRows } from '../../store.ts'
import type { Candidate, SchemaChangeParts } from './change-parts.ts'
import { conversionEnv, planOf, usualLimits } from './change-parts.ts'

/** Plans schema changes. */
export interface SchemaPlanning {
  /**
   * The steps of a change.
   * @param mayWait true where the caller can wait: a large table is then counted in the background
   * @throws conflict with the values several records share; PendingWork
   */
  plan(
    previous: MetadataItem | null,
    next: Candidate,
    reads: Pick<Reads, 'all' | 'get'>,
    mayWait: boolean,
  ): SchemaChangeStep[]
  /** The steps last worked out in the background for this change; undefined when there are none. */
  shown(previous: MetadataItem | null, next: Candidate): SchemaChangeStep[] | undefined
  /** Counts anew, in slices. @throws conflict with the values several records share */
  planInSlices(plan: SchemaPlan, signal?: AbortSignal): Promise<SchemaChangeStep[]>
}

/** Work between two breaths of the event loop, in milliseconds. */
const sliceMs = 6
const sliceRows = 200
/** A counted plan is taken for as long as this; inside the write it is looked at again. */
const freshMs = 30_000
const queryTimeoutMs = 120_000

/** Makes the planner. */
export function createSchemaPlanning(parts: SchemaChangeParts): SchemaPlanning {
  const limits = parts.limits ?? usualLimits
  const known = new Map<string, { at: number; steps?: SchemaChangeStep[]; failure?: unknown; settled: Promise<void> }>()

  const tuplesOf = ({ before, after }: SchemaPlan, { field, to, where = null }: PlannedChange): SharedTuples | null => {
    if (before === null || after === null) return null
    const fields = field === undefined ? (to as string[]) : [field]
    return sharedTuples({ before, after, fields, where }, queryEnv(parts))
  }

  /** A plan knows no queries: what a filter leaves of an index, or organizations keep apart, is counted here. */
  const askFilters = (plan: SchemaPlan): void => {
    const hasOrganizations = parts.recordOrganization() !== undefined
    for (const change of plan.changes) {
      const isAsked = hasOrganizations || (change.where !== undefined && change.where !== null)
      if (change.change === 'add_unique' && isAsked) change.count = tuplesOf(plan, change)?.count ?? null
    }
  }

  /** Definitions are those of all organizations: their refusals show values of none. */
  const shownOf = <Shown>(duplicates: readonly Shown[]): readonly Shown[] =>
    parts.recordOrganization() === undefined ? duplicates : []

  const planInSlices = async (plan: SchemaPlan, signal?: AbortSignal): Promise<SchemaChangeStep[]> => {
    const env = conversionEnv(parts, plan, parts.read)
    const isLarge = plan.before !== null && aboutRows(parts.read, plan.before.table) > limits.asideFrom
    const ask = async <Row>(question: { sql: string; parameters: readonly unknown[] }): Promise<Row[]> =>
      isLarge
        ? parts.heavy.query<Row>(question, { timeoutMs: queryTimeoutMs, ...(signal === undefined ? {} : { signal }) })
        : parts.read.all<Row>(question)
    askFilters(plan)
    for (const step of countings(plan, env)) {
      if (step.statement !== undefined) {
        step.take((await ask<{ records: number }>(step.statement))[0]?.records ?? 0)
        continue
      }
      for (let row: number | null = 0; row !== null;) {
        const until = performance.now() + sliceMs
        while (row !== null && performance.now() < until) row = step.slice(parts.read, row, sliceRows)
        signal?.throwIfAborted()
        await nextTurn()
      }
    }
    finishPlan(plan)
    refuseRepeated(plan, shownOf)
    const clash = clashOf(plan)
    if (clash !== undefined) {
      const shared = tuplesOf(plan, clash)
      throw duplicatesError(
        clash,
        shared,
        shared === null ? [] : shownOf(await ask<Record<string, SqlValue>>(shared.list)),
      )
    }
    return showPlan(plan)
  }

  const begin = (key: string, plan: SchemaPlan): Promise<void> => {
    for (const [other, { at }] of known) if (parts.clock.now() - at > freshMs) known.delete(other)
    const settled = planInSlices(plan).then(
      (steps) => void known.set(key, { at: parts.clock.now(), steps, settled }),
      (failure: unknown) => void known.set(key, { at: parts.clock.now(), failure, settled }),
    )
    known.set(key, { at: parts.clock.now(), settled })
    return settled
  }

  return {
    planInSlices,
    shown: (previous, next) => (previous === null ? undefined : known.get(keyOf(previous, next))?.steps),
    plan(previous, next, reads, mayWait) {
      const plan = planOf(previous, next)
      const { before } = plan
      const isLong =
        mayWait &&
        before !== null &&
        !before.abstract &&
        plan.changes.some(
          (change) => change.count !== null || change.work !== undefined || change.judge !== undefined,
        ) &&
        aboutRows(parts.read, before.table) > limits.slicedFrom
      if (isLong) {
        const key = keyOf(previous!, next)
        const found = known.get(key)
        if (found?.failure !== undefined) {
          known.delete(key)
          throw found.failure
        }
        if (found?.steps !== undefined && parts.clock.now() - found.at < freshMs) return found.steps
        throw new PendingWork(found === undefined || found.steps !== undefined ? begin(key, plan) : found.settled)
      }
      askFilters(plan)
      countPlan(plan, reads, conversionEnv(parts, plan, reads))
      refuseRepeated(plan, shownOf)
      const clash = clashOf(plan)
      if (clash !== undefined) {
        const shared = tuplesOf(plan, clash)
        throw duplicatesError(clash, shared, shared === null ? [] : shownOf(reads.all(shared.list)))
      }
      return showPlan(plan)
    },
  }
}

function keyOf(previous: MetadataItem, next: Candidate): string {
  return canonicalHash([previous.uid, previous.version, next?.name ?? null, withoutUids(next)])
}

/** A field that is to be unique and is not. */
function clashOf({ changes, isClaim }: SchemaPlan): PlannedChange | undefined {
  return isClaim === true ? undefined : changes.find(({ change, records }) => change === 'add_unique' && records > 0)
}

/** @throws conflict when different values become one that has to be unique */
function refuseRepeated(
  { changes, isClaim }: SchemaPlan,
  shownOf: <Shown>(all: readonly Shown[]) => readonly Shown[],
): void {
  if (isClaim === true) return
  for (const { field, repeated } of changes) {
    if (field === undefined || repeated === undefined || repeated.length === 0) continue
    const duplicates = repeated.map(({ value, count }) => ({ values: { [field]: value }, count }))
    throw platformError('conflict', {
      duplicates: shownOf(duplicates),
      fieldErrors: [notUnique(`fields.${field}.type`)],
    })
  }
}

function notUnique(field: string): FieldError {
  return { field, code: 'not_unique', message: 'Records share values that would have to be unique.' }
}

/** The refusal of D-100, with up to 20 values that several records share. */
function duplicatesError(
  clash: PlannedChange,
  shared: SharedTuples | null,
  rows: readonly Record<string, SqlValue>[],
): Error {
  return platformError('conflict', {
    duplicates: readDuplicates(shared?.fields ?? [], rows),
    fieldErrors: [notUnique(clash.field === undefined ? 'indexes' : `fields.${clash.field}.unique`)],
  })
}

/** The world filters of indexes are asked in: the engine's, without rights. */
function queryEnv({ metadata, settings, clock, recordOrganization }: SchemaChangeParts): QueryEnv {
  const organizationOf = recordOrganization()
  return {
    ...(organizationOf === undefined ? {} : { recordOrganization: organizationOf }),
    timeZone: settings.get('timezone'),
    defaultCurrency: settings.get('currency'),
    now: clock.now(),
    userId: localOwnerId,
    users: userDirectory,
    schemaOf: metadata.objectSchema,
  }
}

/** The definition without ids: those of new fields are made anew each time the plan is asked for. */
function withoutUids(next: Candidate): unknown {
  if (next === null) return null
  const { fields, ...rest } = next.item
  const bare = Object.entries((fields ?? {}) as Record<string, Record<string, unknown>>).map(([name, field]) => {
    const { uid: _uid, ...others } = field
    return [name, others]
  })
  return { ...rest, uid: next.uid, fields: bare }
}
