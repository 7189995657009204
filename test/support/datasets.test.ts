import { describe, expect, it } from 'vitest'
import { readAirportsCsv, readFlights, readMovies } from './datasets.ts'

describe('datasets', () => {
  it('have the sizes their readers state', () => {
    expect(readMovies()).toHaveLength(3_201)
    expect(readFlights()).toHaveLength(200_000)
    expect(readAirportsCsv().trim().split('\n')).toHaveLength(3_377)
  })

  it('have gaps and mixed values in the films', () => {
    const movies = readMovies()
    expect(movies.filter((movie) => movie.Director === null).length).toBeGreaterThan(500)
    expect(movies.some((movie) => typeof movie.Title === 'number')).toBe(true)
  })
})
