// The model is worth what it catches: each mistake of the design's list, put into the program in place of the right way,
// has to be found by schedules over real hosts within a minute.
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Reads } from '#main/kernel/database.ts'
import type { Head, SealedEnvelope } from '#main/replication/core/types.ts'
import type { MachineRules, ModelMachine } from '../support/sync-model/host-machine.ts'
import type { HostSchedule } from '../support/sync-model/host-steps.ts'

type Steps = typeof import('../support/sync-model/host-steps.ts')

const LIMIT_MS = 60_000

/** A mistake: what it replaces, or what it changes in how machines are run. */
interface Mutant {
  replace?(): void
  /** Found only where one machine has a field the others do not know. */
  readonly newer?: true
  /** Where it is found soon; among records whose definitions stay, and many restored databases, unless it says so. */
  schedules?(steps: Steps): fc.Arbitrary<HostSchedule>
  readonly rules?: (right: MachineRules['judge']) => MachineRules
}

const core = '#main/replication/core'
const sync = '#main/plugins/sync'

/** What left a machine whose transaction was not yet committed. */
const leaks: ((envelopes: readonly SealedEnvelope[], head: Head) => void)[] = []

function lastInArrayWins(isMeant: (key: string) => boolean): void {
  swap<typeof import('#main/replication/core/register.ts')>(`${core}/register.ts`, (right) => {
    const registerOf = (entries: Iterable<unknown>): ReturnType<typeof right.registerOf> => {
      const byKey = right.registerOf(entries)
      const last = new Map([...entries].map((entry) => [(entry as [string])[0], entry as never]))
      return new Map(
        [...byKey].map(([key, { winner, losers }]) => {
          const all = [winner, ...losers]
          const [shown = winner] = all.filter((one) => isMeant(key) && isSame(one, last.get(key)))
          return [key, { winner: shown, losers: all.filter((one) => one !== shown) }]
        }),
      )
    }
    return {
      registerOf,
      readRegister: (doc: Parameters<typeof right.readRegister>[0]) => registerOf(right.liveEntries(doc)),
    }
  })
}

const mutants: Readonly<Record<string, Mutant>> = {
  'array order instead of stamps': { replace: () => lastInArrayWins(() => true) },
  'no receive rule': {
    replace: () =>
      swap<typeof import('#main/replication/core/hlc.ts')>(`${core}/hlc.ts`, (right) => ({
        createHlcClock: (options: Parameters<typeof right.createHlcClock>[0]) => {
          const clock = right.createHlcClock(options)
          return { ...clock, tick: () => clock.tick(), observe: () => 0 }
        },
      })),
  },
  'same incarnation after a restore': {
    rules: (right) => ({
      judge: (facts) => {
        const { database, device } = facts
        return database?.device === device ? { keep: true, inc: database.inc } : right(facts)
      },
    }),
  },
  'sent before it is committed': {
    replace: () =>
      swap<typeof import('#main/plugins/sync/write/own-log.ts')>(`${sync}/write/own-log.ts`, async (right) => {
        const { readEnvelopes, readIncarnation } = await import('#main/plugins/sync/store/log-store.ts')
        const { signHead } = await import('#main/replication/wire/chain.ts')
        return {
          createOwnLog: (parts: Parameters<typeof right.createOwnLog>[0]): ReturnType<typeof right.createOwnLog> => {
            const append = right.createOwnLog(parts)
            return (tx, drafts) => {
              const before = readIncarnation(tx, parts.inc)?.storedSeq ?? 0
              append(tx, drafts)
              const row = readIncarnation(tx, parts.inc)
              if (row === undefined || row.storedSeq === before) return
              const envelopes = readEnvelopes(tx, parts.inc, before + 1, 1000)
              const head = signHead(parts.signer, parts.workspace, parts.inc, { seq: row.storedSeq, hash: row.chain })
              for (const leak of leaks) leak(envelopes, head)
            }
          },
        }
      }),
  },
  'cursor advanced before it is applied': {
    replace: () =>
      swap<typeof import('#main/plugins/sync/store/log-store.ts')>(`${sync}/store/log-store.ts`, (right) => ({
        putIncarnation: (...[tx, row]: Parameters<typeof right.putIncarnation>) => {
          right.putIncarnation(tx, row)
          right.putApplied(tx, row.inc, row.storedSeq)
        },
      })),
  },
  'text written anew': {
    replace: () =>
      swap<typeof import('#main/replication/core/text-doc.ts')>(`${core}/text-doc.ts`, (right) => ({
        applyTextDiff: (...[doc, next]: Parameters<typeof right.applyTextDiff>) => {
          const text = doc.getText(right.TEXT_ROOT)
          text.delete(0, text.length)
          text.insert(0, next)
          return true
        },
      })),
  },
  'gap in the numbers after a rollback': {
    replace: () =>
      swap<typeof import('#main/plugins/sync/write/own-log.ts')>(`${sync}/write/own-log.ts`, async (right) => {
        const { putIncarnation, readIncarnation } = await import('#main/plugins/sync/store/log-store.ts')
        return {
          createOwnLog: (parts: Parameters<typeof right.createOwnLog>[0]): ReturnType<typeof right.createOwnLog> => {
            const append = right.createOwnLog(parts)
            let counted = 0
            return (tx, drafts) => {
              const row = readIncarnation(tx, parts.inc)
              // The counter lives in memory and is not taken back.
              if (row !== undefined && counted > row.storedSeq) putIncarnation(tx, { ...row, storedSeq: counted })
              append(tx, drafts)
              counted = readIncarnation(tx, parts.inc)?.storedSeq ?? 0
            }
          },
        }
      }),
  },
  'what waits is never tried again': {
    replace: () => swap(`${sync}/store/problem-store.ts`, () => ({ readParked: (_read: Pick<Reads, 'all'>) => [] })),
  },
  'changes of others are recorded as own': {
    replace: () =>
      swap<typeof import('#main/plugins/sync/write/doc-writer.ts')>(`${sync}/write/doc-writer.ts`, (right) => ({
        createDocWriter: (parts: Parameters<typeof right.createDocWriter>[0]) => ({
          ...right.createDocWriter(parts),
          isRecording: () => true,
        }),
      })),
  },
  'unknown fields are refused': {
    newer: true,
    schedules: (steps) => steps.hostSchedulesWithoutCopies(),
    replace: () =>
      swap<typeof import('#main/replication/core/merge-values.ts')>(`${core}/merge-values.ts`, async (right) => {
        const { DocError } = await import('#main/replication/core/doc-error.ts')
        return {
          mergeValues: (...args: Parameters<typeof right.mergeValues>) => {
            const merged = right.mergeValues(...args)
            if (merged.unknown.length > 0) throw new DocError('invalid', 'No field has this name.')
            return merged
          },
        }
      }),
  },
  'conflicts are settled silently': {
    replace: () =>
      swap<typeof import('#main/replication/core/merge-values.ts')>(`${core}/merge-values.ts`, (right) => ({
        mergeValues: (...args: Parameters<typeof right.mergeValues>) => ({
          ...right.mergeValues(...args),
          conflicts: [],
        }),
      })),
  },
  'the edit of a comment that arrives last wins': {
    schedules: (steps) => withoutSchemas(steps.hostSchedules({ restores: false, talk: true })),
    // Keys of parts of items are the only ones with this mark.
    replace: () => lastInArrayWins((key) => key.includes('#')),
  },
  'of what gave way in a comment only one is listed': {
    schedules: (steps) => withoutSchemas(steps.hostSchedules({ restores: false, talk: true })),
    replace: () =>
      swap<typeof import('#main/plugins/sync/feed/item-parts.ts')>(`${sync}/feed/item-parts.ts`, (right) => ({
        lossesOf: (...args: Parameters<typeof right.lossesOf>) => [
          ...new Map(right.lossesOf(...args).map((loss) => [loss.part, loss])).values(),
        ],
      })),
  },
  'a rename of a field touches the documents of records': {
    schedules: (steps) => withField(steps.hostSchedules({ restores: false, definitions: true })),
    replace: () =>
      swap<typeof import('#main/plugins/sync/write/synced-fields.ts')>(
        `${sync}/write/synced-fields.ts`,
        async (right) => {
          // Fields people added go by their names in documents.
          const named = (field: { uid: string; name: string }): string =>
            /^(extra|other|third)/.test(field.name) ? field.name : field.uid
          return {
            syncedFields: (schema: Parameters<typeof right.syncedFields>[0]) => {
              const fields = right.syncedFields(schema)
              const byUid = new Map([...fields.byUid.values()].map((field) => [named(field), field]))
              const scalars = fields.scalars.map((one) => ({ ...one, field: { ...one.field, uid: named(one.field) } }))
              const merged = fields.merged.map((one) => ({ ...one, uid: named(fields.byUid.get(one.uid)!) }))
              return { ...fields, byUid, scalars, merged }
            },
          }
        },
      ),
  },
  'a removed field stays': {
    schedules: (steps) => withField(steps.hostSchedules({ restores: false, definitions: true })),
    replace: () =>
      swap<typeof import('#main/plugins/sync/metadata/write-entries.ts')>(
        `${sync}/metadata/write-entries.ts`,
        (right) => ({
          writeShown: (...[place, before, after]: Parameters<typeof right.writeShown>) =>
            right.writeShown(
              place,
              before === null ? null : { ...before, sequence: after.sequence, entries: {} },
              after,
            ),
        }),
      ),
  },
  'a change by the system takes values it did not set': {
    replace: () =>
      swap<typeof import('#main/plugins/sync/write/record-capture.ts')>(`${sync}/write/record-capture.ts`, (right) => ({
        captureRecords: (...[host, ...rest]: Parameters<typeof right.captureRecords>) => {
          const on: typeof host.on = (type, listener) =>
            host.on(type, (event, tx, ctx) => {
              const { record, changes } = event.payload as { record: Record<string, unknown>; changes?: object }
              const all = Object.entries(record ?? {}).map(([name, value]) => [name, { old: value, new: value }])
              const isTaken = ctx.actor.type === 'system' && changes !== undefined
              const payload = isTaken ? { record, changes: { ...Object.fromEntries(all), ...changes } } : event.payload
              listener({ ...event, payload }, tx, ctx)
            })
          right.captureRecords({ on }, ...rest)
        },
      })),
  },
  'a removed field keeps the whole record waiting': {
    schedules: (steps) => withField(steps.hostSchedules({ restores: false, definitions: true })),
    replace: () =>
      swap<typeof import('#main/plugins/sync/apply/removed.ts')>(`${sync}/apply/removed.ts`, (right) => ({
        isRemoved: (...[reads, object, field]: Parameters<typeof right.isRemoved>) =>
          field === undefined && right.isRemoved(reads, object),
      })),
  },
  'a change of a type loses what does not fit': {
    schedules: (steps) => steps.memoSchedules(),
    replace: () =>
      swap<typeof import('#main/plugins/sync/apply/record-conflicts.ts')>(
        `${sync}/apply/record-conflicts.ts`,
        (right) => ({
          conflictsOf: (scene: Parameters<typeof right.conflictsOf>[0]) =>
            right.conflictsOf(scene).filter(({ kind }) => kind !== 'type'),
          movedConflicts: () => [],
        }),
      ),
  },
  'a folder that was put back is not recognised': {
    rules: (right) => ({ judge: ({ sidecar, ...facts }) => right({ ...facts, sidecar, file: sidecar?.file }) }),
  },
  'rights of people are not asked': {
    schedules: (steps) => steps.memberSchedules(),
    replace: () =>
      swap(`${sync}/apply/change-judge.ts`, () => ({ createChangeJudge: () => (): undefined => undefined })),
  },
}

/** A field from the beginning that people change. */
const withField = (schedules: fc.Arbitrary<HostSchedule>): fc.Arbitrary<HostSchedule> =>
  schedules.map((schedule) => ({ ...schedule, schemas: 'field' }))

const withoutSchemas = (schedules: fc.Arbitrary<HostSchedule>): fc.Arbitrary<HostSchedule> =>
  schedules.map((schedule) => ({ ...schedule, schemas: 'none' }))

const swapped = new Set<string>()

/** Puts a mistake in the place of parts of a module, for whoever loads it from now on. */
function swap<M extends object>(path: string, mistake: (right: M) => Partial<M> | Promise<Partial<M>>): void {
  swapped.add(path)
  vi.doMock(path, async (original) => {
    const right = await original<M>()
    return { ...right, ...(await mistake(right)) }
  })
}

describe('a mistake is caught within a minute', () => {
  let pool: readonly ModelMachine[] = []

  afterEach(async () => {
    leaks.length = 0
    for (const machine of pool) await machine.stop().catch(() => undefined)
    pool = []
    vi.resetModules()
  })

  it.each(Object.entries(mutants))(
    '%s',
    async (name, { replace, rules, newer, schedules }) => {
      vi.resetModules()
      for (const path of swapped) vi.doUnmock(path)
      replace?.()
      const { createPool } = await import('../support/sync-model/host-machine.ts')
      const { runHostSchedule } = await import('../support/sync-model/host-run.ts')
      const { assertExchanged, assertHosts } = await import('../support/sync-model/host-oracle.ts')
      const steps = await import('../support/sync-model/host-steps.ts')
      const { judgeIncarnation } = await import('#main/replication/channel/incarnation.ts')
      pool = await createPool(3, rules?.(judgeIncarnation), newer === undefined ? {} : { newer })
      leaks.push((envelopes, head) => {
        setImmediate(() => {
          for (const machine of pool)
            if (machine.isOn && machine.inc !== head.inc) void machine.engine.replica.receive(envelopes, head)
        })
      })
      const some = schedules?.(steps) ?? withoutSchemas(steps.hostSchedules({ restores: true }))
      const assert = newer === undefined ? assertHosts : assertExchanged
      const property = fc.asyncProperty(some, async (schedule) => {
        assert(await runHostSchedule(pool, schedule))
      })
      const started = performance.now()
      const found = await fc.check(property, {
        numRuns: 100_000,
        endOnFailure: true,
        interruptAfterTimeLimit: LIMIT_MS,
      })
      const ms = Math.round(performance.now() - started)
      console.log(`${name}: schedule ${found.numRuns} in ${ms} ms: ${reasonOf(found.errorInstance)}`)
      expect(found.counterexample).not.toBeNull()
      expect(ms).toBeLessThan(LIMIT_MS)
    },
    LIMIT_MS + 60_000,
  )
})

function isSame(one: readonly unknown[], other: readonly unknown[] | undefined): boolean {
  return other !== undefined && [0, 2, 3, 4].every((at) => one[at] === other[at])
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 120) : 'not found'
}
