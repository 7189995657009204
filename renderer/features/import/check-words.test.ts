// What is said after a check, before anything is written.
import { describe, expect, it } from 'vitest'
import { checkWords } from './check-words.ts'

describe('the words of an import check', () => {
  const counts = { total: 4, created: 0, updated: 0, skipped: 0, failed: 0 }

  it('say how many rows can be imported and offer just these', () => {
    expect(checkWords({ ...counts, created: 1, updated: 1, failed: 2 })).toEqual({
      summary: '2 of 4 rows can be imported, 2 have problems.',
      action: 'Import 2 records, leave 2 out',
      blocked: undefined,
    })
    expect(checkWords({ ...counts, created: 3, failed: 1 })).toMatchObject({
      summary: '3 of 4 rows can be imported, 1 has a problem.',
      action: 'Import 3 records, leave 1 out',
    })
    expect(checkWords({ ...counts, created: 4 })).toMatchObject({
      summary: '4 of 4 rows can be imported.',
      action: 'Import 4 records',
    })
    expect(checkWords({ ...counts, updated: 1, skipped: 3 })).toMatchObject({
      summary: '1 of 4 rows can be imported.',
      action: 'Import 1 record, leave 3 out',
    })
  })

  it('say why nothing is offered', () => {
    expect(checkWords({ ...counts, failed: 4 })).toEqual({
      summary: '0 of 4 rows can be imported, 4 have problems.',
      action: 'Nothing to import',
      blocked: 'Every row has a problem. Correct them in your table, or choose other fields for its columns.',
    })
    expect(checkWords({ ...counts, skipped: 4 }).blocked).toBe('No row matches a record, so none would be updated.')
    expect(checkWords({ ...counts, failed: 3, skipped: 1 }).blocked).toBe(
      'There is nothing to import: 3 rows have problems, and 1 match no record.',
    )
  })
})
