// Remembers how reads are run, in one place with one bound and one end: how requests were planned, how SQLite runs their
// statements, and how long those took. Answers are not here (result-cache.ts): they end with every write, plans do not.
import type { AggregatePlan } from '#main/database/query/build-aggregate.ts'
import type { FindPlan, JsonPage } from '#main/database/query/build-find.ts'
import type { RecordReadPlan } from '#main/database/query/build-record.ts'
import type { CostHints, Explanation } from '#main/database/query/cost.ts'
import { explain } from '#main/database/query/cost.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Statement } from '#main/kernel/database.ts'
import { statementKey } from '#main/kernel/database.ts'
import { createRecentMap } from '#main/kernel/recent-map.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'

/** What is known of a read beside its text. */
export interface ReadHints extends Omit<CostHints, 'rowsOf'> {
  /** True: many matches have to be ranked, whatever the plan says. */
  readonly crowded?: boolean
}

/** A list whose rows come as JSON. */
export interface JsonList {
  readonly statement: FindPlan['statement']
  readonly hints: ReadHints
  readonly finish: (rows: Record<string, unknown>[]) => JsonPage
}

/** The plans of requests by kind. The values of a list are part of it: they decide its index, and which tests are nulls. */
interface RequestPlans {
  get: RecordReadPlan
  list: JsonList
  groups: AggregatePlan
}

/** A request that was seen. */
interface KnownRequest<Plan> {
  /** Undefined while it is not planned; null for one that has no plan of this kind. */
  plan: Plan | null | undefined
  /** Times it was asked for since it was last planned; one that never comes again is not worth a plan of its own. */
  uses: number
}

/** A statement text, whatever its values: the shape of a query with its parameters left out. */
interface KnownStatement {
  /** Null until somebody needs it. */
  explanation: Explanation | null
  runs: number
  totalMs: number
  /** Runs on the main thread that were slow, in a row. */
  slowRuns: number
  /** With enough of those, not run there before this moment. */
  slowUntil: number
}

/** How a read that looks dear by its plan has shown itself with the same values. */
type Trust = 'unknown' | 'quick' | 'untrusted'

/** What the cache has done since the start of the host. */
interface PlanStatistics {
  readonly entries: number
  /** Requests that found a plan, or that they have none; and those that did not. */
  readonly hits: number
  readonly misses: number
  /** Times that everything was forgotten. */
  readonly forgotten: number
  /** Every statement text that ran, with the indexes its plan uses. */
  readonly statements: readonly { sql: string; indexes: readonly string[]; runs: number; meanMs: number }[]
}

/** The memory of one host. */
export interface PlanCache {
  /**
   * What is known of a request; the caller sets `plan` of what it answers.
   * @param rights stands for the caller's rights and whatever else but the query a plan hangs on
   */
  request<Kind extends keyof RequestPlans>(
    kind: Kind,
    schema: ObjectSchema,
    rights: string,
    shape: string,
  ): KnownRequest<RequestPlans[Kind]>
  statement(statement: Statement): KnownStatement
  /** How SQLite runs a statement, asked once per text. */
  explain(statement: Statement, known?: KnownStatement): Explanation
  /** Whether a statement looks dear and was quick with these values all the same: it runs on the main thread then. */
  isQuick(statement: Statement): boolean
  /** Whether a statement of this text took long on the main thread lately. */
  wasSlow(known: KnownStatement): boolean
  /** Notes how long a statement took, in milliseconds. */
  note(statement: Statement, tookMs: number, run: { readonly here: boolean; readonly looksDear: boolean }): void
  /** A number for a value: equal for the same one, never used again for another. */
  numberOf(value: object): number
  statistics(): PlanStatistics
}

/** Requests, statement texts and statements with values, together. */
const maxEntries = 4_000
/** Longer keys are not kept: with the number of entries this bounds the bytes. */
const maxKeyLength = 4_000
/** After so many uses a request is planned anew: the index may be another one by then. */
const maxUses = 200
/** A read this short delays nobody; in the reader process it also waited for the processor. */
const quickMs = 5
/** A read that took this long on the main thread is no longer trusted. */
const untrustedMs = 15
/** A statement that takes longer than this on the main thread, so many times in a row, goes elsewhere. */
const slowMs = 40
/** A long run may be the machine's fault; asking for the processor's time would cost as much as a short read. */
const slowRuns = 3
const slowForMs = 60_000
/** Words whose meaning changes from one moment to the next (D-85). */
const moment = /\$(?:today|now|startOf|during)|\{(?:today|now)/

type Entry = KnownRequest<unknown> | KnownStatement | { trust: Trust }

/**
 * Makes the cache of one host.
 * @param epoch rises with every change of metadata, tables or statistics: nothing is remembered over it. Rights need no
 * such end, they are part of each key
 * @param onForget runs when everything is forgotten
 */
export function createPlanCache(parts: {
  readonly read: Pick<Reads, 'all'>
  readonly clock: Clock
  readonly epoch: () => number
  readonly onForget: () => void
}): PlanCache {
  const { read, clock, epoch } = parts
  const entries = createRecentMap<Entry>(maxEntries)
  const numbers = new WeakMap<object, number>()
  let lastNumber = 0
  let keptAt = epoch()
  let hits = 0
  let misses = 0
  let forgotten = 0

  const entryOf = (key: string, make: () => Entry): Entry => {
    if (epoch() !== keptAt) {
      keptAt = epoch()
      forgotten += 1
      entries.clear()
      parts.onForget()
    }
    let entry = entries.get(key)
    if (entry === undefined) {
      entry = make()
      if (key.length <= maxKeyLength) entries.set(key, entry)
    }
    return entry
  }
  const numberOf = (value: object): number => {
    let number = numbers.get(value)
    if (number === undefined) numbers.set(value, (number = lastNumber += 1))
    return number
  }
  const statementOf = ({ sql }: Statement): KnownStatement =>
    entryOf(sql, () => ({ explanation: null, runs: 0, totalMs: 0, slowRuns: 0, slowUntil: 0 })) as KnownStatement
  const trustOf = (statement: Statement): { trust: Trust } =>
    entryOf(statementKey(statement), () => ({ trust: 'unknown' })) as { trust: Trust }

  return {
    numberOf,
    statement: statementOf,
    explain: (statement, known = statementOf(statement)) => (known.explanation ??= explain(read, statement)),
    isQuick: (statement) => trustOf(statement).trust === 'quick',
    wasSlow: (known) => known.slowRuns >= slowRuns && clock.now() < known.slowUntil,
    request<Kind extends keyof RequestPlans>(kind: Kind, schema: ObjectSchema, rights: string, shape: string) {
      const key = `${kind} ${numberOf(schema)} ${rights}\n${shape}`
      const canLast = (): boolean => key.length <= maxKeyLength && !moment.test(shape)
      const found = entryOf(key, () => ({ plan: canLast() ? undefined : null, uses: 0 }))
      const request = found as KnownRequest<RequestPlans[Kind]>
      request.uses += 1
      if (request.uses > maxUses && canLast()) {
        request.plan = undefined
        request.uses = 2
      }
      if (request.plan === undefined) misses += 1
      else hits += 1
      return request
    },
    note(statement, tookMs, { here, looksDear }) {
      const known = statementOf(statement)
      known.runs += 1
      known.totalMs += tookMs
      if (here && tookMs < slowMs) known.slowRuns = 0
      else if (here) {
        known.slowRuns += 1
        known.slowUntil = clock.now() + slowForMs
      }
      if (!looksDear) return
      const shown = trustOf(statement)
      if (tookMs >= untrustedMs && shown.trust === 'quick') shown.trust = 'untrusted'
      else if (tookMs < quickMs && shown.trust === 'unknown') shown.trust = 'quick'
    },
    statistics() {
      const statements: PlanStatistics['statements'][number][] = []
      for (const [sql, entry] of entries.entries()) {
        if (!('runs' in entry) || entry.runs === 0) continue
        const indexes = (entry.explanation?.steps ?? []).flatMap(({ index }) => index ?? [])
        statements.push({ sql, indexes, runs: entry.runs, meanMs: entry.totalMs / entry.runs })
      }
      return { entries: entries.size(), hits, misses, forgotten, statements }
    },
  }
}
