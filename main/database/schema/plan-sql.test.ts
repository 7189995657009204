import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import type { ObjectSchema, ObjectUids } from '#shared/object-schema.ts'
import { compileObject } from '#shared/object-schema.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Statement, Tx } from '#main/kernel/database.ts'
import { diffObject } from './diff-object.ts'
import { addColumns } from './add-columns.ts'
import { applyPlan } from './apply-plan.ts'
import type { ConversionEnv } from './convert-value.ts'
import { planSql } from './plan-sql.ts'
import { countPlan, showPlan } from './schema-plan.ts'
import type { SchemaPlan } from './schema-plan.ts'

function compile(fields: Record<string, unknown>, rest: Record<string, unknown> = {}, uids?: ObjectUids): ObjectSchema {
  const result = checkObjectDefinition({ name: 'thing', fields, ...rest })
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return compileObject(result.definition, uids)
}

/** Whether applying the plan needs a confirmation (D-101). */
function isDestructive(plan: SchemaPlan): boolean {
  return showPlan(plan).some((change) => change.destructive || change.lossy > 0)
}

describe('schema plans', () => {
  let folder: string
  let db: Sqlite.Database
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-plan-'))
    db = new Sqlite(join(folder, 'data.sqlite'))
    token = 0
  })
  afterEach(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })

  const apply = (before: ObjectSchema | null, after: ObjectSchema | null) => {
    const plan = diffObject(before, after)
    countPlan(plan, tx, env)
    if (before !== null && after === null) db.exec(`DROP TABLE "${before.table}"`)
    else applyPlan(tx, plan, { token: `${(token += 1)}`, env })
    return plan
  }
  let token = 0
  const env: ConversionEnv = { timeZone: 'UTC', exists: (_object, id) => id.endsWith('1') }
  const tx: Pick<Tx, 'all' | 'get' | 'run' | 'ddl' | 'addColumns'> = {
    all: <Row>({ sql, parameters }: Statement<Row>) => db.prepare(sql).all(...parameters) as Row[],
    get: <Row>({ sql, parameters }: Statement<Row>) => db.prepare(sql).get(...parameters) as Row | undefined,
    run: ({ sql, parameters }: Statement<unknown>) => db.prepare(sql).run(...parameters),
    ddl: (sql) => void db.exec(sql),
    addColumns: (table, definitions) => definitions.length > 0 && addColumns(db, table, definitions),
  }
  const structure = () =>
    db
      .prepare(`SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name`)
      .all()
      .map((row) => (row as { name: string; type: string }).name)
  const columns = () =>
    (db.prepare(`PRAGMA table_info("o_thing")`).all() as { name: string; type: string }[])
      .filter(({ name }) => !name.startsWith('$'))
      .map(({ name, type }) => `${name} ${type}`)
  const put = (id: string, values: Record<string, unknown>) => {
    const names = Object.keys(values)
    db.prepare(
      `INSERT INTO "o_thing" (id, created_at, updated_at${names.map((name) => `, "${name}"`).join('')}) VALUES (?, 'x', 'x'${names.map(() => ', ?').join('')})`,
    ).run(id, ...Object.values(values))
  }
  const values = (column: string) =>
    (db.prepare(`SELECT "${column}" AS v FROM "o_thing" ORDER BY id`).all() as { v: unknown }[]).map(({ v }) => v)

  it('creates a table with its indexes and drops it again as a destructive change', () => {
    const thing = compile(
      { select: { type: 'text', index: true }, project: { type: 'lookup', reference: 'thing' } },
      { indexes: [{ fields: ['project', 'select'] }] },
    )
    apply(null, thing)
    expect(structure()).toEqual([
      'i_thing',
      'i_thing__project',
      'i_thing__project__select',
      'i_thing__select',
      'o_thing',
    ])
    put('1', { select: 'a' })
    const plan = apply(thing, null)
    expect(showPlan(plan)).toEqual([
      { change: 'delete_object', from: 'thing', records: 1, destructive: true, lossy: 1 },
    ])
    expect(isDestructive(plan)).toBe(true)
    expect(structure()).toEqual([])
  })

  it('gives existing records the literal default of a new field without rewriting them', () => {
    const before = compile({ a: { type: 'text' } })
    apply(null, before)
    put('1', { a: 'x' })
    const after = compile({
      a: { type: 'text' },
      text: { type: 'text', defaultValue: "it's" },
      flag: { type: 'boolean', defaultValue: true },
      tags: { type: 'tags', defaultValue: ['x'] },
      day: { type: 'date', defaultValue: '{today}' },
      bad: { type: 'number', defaultValue: 'no' },
      money: {
        type: 'currency',
        currencyConfig: { currencyMode: 'dynamic' },
        defaultValue: { value: 2, currency: 'EUR' },
      },
    })
    const plan = apply(before, after)
    expect(isDestructive(plan)).toBe(false)
    expect(plan.changes.map((change) => change.change)).toEqual(Array<string>(6).fill('add_field'))
    expect(db.prepare('SELECT text, flag, tags, day, bad, money, money__currency FROM o_thing').get()).toEqual({
      text: "it's",
      flag: 1,
      tags: '["x"]',
      day: null,
      bad: null,
      money: 2,
      money__currency: 'EUR',
    })
  })

  it('renames a field by renamedFrom and by uid, keeping values and indexes', () => {
    const uids = { object: 'o', fields: { a: 'u1', b: 'u2' } }
    const before = compile(
      { a: { type: 'text', index: true }, b: { type: 'number' } },
      { indexes: [{ fields: ['b', 'a'] }] },
      uids,
    )
    apply(null, before)
    put('1', { a: 'x', b: 2 })
    const after = compile(
      { c: { type: 'text', index: true, renamedFrom: 'a' }, d: { type: 'number' } },
      { indexes: [{ fields: ['d', 'c'] }] },
      { object: 'o', fields: { c: 'u1', d: 'u2' } },
    )
    const plan = apply(before, after)
    expect(plan.changes.filter((change) => change.change === 'rename_field').map(({ from, to }) => [from, to])).toEqual(
      [
        ['a', 'c'],
        ['b', 'd'],
      ],
    )
    expect(db.prepare('SELECT c, d FROM o_thing').get()).toEqual({ c: 'x', d: 2 })
    expect(structure()).toEqual(['i_thing', 'i_thing__c', 'i_thing__d__c', 'o_thing'])
  })

  it('swaps nothing by accident: a deleted field and a new one of its name in one step keep their own values', () => {
    const before = compile({ a: { type: 'text' }, b: { type: 'text' } })
    apply(null, before)
    put('1', { a: 'x', b: 'y' })
    const after = compile({ b: { type: 'text' }, c: { type: 'text' } })
    const plan = apply(before, after)
    expect(
      plan.changes.map(({ change, field, records, destructive, lossy }) => [
        change,
        field,
        records,
        destructive,
        lossy,
      ]),
    ).toEqual([
      ['delete_field', 'a', 1, true, 1],
      ['add_field', 'c', 1, false, 0],
    ])
    expect(columns().slice(-2)).toEqual(['b TEXT', 'c TEXT'])
    expect(values('b')).toEqual(['y'])
    expect(values('c')).toEqual([null])
  })

  it('exchanges the names of two fields, with their values, indexes and further columns, once', () => {
    const money = { type: 'currency', currencyConfig: { currencyMode: 'dynamic' }, index: true }
    const before = compile({ a: money, b: money })
    apply(null, before)
    put('1', { a: 1, a__currency: 'EUR', b: 2, b__currency: 'USD' })
    const after = compile({ a: { ...money, renamedFrom: 'b' }, b: { ...money, renamedFrom: 'a' } })
    const plan = apply(before, after)
    expect(plan.changes.map(({ change, from, to }) => [change, from, to])).toEqual([
      ['rename_field', 'b', 'a'],
      ['rename_field', 'a', 'b'],
    ])
    const row = { a: 2, a__currency: 'USD', b: 1, b__currency: 'EUR' }
    expect(db.prepare('SELECT a, a__currency, b, b__currency FROM o_thing').get()).toEqual(row)
    const indexed = (name: string) =>
      (db.prepare(`SELECT name FROM pragma_index_info('${name}')`).all() as { name: string }[]).map((key) => key.name)
    expect(indexed('i_thing__a')).toEqual(['a', 'id'])
    expect(indexed('i_thing__b')).toEqual(['b', 'id'])
    // The same definition saved again must not change them back.
    expect(diffObject(after, after).changes).toEqual([])
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  })

  it('hands a name on to another field in the same step', () => {
    const before = compile({ a: { type: 'text', index: true }, b: { type: 'text' } })
    apply(null, before)
    put('1', { a: 'x', b: 'y' })
    const after = compile({ b: { type: 'text', renamedFrom: 'a' }, c: { type: 'text', index: true, renamedFrom: 'b' } })
    const plan = apply(before, after)
    expect(isDestructive(plan)).toBe(false)
    expect(db.prepare('SELECT b, c FROM o_thing').get()).toEqual({ b: 'x', c: 'y' })
    expect(structure()).toEqual(['i_thing', 'i_thing__c', 'o_thing'])
  })

  it('keeps fields of equal name where renamedFrom contradicts itself', () => {
    const before = compile({ a: { type: 'text' }, b: { type: 'text' } })
    const both = compile({ a: { type: 'text' }, b: { type: 'text', renamedFrom: 'a' } })
    expect(diffObject(before, both).changes.map(({ change }) => change)).toEqual(['change_field'])
    const one = compile({ b: { type: 'text', renamedFrom: 'a' } })
    expect(diffObject(before, one).changes.map(({ change, field }) => [change, field])).toContainEqual([
      'delete_field',
      'a',
    ])
  })

  it('names no formula that stayed as it was', () => {
    const fields = { n: { type: 'number' }, f: { type: 'formula', expression: 'record.n * 2.0' } } as const
    const before = compileObject({ name: 'deal', fields })
    const after = compileObject({ name: 'deal', fields: { ...fields, title: { type: 'text' } } })
    expect(diffObject(before, after).changes.map(({ change, field }) => [change, field])).toEqual([
      ['add_field', 'title'],
    ])
  })

  it('renames the object with its table and indexes', () => {
    const before = compile({ a: { type: 'text', index: true } })
    apply(null, before)
    put('1', { a: 'x' })
    const after = compile({ a: { type: 'text', index: true } }, { name: 'item' })
    apply(before, after)
    expect(structure()).toEqual(['i_item', 'i_item__a', 'o_item'])
    expect(db.prepare('SELECT a FROM o_item').get()).toEqual({ a: 'x' })
  })

  it('converts compatible types in place', () => {
    const before = compile({
      n: { type: 'number', index: true },
      p: { type: 'currency' },
      l: { type: 'lookup', reference: 'thing' },
      s: { type: 'select', options: ['a'] },
    })
    apply(null, before)
    put('1', { n: 2.5, p: 1.25, l: 'id', s: 'a' })
    put('2', { n: -2.5 })
    const after = compile({
      n: { type: 'number', scale: 0, index: true },
      p: { type: 'currency', currencyConfig: { currencyMode: 'dynamic', defaultCurrency: 'EUR' } },
      l: { type: 'lookup', reference: 'thing', multiple: true },
      s: { type: 'multiselect', options: ['a'] },
    })
    const plan = apply(before, after)
    expect(plan.changes.filter((change) => change.change === 'retype_field').map((change) => change.field)).toEqual([
      'n',
      'p',
      'l',
      's',
    ])
    expect(values('n')).toEqual([3, -3])
    expect(columns()).toContain('n INTEGER')
    expect(values('p__currency')).toEqual(['EUR', null])
    expect(values('l')).toEqual(['["id"]', null])
    expect(values('s')).toEqual(['["a"]', null])
    expect(structure()).toEqual(['i_thing', 'i_thing__n', 'o_thing'])
  })

  it('converts value by value, reports what does not fit and keeps it aside', () => {
    const before = compile({ a: { type: 'text', index: true } })
    apply(null, before)
    put('1', { a: ' 12 ' })
    put('2', { a: 'many' })
    put('3', { a: '' })
    put('4', {})
    const after = compile({ a: { type: 'number', index: true } })
    const plan = apply(before, after)
    expect(showPlan(plan)[0]).toEqual({
      change: 'retype_field',
      field: 'a',
      from: 'text',
      to: 'number',
      records: 3,
      destructive: true,
      lossy: 1,
      converted: 2,
      nulled: 1,
      failures: [{ id: '2', value: 'many' }],
    })
    expect(values('a')).toEqual([12, null, null, null])
    expect(values('$b2_0_0')).toEqual([' 12 ', 'many', '', null])
    expect(columns()).toContain('a REAL')
    expect(structure()).toEqual(['i_thing', 'i_thing__a', 'o_thing'])
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  })

  it('takes a removed option out of single values and lists, and only out of those', () => {
    const before = compile({
      s: { type: 'select', options: ['x', 'y'] },
      m: { type: 'tags', options: ['x', 'y'] },
    })
    apply(null, before)
    put('1', { s: 'x', m: '["x","y"]' })
    put('2', { s: 'y', m: '["x"]' })
    const after = compile({ s: { type: 'select', options: ['y'] }, m: { type: 'tags', options: ['y'] } })
    const plan = apply(before, after)
    expect(plan.changes.map(({ change, field, records, lossy }) => [change, field, records, lossy])).toEqual([
      ['remove_option', 's', 1, 1],
      ['remove_option', 'm', 2, 2],
    ])
    expect(values('s')).toEqual([null, 'y'])
    expect(values('m')).toEqual(['["y"]', null])
    expect(values('$b2_0_0')).toEqual(['x', 'y'])
  })

  it('counts violators of a new required rule, duplicates of a new unique rule and uses of a removed option', () => {
    const before = compile({ a: { type: 'text' }, s: { type: 'select', options: ['x', 'y'] } })
    apply(null, before)
    put('1', { a: 'same', s: 'x' })
    put('2', { a: 'same', s: 'y' })
    put('3', { a: null })
    const after = compile({ a: { type: 'text', required: true, unique: true }, s: { type: 'select', options: ['y'] } })
    const plan = apply(before, after)
    expect(plan.changes.map(({ change, field, records }) => [change, field ?? null, records])).toEqual([
      ['tighten_field', 'a', 1],
      ['add_unique', 'a', 2],
      ['remove_option', 's', 1],
      ['add_index', null, 0],
    ])
  })

  it('counts uses of a removed option in lists too', () => {
    const before = compile({ m: { type: 'multiselect', options: ['x', 'y', 'z'] } })
    apply(null, before)
    put('1', { m: '["x","y"]' })
    put('2', { m: '["y"]' })
    put('3', { m: '[]' })
    put('4', {})
    const plan = apply(before, compile({ m: { type: 'multiselect', options: ['z'] } }))
    expect(plan.changes.map(({ change, from, records }) => [change, from, records])).toEqual([
      ['remove_option', 'x', 1],
      ['remove_option', 'y', 2],
    ])
  })

  it('answers an empty plan for the same definition', () => {
    const thing = {
      a: { type: 'text', index: true },
      m: { type: 'currency', currencyConfig: { currencyMode: 'dynamic' } },
    }
    expect(diffObject(compile(thing), compile(thing)).changes).toEqual([])
  })

  it('reports a presentational change that needs no SQL', () => {
    const plan = diffObject(
      compile({ a: { type: 'text' } }),
      compile({ a: { type: 'text', label: 'Other' } }, { label: 'New' }),
    )
    expect(plan.changes.map((change) => change.change)).toEqual(['change_object', 'change_field'])
    expect(planSql(plan, { token: 't' })).toMatchObject({ widen: [], exchange: [], createIndexes: [], retired: [] })
  })
})
