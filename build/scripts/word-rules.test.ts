import { describe, expect, it } from 'vitest'
import type { WordRule } from './word-rules.ts'
import { describeWordViolation, wordViolations } from './word-rules.ts'

const world = [
  { path: 'main/plugins/data/migrations/0001-keys.ts', text: "sql: 'CREATE TABLE data_key (name TEXT)'" },
  { path: 'main/plugins/data/service.ts', text: "tx.emit(ctx, { type: 'data.thing.made', payload: {} })" },
  { path: 'main/plugins/tasks/index.ts', text: "definePlugin({ id: 'tasks' })" },
  { path: 'main/kernel/job-store.ts', text: "sql: 'CREATE TABLE _job (name TEXT)'" },
]
const judge = (path: string, text: string): [WordRule, string][] =>
  wordViolations([...world, { path, text }]).map(({ rule, words }) => [rule, words])

describe('rules on words', () => {
  it.each<[string, string, string, WordRule]>([
    ['a query in a service', 'main/plugins/tasks/service.ts', 'all(`SELECT 1 FROM x`)', 'sql-in-stores-only'],
    ['a query that begins a line', 'main/kernel/jobs.ts', 'sql = `\n  SELECT 1`', 'sql-in-stores-only'],
    ['a query in brackets', 'main/plugins/tasks/service.ts', "'id IN (SELECT id FROM x)'", 'sql-in-stores-only'],
    ['an insertion', 'main/http/server.ts', "'INSERT OR IGNORE INTO x (a)'", 'sql-in-stores-only'],
    ['a change', 'main/relay/inbox.ts', '`UPDATE ${table} SET a = 1`', 'sql-in-stores-only'],
    ['a deletion', 'main/plugins/tasks/service/a.ts', "'DELETE FROM x'", 'sql-in-stores-only'],
    ['a change of a table', 'main/plugins/tasks/jobs.ts', '`DROP TABLE ${x}`', 'sql-in-stores-only'],
    ["another plugin's table", 'main/plugins/tasks/store.ts', "'SELECT 1 FROM data_key'", 'own-tables-only'],
    ['one in a query builder', 'main/plugins/tasks/store.ts', "db.selectFrom('data_key')", 'own-tables-only'],
    ['one made while running', 'main/plugins/tasks/store.ts', "'SELECT 1 FROM data_backup_1'", 'own-tables-only'],
    ['a table of the kernel', 'main/plugins/tasks/store.ts', "'DELETE FROM _job'", 'own-tables-only'],
    ["a plugin's table in the kernel", 'main/kernel/job-store.ts', "'DELETE FROM data_key'", 'own-tables-only'],
    ['the table of an object', 'main/plugins/tasks/store.ts', '`"${schema.table}"`', 'object-tables-through-data'],
    ['one as a parameter', 'main/plugins/tasks/store.ts', '({ table }) => table', 'object-tables-through-data'],
    ['one spelled out', 'main/plugins/tasks/store.ts', "'SELECT 1 FROM `o_task`'", 'object-tables-through-data'],
    ["a plugin's event in the kernel", 'main/kernel/events.ts', "'data.thing.made'", 'mechanism-names-no-event'],
    ["a plugin's event in the relay", 'main/relay/inbox.ts', "'data.thing.made'", 'mechanism-names-no-event'],
  ])('refuses %s', (_, path, text, rule) => {
    expect(judge(path, text).map(([broken]) => broken)).toEqual([rule])
  })

  it.each([
    ['SQL of own tables in stores', 'main/plugins/data/service/key-store.ts', "'SELECT name FROM data_key'"],
    ['SQL in a folder of stores', 'main/plugins/data/store/keys.ts', "'SELECT name FROM data_key'"],
    ['tables of objects in data', 'main/plugins/data/store.ts', '`SELECT 1 FROM "${schema.table}"`'],
    ['words of prose', 'main/plugins/tasks/service.ts', "'One SELECT over a view; delete what came from it.'"],
    ['comments', 'main/plugins/tasks/service.ts', '// SELECT 1 FROM data_key\n/* DELETE FROM data_key */'],
    ['tests', 'main/plugins/tasks/service.test.ts', "'DELETE FROM data_key'"],
    ['members of the same name', 'main/plugins/tasks/service.ts', 'row.data_key'],
    ['what a plugin listens to', 'main/plugins/tasks/subscribers.ts', "bus.on('data.thing.made')"],
  ])('accepts %s', (_, path, text) => {
    expect(judge(path, text)).toEqual([])
  })

  it('lets the mechanism know an event that shared/ names', () => {
    const shared = { path: 'shared/events.ts', text: "export const made = 'data.thing.made'" }
    const kernel = { path: 'main/kernel/events.ts', text: "'data.thing.made'" }
    expect(wordViolations([...world, shared, kernel])).toEqual([])
  })

  it('prints file, line and fix', () => {
    const text = "/* two\nlines */\nexport const sql = 'DELETE FROM x'"
    const [found] = wordViolations([{ path: 'main/plugins/tasks/service.ts', text }])
    expect(describeWordViolation(found!)).toMatch(
      /^sql-in-stores-only: main\/plugins\/tasks\/service\.ts:3: export const sql = 'DELETE FROM x'\n {4}fix: SQL stands in/,
    )
  })
})
