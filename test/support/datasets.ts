// Public example data of the package vega-datasets (BSD-3-Clause), read from node_modules: real files with gaps, odd
// dates and numbers as text, for imports and large lists.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** One film of `movies.json`; about every column has gaps. */
export type Movie = Readonly<Record<string, string | number | boolean | null>>

/** One departure of `flights-200k.json`. */
export interface Flight {
  /** Minutes late; negative is early. */
  readonly delay: number
  /** Miles. */
  readonly distance: number
  /** Hour of the day with its fraction. */
  readonly time: number
}

const dataFolder = join(dirname(createRequire(import.meta.url).resolve('vega-datasets')), '..', 'data')

function read(file: string): string {
  return readFileSync(join(dataFolder, file), 'utf8')
}

/** The 3,201 films. */
export function readMovies(): Movie[] {
  return JSON.parse(read('movies.json')) as Movie[]
}

/** The 3,376 airports as the CSV text of the file: iata,name,city,state,country,latitude,longitude. */
export function readAirportsCsv(): string {
  return read('airports.csv')
}

/** The 200,000 departures. */
export function readFlights(): Flight[] {
  return JSON.parse(read('flights-200k.json')) as Flight[]
}
