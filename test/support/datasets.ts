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

/** One flight of `flights-2k.json` or `flights-5k.json`; the airports are codes of `airports.csv`. */
export interface AirportFlight {
  /** As in `2001/01/01 06:55`. */
  readonly date: string
  readonly delay: number
  readonly distance: number
  readonly origin: string
  readonly destination: string
}

/** Flights of the first months of 2001 between airports, 2,000 or 5,000. */
export function readAirportFlights(file: 'flights-2k.json' | 'flights-5k.json'): AirportFlight[] {
  return JSON.parse(read(file)) as AirportFlight[]
}

/** The 42,049 postal areas as the CSV text of the file: zip_code,latitude,longitude,city,state,county. */
export function readZipCodesCsv(): string {
  return read('zipcodes.csv')
}

/** The 406 cars of `cars.json`; some have no horsepower or mileage. */
export function readCars(): Movie[] {
  return JSON.parse(read('cars.json')) as Movie[]
}

/** The 344 penguins of `penguins.json`; one has a dot for its sex. */
export function readPenguins(): Movie[] {
  return JSON.parse(read('penguins.json')) as Movie[]
}

/** The 1,461 days of `seattle-weather.csv`: date,precipitation,temp_max,temp_min,wind,weather. */
export function readWeatherCsv(): string {
  return read('seattle-weather.csv')
}
