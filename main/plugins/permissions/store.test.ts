// What organizations cost: whether a value is taken in one, and whether a record belongs to one, are searches of indexes.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Filter } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { buildCoverage } from '#main/database/query/build-coverage.ts'
import { buildCount } from '#main/database/query/build-find.ts'
import { findUniqueClash, uniqueRules } from '#main/database/query/unique-clash.ts'
import { numberedId, openObjectTables } from '../../../test/support/open-object-tables.ts'
import type { ObjectTables } from '../../../test/support/open-object-tables.ts'
import { permissionsMigrations } from './migrations/index.ts'
import { organizationRecords, recordOrganization } from './store.ts'

let tables: ObjectTables
beforeAll(() => {
  tables = openObjectTables([{ name: 'thing', fields: { code: { type: 'text', unique: true } } }])
  for (const { sql } of permissionsMigrations) tables.db.exec(sql)
  const { uid } = tables.schema('thing')
  const into = tables.db.prepare('INSERT INTO permissions_record_organization VALUES (?, ?, ?)')
  tables.db.transaction(() => {
    for (let at = 0; at < 2_000; at += 1) {
      tables.insert('thing', { id: numberedId(at), code: `c${at % 1_000}` })
      into.run(uid, numberedId(at), at < 1_000 ? 'one' : 'two')
    }
  })()
})
afterAll(() => tables.close())

const scans = (steps: readonly string[]): string[] => steps.filter((step) => /\bSCAN (?!CONSTANT)/.test(step))

it('whether a value is taken in an organization', () => {
  const thing = tables.schema('thing')
  const env: QueryEnv = { ...tables.env, recordOrganization, organizationId: 'two' }
  const [rule] = uniqueRules(thing)
  for (const [exceptId, found] of [
    [null, 1_005],
    [numberedId(7), 5],
    [numberedId(1_007), 1_005],
  ] as const) {
    const clash = findUniqueClash(thing, rule!, { code: 'c5' }, exceptId, env)!
    const steps = tables.explain(clash)
    expect(steps[0]).toMatch(/^SEARCH t0 USING (COVERING )?INDEX i_thing__code \(code=\? AND code=\?\)/)
    expect(scans(steps)).toEqual([])
    expect(tables.all(clash)).toEqual([{ id: numberedId(found) }])
  }
})

it('whether one record belongs to an organization', () => {
  const thing = tables.schema('thing')
  const rows: Filter = { kind: 'among', field: 'id', ids: organizationRecords(thing.uid, 'two') }
  const own: Filter = { kind: 'condition', path: ['id'], operator: '$eq', operand: numberedId(5) }
  for (const asked of [
    buildCoverage(thing, numberedId(5), rows, null, tables.env),
    buildCount(thing, { filter: own, rowCondition: rows }, tables.env),
  ]) {
    const steps = tables.explain(asked).filter((step) => step.includes(' o '))
    expect(steps).toHaveLength(1)
    expect(steps[0]).toMatch(/record_id=\?/)
  }
})
