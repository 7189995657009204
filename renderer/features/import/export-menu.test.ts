import { describe, expect, it } from 'vitest'
import { writeExportQuery } from './export-menu.tsx'

const written = (query: Parameters<typeof writeExportQuery>[0], format: Parameters<typeof writeExportQuery>[1]) =>
  JSON.parse(JSON.stringify(writeExportQuery(query, format))) as Record<string, unknown>

describe('parameters of an export', () => {
  it('are those of the list that is shown', () => {
    const query = { filter: { pages: { $gte: 3 } }, sort: '-title', search: 'ada', select: ['title', 'pages'] }
    expect(written(query, 'ndjson')).toEqual({
      format: 'ndjson',
      filter: '{"pages":{"$gte":3}}',
      sort: '-title',
      search: 'ada',
      select: 'title,pages',
    })
  })

  it('leave out what is empty, and write files for people as people read them', () => {
    const empty = { filter: {}, sort: '', search: '', select: [] }
    expect(written(empty, 'csv')).toEqual({ format: 'csv', cells: 'labels', bom: true })
    expect(written(empty, 'xlsx')).toEqual({ format: 'xlsx', cells: 'labels' })
    expect(written({}, 'json')).toEqual({ format: 'json' })
  })
})
