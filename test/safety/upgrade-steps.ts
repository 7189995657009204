// An upgrade of many statements over a few thousand rows; only the first and the last state are whole.
import type { Migration } from '#main/kernel/plugin.ts'

const columns = Array.from({ length: 12 }, (_, index) => `c${index}`)

/** Step 1 is the old state, steps 2 to 4 the upgrade. */
export const upgradeSteps: readonly Migration[] = [
  {
    number: 1,
    name: 'old',
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 3000) INSERT INTO t SELECT i, 'name ' || i FROM r`,
  },
  {
    number: 2,
    name: 'columns',
    sql: columns
      .map((name) => `ALTER TABLE t ADD COLUMN ${name} TEXT;\nUPDATE t SET ${name} = name || '${name}'`)
      .join(';\n'),
  },
  {
    number: 3,
    name: 'split',
    sql: `CREATE TABLE u AS SELECT id, name || '!' AS name FROM t;\nDELETE FROM t WHERE id % 2 = 0;\nDELETE FROM u WHERE id % 2 = 1`,
  },
  {
    number: 4,
    name: 'indexes',
    sql: columns.map((name) => `CREATE INDEX i_${name} ON t (${name})`).join(';\n'),
  },
]

/** What the rows and tables of a state look like, in words that can be compared. */
export const upgradeStates = {
  old: 'steps 1; tables t; columns 2; rows 3000',
  new: 'steps 4; tables t,u; columns 14; rows 1500; other 1500; indexes 12',
} as const
