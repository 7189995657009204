// Every promise says what keeps it and how its twin takes that away.
import { expect, it } from 'vitest'
import { guardTable } from './guards.ts'
import { loadChecks } from './registry.ts'

it('each check has a guard and a twin in the table, and the table has no others', async () => {
  const ids = (await loadChecks()).map(({ id }) => id)
  expect(Object.keys(guardTable).toSorted()).toEqual(ids.toSorted())
  for (const [id, { guard, twin }] of Object.entries(guardTable)) {
    expect(guard.length, id).toBeGreaterThan(10)
    expect(twin, id).not.toBe(guard)
  }
})
