// The data sets the questions are about, as a person would have imported them.
import { readAirportsCsv, readCars, readMovies, readPenguins, readWeatherCsv } from '../support/datasets.ts'
import type { TestHost } from '../support/create-test-host.ts'

type Row = Record<string, string | number | boolean | null>

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Oct 07 1963` as `1963-10-07`; null for what is no day. */
function dayOf(text: unknown): string | null {
  const [, month = '', day = '', year = ''] = /^(\w{3}) (\d\d) (\d{4})$/.exec(String(text)) ?? []
  const at = months.indexOf(month)
  return at < 0 ? null : `${year}-${String(at + 1).padStart(2, '0')}-${day}`
}

/** Texts of a column, each once. */
function optionsOf(rows: readonly Row[], column: string): string[] {
  return [...new Set(rows.map((row) => row[column]).filter((value) => typeof value === 'string'))] as string[]
}

function csvRows(text: string): Row[] {
  const [head, ...lines] = text.trim().split('\n')
  const names = head!.split(',')
  return lines.flatMap((line) => {
    const values = line.trim().split(',')
    // A name with a comma in it is of no use here.
    if (values.length !== names.length) return []
    return [Object.fromEntries(names.map((name, at) => [name, values[at] === '' ? null : values[at]!]))]
  })
}

/** What an option of a label is stored as. */
export function optionValue(label: string): string {
  return label.replaceAll(/[^A-Za-z0-9_.-]/g, '_')
}

/** Defines the objects and stores every row. */
export async function seedVega(host: TestHost): Promise<void> {
  const select = (label: string, rows: readonly Row[], column: string) => ({
    type: 'select',
    label,
    options: optionsOf(rows, column).map((label) => ({ value: optionValue(label), label })),
  })
  const films = readMovies()
  const cars = readCars()
  const penguins = readPenguins().map((row): Row => ({ ...row, Sex: row['Sex'] === '.' ? null : row['Sex']! }))
  const days = csvRows(readWeatherCsv())
  const airports = csvRows(readAirportsCsv())
  const number = (label: string) => ({ type: 'number', label, scale: 6 })
  const text = (label: string) => ({ type: 'text', label })
  const date = (label: string) => ({ type: 'date', label })

  await host.defineObject(
    'movie',
    {
      title: text('Title'),
      worldwide_gross: number('Worldwide gross'),
      production_budget: number('Production budget'),
      release_date: date('Release date'),
      mpaa_rating: select('MPAA rating', films, 'MPAA Rating'),
      running_time: number('Running time'),
      distributor: text('Distributor'),
      source: select('Source', films, 'Source'),
      genre: select('Genre', films, 'Major Genre'),
      director: text('Director'),
      imdb_rating: number('IMDB rating'),
    },
    { label: 'Movie', pluralLabel: 'Movies' },
  )
  await host.defineObject(
    'car',
    {
      name: text('Name'),
      miles_per_gallon: number('Miles per gallon'),
      cylinders: number('Cylinders'),
      horsepower: number('Horsepower'),
      weight: number('Weight'),
      acceleration: number('Acceleration'),
      year: date('Year'),
      origin: select('Origin', cars, 'Origin'),
    },
    { label: 'Car', pluralLabel: 'Cars' },
  )
  await host.defineObject(
    'penguin',
    {
      species: select('Species', penguins, 'Species'),
      island: select('Island', penguins, 'Island'),
      beak_length: number('Beak length'),
      beak_depth: number('Beak depth'),
      flipper_length: number('Flipper length'),
      body_mass: number('Body mass'),
      sex: select('Sex', penguins, 'Sex'),
    },
    { label: 'Penguin', pluralLabel: 'Penguins' },
  )
  await host.defineObject(
    'airport',
    {
      iata: text('IATA code'),
      name: text('Name'),
      city: text('City'),
      state: text('State'),
      country: text('Country'),
      latitude: number('Latitude'),
      longitude: number('Longitude'),
    },
    { label: 'Airport', pluralLabel: 'Airports' },
  )
  await host.defineObject(
    'weather_day',
    {
      date: date('Date'),
      precipitation: number('Precipitation'),
      temp_max: number('Maximum temperature'),
      temp_min: number('Minimum temperature'),
      wind: number('Wind'),
      weather: select('Weather', days, 'weather'),
    },
    { label: 'Weather day', pluralLabel: 'Weather days' },
  )

  const store = async (object: string, rows: readonly Row[]): Promise<void> => {
    for (let at = 0; at < rows.length; at += 1_000) {
      const { status, body } = await host.post(`/data/${object}/createMany`, rows.slice(at, at + 1_000))
      if (status !== 201) throw new Error(`${object}: ${JSON.stringify(body).slice(0, 500)}`)
    }
  }
  const stored = (value: unknown): string | null => (typeof value === 'string' ? optionValue(value) : null)
  const textOrNull = (value: unknown): string | null => (value === null ? null : String(value))
  await store(
    'movie',
    films.map((film) => ({
      title: textOrNull(film['Title']),
      worldwide_gross: film['Worldwide Gross'] ?? null,
      production_budget: film['Production Budget'] ?? null,
      release_date: dayOf(film['Release Date']),
      mpaa_rating: stored(film['MPAA Rating']),
      running_time: film['Running Time min'] ?? null,
      distributor: textOrNull(film['Distributor'] ?? null),
      source: stored(film['Source']),
      genre: stored(film['Major Genre']),
      director: film['Director'] ?? null,
      imdb_rating: film['IMDB Rating'] ?? null,
    })),
  )
  await store(
    'car',
    cars.map((car) => ({
      name: car['Name']!,
      miles_per_gallon: car['Miles_per_Gallon']!,
      cylinders: car['Cylinders']!,
      horsepower: car['Horsepower']!,
      weight: car['Weight_in_lbs']!,
      acceleration: car['Acceleration']!,
      year: car['Year']!,
      origin: car['Origin']!,
    })),
  )
  await store(
    'penguin',
    penguins.map((row) => ({
      species: row['Species']!,
      island: row['Island']!,
      beak_length: row['Beak Length (mm)']!,
      beak_depth: row['Beak Depth (mm)']!,
      flipper_length: row['Flipper Length (mm)']!,
      body_mass: row['Body Mass (g)']!,
      sex: row['Sex']!,
    })),
  )
  await store(
    'airport',
    airports.map(({ latitude, longitude, ...row }) => ({
      ...(row as Row),
      latitude: Number(latitude),
      longitude: Number(longitude),
    })),
  )
  await store(
    'weather_day',
    days.map((row) => ({
      date: row['date']!,
      precipitation: Number(row['precipitation']),
      temp_max: Number(row['temp_max']),
      temp_min: Number(row['temp_min']),
      wind: Number(row['wind']),
      weather: row['weather']!,
    })),
  )
}
