// Steps of a schedule over real hosts, as data that can be shrunk. Numbers are taken modulo what there is when the step is
// done. Knows what can happen, not how it is done nor what should come of it.
import fc from 'fast-check'
import type { Member } from './machine.ts'
import { profiles } from './rights.ts'
import type { Rights } from './rights.ts'

/** What people do. */
export type WriteStep =
  | { readonly kind: 'create'; readonly m: number; readonly fields: number; readonly code: number }
  | { readonly kind: 'child'; readonly m: number; readonly r: number }
  | { readonly kind: 'edit'; readonly m: number; readonly r: number; readonly fields: number; readonly code: number }
  | { readonly kind: 'editChild'; readonly m: number; readonly r: number }
  | { readonly kind: 'move'; readonly m: number; readonly r: number; readonly to: number }
  | { readonly kind: 'text'; readonly m: number; readonly r: number; readonly at: number; readonly remove: boolean }
  | { readonly kind: 'delete' | 'restore' | 'purge'; readonly m: number; readonly r: number; readonly child: boolean }
  | {
      readonly kind: 'batch' | 'import' | 'group'
      readonly m: number
      readonly r: number
      readonly fields: number
      readonly fails: boolean
    }
  | { readonly kind: 'fail'; readonly m: number; readonly r: number }
  | { readonly kind: 'fill'; readonly m: number; readonly r: number; readonly n: number }
  | TalkStep
  | SchemaStep
  | MemoStep

/** What people say of records. */
export type TalkStep =
  | { readonly kind: 'comment' | 'editComment'; readonly m: number; readonly r: number; readonly what: number }
  | { readonly kind: 'uncomment'; readonly m: number; readonly r: number }
  | {
      readonly kind: 'react' | 'pin'
      readonly m: number
      readonly r: number
      readonly what: number
      readonly on: boolean
    }

/** What people do to definitions. */
export interface SchemaStep {
  readonly kind: 'addField' | 'renameField' | 'labelField' | 'removeField'
  readonly m: number
  readonly r: number
  readonly n: number
}

/** What people do to records whose definition changes, and to the definition. */
export type MemoStep =
  | { readonly kind: 'memo' | 'writeMemo'; readonly m: number; readonly r: number; readonly n: number }
  | { readonly kind: 'trashMemo'; readonly m: number; readonly r: number }
  | {
      readonly kind: 'retype' | 'options' | 'uniqueness' | 'limit' | 'merge' | 'dropField' | 'dropMemos'
      readonly m: number
      readonly n: number
    }

/** What happens to machines and between them. */
export type WorldStep =
  | { readonly kind: 'flow'; readonly m: number; readonly to: number; readonly salt: number }
  | { readonly kind: 'push' | 'pull'; readonly m: number }
  | { readonly kind: 'relay'; readonly what: 'wipe' | 'backup' | 'rollback' }
  | { readonly kind: 'part' | 'copy'; readonly m: number; readonly to: number }
  | { readonly kind: 'heal' }
  | { readonly kind: 'clock'; readonly m: number; readonly ms: number }
  | { readonly kind: 'crash' | 'restart' | 'backup' | 'rollback'; readonly m: number }
  | {
      /** Sync is turned off, people go on, and it is turned on again. */
      readonly kind: 'off'
      readonly m: number
      readonly writes: readonly OffStep[]
    }
  | {
      /** The copy of the last `backup`, sidecar and all, in the place of the folder, and written to before anybody is met. */
      readonly kind: 'putBack'
      readonly m: number
      readonly inOrder: boolean
      readonly writes: number
    }

/** What people do to records while sync is off. */
export type OffStep = Extract<
  WriteStep,
  { readonly kind: 'edit' | 'editChild' | 'text' | 'delete' | 'restore' | 'purge' }
>

/** One step. */
export type HostStep = WriteStep | WorldStep

/** A whole schedule. */
export interface HostSchedule {
  readonly machines: number
  readonly seed: number
  /** Whether clocks may be wrong. */
  readonly skewed: boolean
  /** Whether the first machine has records before sync is turned on. */
  readonly founded: boolean
  /** Whether all have the first records before the first step. */
  readonly together: boolean
  /**
   * Whether definitions travel and change; `field`: there is a field from the beginning that people may change, `memos`:
   * there are records whose definition changes in every way.
   */
  readonly schemas: 'none' | 'own' | 'field' | 'memos'
  /** People of narrower rights, on the last machines. */
  readonly members?: readonly Member[]
  readonly steps: readonly HostStep[]
}

const small = fc.nat({ max: 20 })
const kind = <K extends HostStep['kind']>(...names: K[]) => fc.constantFrom(...names)
const on = { m: small, r: small }
const of = <T extends HostStep>(weight: number, arbitrary: fc.Arbitrary<T>): fc.WeightedArbitrary<T> => ({
  weight,
  arbitrary,
})

/** What is common among the steps of a schedule. */
export interface Bias {
  /** Lost ends of databases. */
  readonly restores: boolean
  /** Edits of what people said. */
  readonly talk?: boolean
  /** Changes of fields, and values of those that people added. */
  readonly definitions?: boolean
  /** Records that people place below each other. */
  readonly moves?: boolean
}

/** Everything people do but {@link MemoStep}s. */
function writeSteps({
  talk = false,
  definitions = false,
  moves = false,
}: Partial<Bias>): fc.WeightedArbitrary<WriteStep>[] {
  const fields = fc.nat({ max: 127 })
  const code = fc.nat({ max: 5 })
  const m = small
  // Rings come of moves among few records.
  const near = moves ? fc.nat({ max: 2 }) : small
  return [
    of(2, fc.record({ kind: kind('create'), m, fields, code })),
    of(2, fc.record({ kind: kind('child'), ...on })),
    of(9, fc.record({ kind: kind('edit'), ...on, fields, code })),
    of(1, fc.record({ kind: kind('editChild'), ...on })),
    of(moves ? 60 : 4, fc.record({ kind: kind('move'), m, r: near, to: near })),
    of(5, fc.record({ kind: kind('text'), ...on, at: fc.nat({ max: 9 }), remove: fc.boolean() })),
    of(2, fc.record({ kind: kind('delete'), ...on, child: fc.boolean() })),
    of(2, fc.record({ kind: kind('restore'), ...on, child: fc.boolean() })),
    of(1, fc.record({ kind: kind('purge'), ...on, child: fc.boolean() })),
    of(2, fc.record({ kind: kind('batch', 'import', 'group'), ...on, fields, fails: fc.boolean() })),
    of(1, fc.record({ kind: kind('fail'), ...on })),
    of(4, fc.record({ kind: kind('comment'), ...on, what: fc.nat({ max: 3 }) })),
    of(talk ? 40 : 6, fc.record({ kind: kind('editComment'), ...on, what: fc.nat({ max: 4 }) })),
    of(1, fc.record({ kind: kind('uncomment'), ...on })),
    of(2, fc.record({ kind: kind('react', 'pin'), ...on, what: fc.nat({ max: 1 }), on: fc.boolean() })),
    of(definitions ? 10 : 2, fc.record({ kind: kind('addField'), ...on, n: small })),
    of(definitions ? 30 : 3, fc.record({ kind: kind('renameField', 'labelField', 'removeField'), ...on, n: small })),
    of(definitions ? 20 : 2, fc.record({ kind: kind('fill'), ...on, n: small })),
  ]
}

function offStep(): fc.Arbitrary<OffStep> {
  return fc.oneof(
    of(4, fc.record({ kind: kind('edit'), ...on, fields: fc.nat({ max: 127 }), code: fc.nat({ max: 5 }) })),
    of(1, fc.record({ kind: kind('editChild'), ...on })),
    of(2, fc.record({ kind: kind('text'), ...on, at: fc.nat({ max: 9 }), remove: fc.boolean() })),
    of(2, fc.record({ kind: kind('delete', 'restore', 'purge'), ...on, child: fc.boolean() })),
  )
}

function step({ restores, ...bias }: Bias): fc.Arbitrary<HostStep> {
  const m = small
  return fc.oneof(
    ...writeSteps(bias),
    of(14, fc.record({ kind: kind('flow'), m, to: small, salt: fc.nat() })),
    of(2, fc.record({ kind: kind('push', 'pull'), m })),
    of(1, fc.record({ kind: kind('relay'), what: fc.constantFrom('wipe', 'backup', 'rollback') })),
    of(1, fc.record({ kind: kind('part'), m, to: small })),
    of(1, fc.record({ kind: kind('heal') })),
    of(
      1,
      fc.record({
        kind: kind('clock'),
        m,
        ms: fc.oneof(fc.integer({ min: -3_600_000, max: 3_600_000 }), fc.constant(10 * 31_536_000_000)),
      }),
    ),
    of(restores ? 3 : 1, fc.record({ kind: kind('crash', 'restart'), m })),
    of(1, fc.record({ kind: kind('off'), m, writes: fc.array(offStep(), { maxLength: 5 }) })),
    of(restores ? 4 : 1, fc.record({ kind: kind('backup'), m })),
    of(restores ? 4 : 1, fc.record({ kind: kind('rollback'), m })),
    of(restores ? 4 : 1, fc.record({ kind: kind('putBack'), m, inOrder: fc.boolean(), writes: fc.nat({ max: 4 }) })),
    of(restores ? 2 : 1, fc.record({ kind: kind('copy'), m, to: small })),
  )
}

/** What people do on three machines at once; each begins with a record and a few words about it. */
export function writesAtOnce(): fc.Arbitrary<readonly WriteStep[]> {
  const write = fc.oneof(...writeSteps({})).filter((one) => one.kind !== 'fail')
  const first = [0, 1, 2].flatMap((m): WriteStep[] => [
    { kind: 'create', m, fields: 35, code: 5 },
    { kind: 'comment', m, r: m, what: m },
    { kind: 'child', m, r: m },
  ])
  return fc.array(write, { minLength: 36, maxLength: 48, size: 'max' }).map((steps) => [...first, ...steps])
}

/** Steps of schedules in which definitions change while people write. */
function memoStep(): fc.Arbitrary<HostStep> {
  const m = small
  const n = fc.nat({ max: 63 })
  return fc.oneof(
    of(4, fc.record({ kind: kind('memo'), ...on, n })),
    of(10, fc.record({ kind: kind('writeMemo'), ...on, n })),
    of(2, fc.record({ kind: kind('trashMemo'), ...on })),
    of(6, fc.record({ kind: kind('retype', 'options', 'uniqueness', 'limit', 'merge', 'dropField'), m, n })),
    of(1, fc.record({ kind: kind('dropMemos'), m, n })),
    of(12, fc.record({ kind: kind('flow'), m, to: small, salt: fc.nat() })),
    of(1, fc.record({ kind: kind('push', 'pull'), m })),
    of(1, fc.record({ kind: kind('crash', 'restart'), m })),
  )
}

/** Schedules of few machines on which definitions change while people write. */
export function memoSchedules(): fc.Arbitrary<HostSchedule> {
  return fc.record({
    machines: fc.constant(3),
    seed: fc.nat(),
    skewed: fc.constant(false),
    founded: fc.constant(false),
    together: fc.constant(true),
    schemas: fc.constant('memos' as const),
    steps: fc.array(memoStep(), { minLength: 6, maxLength: 30, size: 'max' }),
  })
}

/** Arbitrary schedules of three to seven machines. */
export function hostSchedules(bias: Bias = { restores: false }): fc.Arbitrary<HostSchedule> {
  return fc.record({
    machines: fc.oneof(
      { weight: 5, arbitrary: fc.constant(3) },
      { weight: 2, arbitrary: fc.constant(4) },
      { weight: 1, arbitrary: fc.integer({ min: 5, max: 7 }) },
    ),
    seed: fc.nat(),
    skewed: fc.boolean(),
    founded: fc.boolean(),
    together: fc.boolean(),
    schemas: fc.constantFrom('none' as const, 'none' as const, 'none' as const, 'own' as const, 'field' as const),
    steps: fc.array(step(bias), { minLength: 6, maxLength: 40, size: 'max' }),
  })
}

/** Schedules in which one person or two may do less than the others. */
export function memberSchedules(): fc.Arbitrary<HostSchedule> {
  const rights = fc.constantFrom(...(Object.keys(profiles) as Rights[]))
  const member = fc.record({ rights, isKnownAtHome: fc.boolean() })
  const members = fc.array(member, { minLength: 1, maxLength: 2 })
  return fc.tuple(hostSchedules(), members).map(([schedule, some]) => ({ ...schedule, members: some }))
}

/** Schedules for machines whose tables differ: databases are not copied among them, and definitions stay as they are. */
export function hostSchedulesWithoutCopies(): fc.Arbitrary<HostSchedule> {
  return hostSchedules().map((schedule) => ({
    ...schedule,
    schemas: 'none' as const,
    steps: schedule.steps.filter(({ kind: what }) => what !== 'copy'),
  }))
}
