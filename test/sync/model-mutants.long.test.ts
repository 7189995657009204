// The model is worth what it catches: each mistake of the design's list, put into the program in place of the right way,
// has to be found by schedules over real hosts within a minute.
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Reads } from '#main/kernel/database.ts'
import type { Head, SealedEnvelope } from '#main/replication/core/types.ts'
import type { MachineRules, ModelMachine } from '../support/sync-model/host-machine.ts'

const LIMIT_MS = 60_000

/** A mistake: what it replaces, or what it changes in how machines are run. */
interface Mutant {
  replace?(): void
  /** Found only where one machine has a field the others do not know. */
  readonly newer?: true
  /** Found only where definitions change. */
  readonly schemas?: true
  /** Found where people edit the same comments. */
  readonly talk?: true
  readonly rules?: (right: MachineRules['judge']) => MachineRules
}

const core = '#main/replication/core'
const sync = '#main/plugins/sync'

/** What left a machine whose transaction was not yet committed. */
const leaks: ((envelopes: readonly SealedEnvelope[], head: Head) => void)[] = []

function lastInArrayWins(isMeant: (key: string) => boolean): void {
  vi.doMock(`${core}/register.ts`, async (original) => {
    const right = await original<typeof import('#main/replication/core/register.ts')>()
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
      ...right,
      registerOf,
      readRegister: (doc: Parameters<typeof right.readRegister>[0]) => registerOf(right.liveEntries(doc)),
    }
  })
}

const mutants: Readonly<Record<string, Mutant>> = {
  'array order instead of stamps': { replace: () => lastInArrayWins(() => true) },
  'no receive rule': {
    replace: () =>
      vi.doMock(`${core}/hlc.ts`, async (original) => {
        const right = await original<typeof import('#main/replication/core/hlc.ts')>()
        return {
          ...right,
          createHlcClock: (options: Parameters<typeof right.createHlcClock>[0]) => {
            const clock = right.createHlcClock(options)
            return { ...clock, tick: () => clock.tick(), observe: () => 0 }
          },
        }
      }),
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
      vi.doMock(`${sync}/write/own-log.ts`, async (original) => {
        const right = await original<typeof import('#main/plugins/sync/write/own-log.ts')>()
        const { readEnvelopes, readIncarnation } = await import('#main/plugins/sync/store/log-store.ts')
        const { signHead } = await import('#main/replication/wire/chain.ts')
        return {
          ...right,
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
      vi.doMock(`${sync}/store/log-store.ts`, async (original) => {
        const right = await original<typeof import('#main/plugins/sync/store/log-store.ts')>()
        return {
          ...right,
          putIncarnation: (...[tx, row]: Parameters<typeof right.putIncarnation>) => {
            right.putIncarnation(tx, row)
            right.putApplied(tx, row.inc, row.storedSeq)
          },
        }
      }),
  },
  'text written anew': {
    replace: () =>
      vi.doMock(`${core}/text-doc.ts`, async (original) => {
        const right = await original<typeof import('#main/replication/core/text-doc.ts')>()
        return {
          ...right,
          applyTextDiff: (...[doc, next]: Parameters<typeof right.applyTextDiff>) => {
            const text = doc.getText(right.TEXT_ROOT)
            text.delete(0, text.length)
            text.insert(0, next)
            return true
          },
        }
      }),
  },
  'gap in the numbers after a rollback': {
    replace: () =>
      vi.doMock(`${sync}/write/own-log.ts`, async (original) => {
        const right = await original<typeof import('#main/plugins/sync/write/own-log.ts')>()
        const { putIncarnation, readIncarnation } = await import('#main/plugins/sync/store/log-store.ts')
        return {
          ...right,
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
    replace: () =>
      vi.doMock(`${sync}/store/problem-store.ts`, async (original) => ({
        ...(await original<object>()),
        readParked: (_read: Pick<Reads, 'all'>) => [],
      })),
  },
  'changes of others are recorded as own': {
    replace: () =>
      vi.doMock(`${sync}/write/doc-writer.ts`, async (original) => {
        const right = await original<typeof import('#main/plugins/sync/write/doc-writer.ts')>()
        return {
          ...right,
          createDocWriter: (parts: Parameters<typeof right.createDocWriter>[0]) => ({
            ...right.createDocWriter(parts),
            isRecording: () => true,
          }),
        }
      }),
  },
  'unknown fields are refused': {
    newer: true,
    replace: () =>
      vi.doMock(`${core}/merge-values.ts`, async (original) => {
        const right = await original<typeof import('#main/replication/core/merge-values.ts')>()
        const { DocError } = await import('#main/replication/core/doc-error.ts')
        return {
          ...right,
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
      vi.doMock(`${core}/merge-values.ts`, async (original) => {
        const right = await original<typeof import('#main/replication/core/merge-values.ts')>()
        return {
          ...right,
          mergeValues: (...args: Parameters<typeof right.mergeValues>) => ({
            ...right.mergeValues(...args),
            conflicts: [],
          }),
        }
      }),
  },
  'the edit of a comment that arrives last wins': {
    talk: true,
    // Keys of parts of items are the only ones with this mark.
    replace: () => lastInArrayWins((key) => key.includes('#')),
  },
  'of what gave way in a comment only one is listed': {
    talk: true,
    replace: () =>
      vi.doMock(`${sync}/feed/item-parts.ts`, async (original) => {
        const right = await original<typeof import('#main/plugins/sync/feed/item-parts.ts')>()
        return {
          ...right,
          lossesOf: (...args: Parameters<typeof right.lossesOf>) => [
            ...new Map(right.lossesOf(...args).map((loss) => [loss.part, loss])).values(),
          ],
        }
      }),
  },
  'a rename of a field touches the documents of records': {
    schemas: true,
    replace: () =>
      vi.doMock(`${sync}/write/synced-fields.ts`, async (original) => {
        const right = await original<typeof import('#main/plugins/sync/write/synced-fields.ts')>()
        // Fields people added go by their names in documents.
        const named = (field: { uid: string; name: string }): string =>
          /^(extra|other|third)/.test(field.name) ? field.name : field.uid
        return {
          ...right,
          syncedFields: (schema: Parameters<typeof right.syncedFields>[0]) => {
            const fields = right.syncedFields(schema)
            const byUid = new Map([...fields.byUid.values()].map((field) => [named(field), field]))
            const scalars = fields.scalars.map((one) => ({ ...one, field: { ...one.field, uid: named(one.field) } }))
            const merged = fields.merged.map((one) => ({ ...one, uid: named(fields.byUid.get(one.uid)!) }))
            return { ...fields, byUid, scalars, merged }
          },
        }
      }),
  },
  'a removed field stays': {
    schemas: true,
    replace: () =>
      vi.doMock(`${sync}/metadata/write-entries.ts`, async (original) => {
        const right = await original<typeof import('#main/plugins/sync/metadata/write-entries.ts')>()
        return {
          ...right,
          writeShown: (...[place, before, after]: Parameters<typeof right.writeShown>) =>
            right.writeShown(
              place,
              before === null ? null : { ...before, sequence: after.sequence, entries: {} },
              after,
            ),
        }
      }),
  },
}

describe('a mistake is caught within a minute', () => {
  let pool: readonly ModelMachine[] = []

  afterEach(async () => {
    leaks.length = 0
    for (const machine of pool) await machine.stop().catch(() => undefined)
    pool = []
    vi.doUnmock(`${core}/register.ts`)
    vi.resetModules()
  })

  it.each(Object.entries(mutants))(
    '%s',
    async (name, { replace, rules, newer, talk, schemas: withSchemas }) => {
      vi.resetModules()
      for (const path of replaced) vi.doUnmock(path)
      replace?.()
      const { createPool } = await import('../support/sync-model/host-machine.ts')
      const { runHostSchedule } = await import('../support/sync-model/host-run.ts')
      const { assertExchanged, assertHosts } = await import('../support/sync-model/host-oracle.ts')
      const { hostSchedules, hostSchedulesWithoutCopies } = await import('../support/sync-model/host-steps.ts')
      const { judgeIncarnation } = await import('#main/replication/channel/incarnation.ts')
      pool = await createPool(3, rules?.(judgeIncarnation), newer === undefined ? {} : { newer })
      leaks.push((envelopes, head) => {
        setImmediate(() => {
          for (const machine of pool)
            if (machine.isOn && machine.inc !== head.inc) void machine.engine.replica.receive(envelopes, head)
        })
      })
      const any =
        newer === undefined
          ? hostSchedules({ restores: talk === undefined, talk: talk !== undefined })
          : hostSchedulesWithoutCopies()
      const schemas = withSchemas === undefined ? ('none' as const) : ('field' as const)
      const schedules = any.map((schedule) => ({ ...schedule, schemas }))
      const assert = newer === undefined ? assertHosts : assertExchanged
      const property = fc.asyncProperty(schedules, async (schedule) => {
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

const replaced = [
  `${core}/register.ts`,
  `${core}/hlc.ts`,
  `${core}/text-doc.ts`,
  `${core}/merge-values.ts`,
  `${sync}/feed/item-parts.ts`,
  `${sync}/metadata/write-entries.ts`,
  `${sync}/write/synced-fields.ts`,
  `${sync}/write/own-log.ts`,
  `${sync}/write/doc-writer.ts`,
  `${sync}/store/log-store.ts`,
  `${sync}/store/problem-store.ts`,
]

function isSame(one: readonly unknown[], other: readonly unknown[] | undefined): boolean {
  return other !== undefined && [0, 2, 3, 4].every((at) => one[at] === other[at])
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 120) : 'not found'
}
