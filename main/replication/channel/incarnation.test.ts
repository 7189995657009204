// The rules of incarnations as a table, and the sidecar on disk.
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { doubtSidecar, openIncarnation, readSidecar } from './incarnation-file.ts'
import { judgeIncarnation } from './incarnation.ts'
import type { IncarnationFacts, IncarnationVerdict, Sidecar, StoredIncarnation } from './incarnation.ts'

const database: StoredIncarnation = { device: 'a', inc: 7, bootCounter: 3, lastSeq: 40 }
const sidecar: Sidecar = { device: 'a', inc: 7, bootCounter: 3, lastSeqSent: 40, stopped: true }
const changed = (reason: string, lostTail?: object): unknown => ({
  keep: false,
  reason,
  ...(lostTail === undefined ? {} : { lostTail }),
})

const table: readonly [title: string, facts: Partial<IncarnationFacts>, verdict: unknown][] = [
  ['a stop in order goes on', {}, { keep: true, inc: 7 }],
  [
    'envelopes that were never sent are nobody else’s',
    { sidecar: { ...sidecar, lastSeqSent: 12 } },
    { keep: true, inc: 7 },
  ],
  ['nothing was there before', { database: undefined, sidecar: undefined }, changed('first_run')],
  ['the stop was not in order', { sidecar: { ...sidecar, stopped: false } }, changed('unclean_stop')],
  [
    'the stop was not in order and the tail is lost',
    { sidecar: { ...sidecar, stopped: false, lastSeqSent: 44 } },
    changed('database_older', { inc: 7, from: 41, to: 44 }),
  ],
  [
    'the tail is lost although the stop was in order',
    { sidecar: { ...sidecar, lastSeqSent: 41 } },
    changed('database_older', { inc: 7, from: 41, to: 41 }),
  ],
  [
    'the database comes from a backup of an earlier start',
    { database: { ...database, bootCounter: 2, lastSeq: 10 } },
    changed('database_older', { inc: 7, from: 11, to: 40 }),
  ],
  [
    'the database comes from a backup of an earlier start and holds all that was sent',
    { database: { ...database, bootCounter: 2 } },
    changed('database_older'),
  ],
  [
    'the database is new beside an old sidecar',
    { database: undefined },
    changed('database_older', { inc: 7, from: 1, to: 40 }),
  ],
  ['the database lies without its sidecar', { sidecar: undefined }, changed('sidecar_differs')],
  [
    'the sidecar is of an earlier start than the database',
    { sidecar: { ...sidecar, bootCounter: 2 } },
    changed('sidecar_differs'),
  ],
  [
    'the sidecar is of another log',
    { sidecar: { ...sidecar, inc: 8 } },
    changed('sidecar_differs', { inc: 8, from: 1, to: 40 }),
  ],
  ['the database was copied to another device', { device: 'b' }, changed('other_device')],
  [
    'the database was copied without its sidecar to another device',
    { device: 'b', sidecar: undefined },
    changed('other_device'),
  ],
  ['the sidecar is another device’s', { sidecar: { ...sidecar, device: 'b' } }, changed('other_device')],
  [
    'the folder is a copy of what it was',
    { sidecar: { ...sidecar, file: '12/1' }, file: '13/2' },
    changed('database_copied'),
  ],
  ['the folder was written over', { sidecar: { ...sidecar, isCopy: true } }, changed('database_copied')],
  ['the folder is what it was', { sidecar: { ...sidecar, file: '12/1' }, file: '12/1' }, { keep: true, inc: 7 }],
  ['nobody can tell whether the folder is a copy', { sidecar: { ...sidecar, file: '12/1' } }, { keep: true, inc: 7 }],
  ['another device uses the number', { collides: true }, changed('collision')],
]

describe('judgeIncarnation', () => {
  it.each(table)('%s', (_title, facts, verdict) => {
    expect(judgeIncarnation({ device: 'a', database, sidecar, ...facts })).toEqual(verdict)
  })

  it('never goes on with a number under which more was sent than the database holds', () => {
    const small = fc.integer({ min: 1, max: 3 })
    const device = fc.constantFrom('a', 'b')
    const facts = fc.record({
      device,
      database: fc.option(fc.record({ device, inc: small, bootCounter: small, lastSeq: small }), { nil: undefined }),
      sidecar: fc.option(
        fc.record({ device, inc: small, bootCounter: small, lastSeqSent: small, stopped: fc.boolean() }),
        { nil: undefined },
      ),
      collides: fc.boolean(),
    })
    const isSafe = (given: IncarnationFacts, verdict: IncarnationVerdict): boolean => {
      const { database: stored, sidecar: beside } = given
      if (!verdict.keep) return true
      return (
        stored?.inc === verdict.inc &&
        stored.device === given.device &&
        beside?.inc === verdict.inc &&
        beside.device === given.device &&
        beside.stopped &&
        beside.bootCounter === stored.bootCounter &&
        stored.lastSeq >= beside.lastSeqSent &&
        given.collides !== true
      )
    }
    fc.assert(
      fc.property(facts, (given) => isSafe(given, judgeIncarnation(given))),
      { numRuns: 2_000 },
    )
  })
})

describe('openIncarnation', () => {
  const now = '2026-03-01T09:00:00.000Z'
  let dir: string
  let file: string

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'cairn-incarnation-'))
    file = join(dir, 'cairn.db.sync.json')
  })

  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const open = (database_: StoredIncarnation | undefined, more: object = {}) =>
    openIncarnation({ file, now, device: 'a', database: database_, isTaken: () => false, ...more })

  it('begins with a random number that the sidecar holds before anything is sent', () => {
    const first = open(undefined)
    expect(first).toMatchObject({ reason: 'first_run', bootCounter: 1 })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      device: 'a',
      inc: first.inc,
      boot_counter: 1,
      last_seq_sent: 0,
      stopped: false,
    })
    expect(statSync(file).mode & 0o077).toBe(0)
  })

  it('goes on after a stop in order', () => {
    const first = open(undefined)
    first.beforeSending(5)
    first.stopped()
    const second = open({ device: 'a', inc: first.inc, bootCounter: 1, lastSeq: 9 })
    expect(second).toMatchObject({ inc: first.inc, reason: undefined, bootCounter: 2 })
    expect(readSidecar(file)).toMatchObject({ lastSeqSent: 5, stopped: false, bootCounter: 2 })
  })

  it('begins anew after a kill', () => {
    const first = open(undefined)
    first.beforeSending(5)
    const second = open({ device: 'a', inc: first.inc, bootCounter: 1, lastSeq: 5 })
    expect(second.reason).toBe('unclean_stop')
    expect(second.inc).not.toBe(first.inc)
    expect(readSidecar(file)).toMatchObject({ inc: second.inc, lastSeqSent: 0 })
  })

  it('begins anew when it was killed before the database held the start', () => {
    const first = open(undefined)
    first.stopped()
    open({ device: 'a', inc: first.inc, bootCounter: 1, lastSeq: 0 }).stopped()
    expect(open({ device: 'a', inc: first.inc, bootCounter: 1, lastSeq: 0 }).reason).toBe('database_older')
  })

  it('names the tail that peers may still have', () => {
    const first = open(undefined)
    first.beforeSending(8)
    const second = open({ device: 'a', inc: first.inc, bootCounter: 1, lastSeq: 6 })
    expect(second.lostTail).toEqual({ inc: first.inc, from: 7, to: 8 })
  })

  it('has the number on disk when beforeSending returns, and never goes back', () => {
    const first = open(undefined)
    first.beforeSending(5)
    expect(readSidecar(file)?.lastSeqSent).toBe(5)
    first.beforeSending(3)
    expect(readSidecar(file)?.lastSeqSent).toBe(5)
  })

  it('lets nothing be sent when the sidecar cannot be written', () => {
    const first = open(undefined)
    rmSync(dir, { recursive: true })
    expect(() => first.beforeSending(5)).toThrow()
    expect(() => first.beforeSending(5)).toThrow()
  })

  it('begins anew where the folder is a copy, and remembers when that was', () => {
    const databaseFile = join(dir, 'cairn.db')
    writeFileSync(databaseFile, 'one')
    const first = open(undefined, { databaseFile })
    first.stopped()
    const stored: StoredIncarnation = { device: 'a', inc: first.inc, bootCounter: 1, lastSeq: 0 }
    const second = open(stored, { databaseFile })
    expect(second).toMatchObject({ inc: first.inc, putBackAt: undefined })
    second.stopped()
    cpSync(databaseFile, `${databaseFile}.copy`)
    renameSync(`${databaseFile}.copy`, databaseFile)
    const third = open({ ...stored, bootCounter: 2 }, { databaseFile })
    expect(third).toMatchObject({ reason: 'database_copied', putBackAt: now })
    third.stopped()
    const later = { databaseFile, now: '2026-03-02T09:00:00.000Z' }
    const fourth = open({ ...stored, inc: third.inc, bootCounter: 3 }, later)
    expect(fourth).toMatchObject({ inc: third.inc, putBackAt: now })
  })

  it('begins anew, once, where a start before found a copy or was in doubt', () => {
    const first = open(undefined)
    first.stopped()
    doubtSidecar(file, 'copied')
    const second = open({ device: 'a', inc: first.inc, bootCounter: 1, lastSeq: 0 })
    expect(second).toMatchObject({ reason: 'database_copied', putBackAt: now })
    second.stopped()
    const third = open({ device: 'a', inc: second.inc, bootCounter: 2, lastSeq: 0 })
    expect(third.inc).toBe(second.inc)
    third.stopped()
    doubtSidecar(file, 'doubtful')
    const fourth = open({ device: 'a', inc: third.inc, bootCounter: 3, lastSeq: 0 })
    expect(fourth).toMatchObject({ reason: 'unclean_stop', putBackAt: now })
    rmSync(file)
    doubtSidecar(file, 'copied')
    expect(readSidecar(file)).toBeUndefined()
  })

  it('lets nothing be sent after the stop', () => {
    const first = open(undefined)
    first.stopped()
    expect(() => first.beforeSending(1)).toThrow(/stopped/)
  })

  it('takes no number the roster knows', () => {
    const asked: number[] = []
    const { inc } = open(undefined, {
      isTaken: (number: number) => {
        asked.push(number)
        return asked.length < 4
      },
    })
    expect(asked).toHaveLength(4)
    expect(inc).toBe(asked[3])
    expect(new Set(asked).size).toBe(4)
  })

  it('treats a damaged sidecar as none', () => {
    const first = open(undefined)
    first.stopped()
    for (const text of ['', '{', '[]', '{"device":"a","inc":0,"boot_counter":1,"last_seq_sent":0,"stopped":true}']) {
      writeFileSync(file, text)
      expect(readSidecar(file)).toBeUndefined()
      expect(open({ device: 'a', inc: first.inc, bootCounter: 1, lastSeq: 0 }).reason).toBe('sidecar_differs')
    }
  })
})
