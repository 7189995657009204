import { describe, expect, it } from 'vitest'
import { t, tn } from './strings.ts'

describe('texts', () => {
  it('fill in parameters and write numbers as the language does', () => {
    expect(t('import.run.progressStart', { done: 1200, total: 3376 })).toBe('1,200 of 3,376 rows')
  })

  it('leave a brace alone that has no parameter', () => {
    expect(t('word.home', { unused: 1 })).toBe('Home')
    expect(t('records.grid')).toBe('Records of {object}')
  })

  it('choose the plural by the count', () => {
    expect([0, 1, 2, 1000].map((count) => tn('records.count', count))).toEqual([
      '0 records',
      '1 record',
      '2 records',
      '1,000 records',
    ])
  })

  it('take what people typed as it is', () => {
    const typed = '$t(home.title) {total} <b> &'
    expect(t('app.title', { page: typed })).toBe(`${typed} · Cairn`)
  })
})
