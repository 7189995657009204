import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { inferFields } from '#shared/field-types/infer.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import { readCell } from '#shared/field-types/read-cell.ts'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import { compileObject } from '#shared/object-schema.ts'
import { readAirportsCsv, readFlights, readMovies } from './datasets.ts'

type Row = Readonly<Record<string, unknown>>

/** Types by column, and the cells the object made of them refuses. */
function importAll(rows: readonly Row[]): { types: Record<string, string>; cells: number; failing: string[] } {
  const env = { timeZone: 'UTC' }
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const inferred = inferFields(columns.map((name) => ({ name, values: rows.map((row) => row[name]) })))
  const checked = checkObjectDefinition({
    name: 'thing',
    fields: Object.fromEntries(inferred.map(({ name, definition }) => [name, definition])),
  })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const { byName } = compileObject(checked.definition)
  const failing: string[] = []
  let cells = 0
  for (const row of rows) {
    for (const { column, name } of inferred) {
      const field = byName.get(name)!
      cells++
      const result = parseField(field, readCell(row[column], field, env), env)
      if (!result.ok) failing.push(`${column}: ${JSON.stringify(row[column])}`)
    }
  }
  return {
    types: Object.fromEntries(inferred.map(({ column, definition }) => [column, definition.type])),
    cells,
    failing,
  }
}

describe('inferring fields from example data', () => {
  it('takes every cell of airports.csv', () => {
    const { data } = Papa.parse<Row>(readAirportsCsv(), { header: true, skipEmptyLines: true })
    const { types, cells, failing } = importAll(data)
    expect(failing).toEqual([])
    expect(cells).toBe(3_376 * 7)
    expect(types).toEqual({
      iata: 'text',
      name: 'text',
      city: 'text',
      state: 'text',
      country: 'select',
      latitude: 'number',
      longitude: 'number',
    })
  })

  it('takes every cell of movies.json, whose titles are texts and numbers', () => {
    const { types, failing } = importAll(readMovies())
    expect(failing).toEqual([])
    expect(types).toMatchObject({
      Title: 'text',
      'US Gross': 'number',
      'Release Date': 'date',
      'MPAA Rating': 'select',
      'IMDB Rating': 'number',
    })
  })

  it('takes the first 2,000 flights', () => {
    const { types, cells, failing } = importAll(readFlights().slice(0, 2_000) as unknown as Row[])
    expect(failing).toEqual([])
    expect(cells).toBe(6_000)
    expect(types).toEqual({ delay: 'number', distance: 'number', time: 'number' })
  })
})
