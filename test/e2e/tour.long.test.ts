// One way through the data engine with public data: three related tables from three formats, links, computed fields, rules,
// a change of type with losses, groups, undo, and everything moved into a fresh workspace. Each step builds on the last.
import Papa from 'papaparse'
import writeXlsx from 'write-excel-file/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { readAirportFlights, readAirportsCsv, readZipCodesCsv } from '../support/datasets.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

type Row = Record<string, unknown>

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const flights = readAirportFlights('flights-2k.json')
const laterFlights = readAirportFlights('flights-5k.json').slice(0, 500)
const airports = Papa.parse<Record<string, string>>(readAirportsCsv(), { header: true, skipEmptyLines: true }).data

/** Postal areas and counties of each state, from the 42,049 postal areas. */
function statesFromZipCodes(): { code: string; zipCodes: number; counties: number }[] {
  const areas = Papa.parse<Record<string, string>>(readZipCodesCsv(), { header: true, skipEmptyLines: true }).data
  return [...Map.groupBy(areas, (area) => area.state ?? '')].map(([code, ofState]) => ({
    code,
    zipCodes: ofState.length,
    counties: new Set(ofState.map((area) => area.county)).size,
  }))
}

describe('a tour of the data engine', () => {
  let bench: ConsoleBench
  let opened: ConsolePage
  const states = statesFromZipCodes()
  const knownStates = new Set(states.map(({ code }) => code))
  /** Airports of a state nobody knows cannot be linked; `NA` means none. */
  const unlinked = airports.filter(({ state = '' }) => state !== 'NA' && !knownStates.has(state))
  const linkedAirports = airports.length - unlinked.length

  beforeAll(async () => {
    bench = await openBench()
    opened = await bench.open('/')
  })
  afterAll(async () => {
    await opened?.close()
    await bench?.stop()
  })

  const go = async (route: string): Promise<void> => {
    await opened.page.evaluate((hash) => {
      window.location.hash = hash
    }, route)
  }

  const count = async (path: string): Promise<number> =>
    (await bench.api<{ total: number }>('GET', `${path}${path.includes('?') ? '&' : '?'}count=true&top=1`)).total

  const choose = async (name: string, mimeType: string, buffer: Buffer): Promise<void> => {
    await opened.page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer })
  }

  const newTable = async (name: string, mimeType: string, buffer: Buffer): Promise<void> => {
    await go('/new')
    await opened.page.getByRole('heading', { name: 'New object' }).waitFor()
    await choose(name, mimeType, buffer)
    await opened.page.getByRole('heading', { name: 'Check the columns' }).waitFor()
  }

  const typeOf = async (column: string, label: string): Promise<void> => {
    await opened.page.getByRole('combobox', { name: `Type of column ${column}` }).selectOption({ label })
  }

  const object = async (name: string): Promise<Row & { fields: Row }> =>
    (await bench.api<{ item: Row & { fields: Row } }>('GET', `/meta/object/${name}`)).item

  const save = async (name: string, item: Row, query = ''): Promise<Row> =>
    bench.api('PUT', `/meta/object/${name}${query}`, { type: 'object', name, item })

  it('imports the states from a spreadsheet', async () => {
    const { page } = opened
    const file = await writeXlsx([
      { sheet: 'About', data: [[{ value: 'Counted from the postal areas' }]] },
      {
        sheet: 'States',
        data: [
          ['Code', 'Zip codes', 'Counties'].map((value) => ({ value })),
          ...states.map(({ code, zipCodes, counties }) => [{ value: code }, { value: zipCodes }, { value: counties }]),
        ],
      },
    ]).toBuffer()
    await newTable('states.xlsx', xlsx, file)
    await page.getByRole('combobox', { name: 'Sheet' }).selectOption('States')
    await page.getByRole('button', { name: `Create with ${states.length} records` }).click()
    await page.getByText(`${states.length} records added`).waitFor()
    const { records } = await bench.api<{ records: Row[] }>('GET', '/data/states?top=1000')
    expect(records.map((record) => [record.code, record.zip_codes, record.counties])).toEqual(
      states.map(({ code, zipCodes, counties }) => [code, zipCodes, counties]),
    )
  })

  it('imports the airports from CSV with a link to their state, and lists those it cannot link', async () => {
    const { page } = opened
    expect(unlinked.length).toBeGreaterThan(0)
    await newTable('airports.csv', 'text/csv', Buffer.from(readAirportsCsv()))
    await typeOf('state', 'Link to States')
    await page.getByRole('button', { name: 'Create with 3,376 records' }).click()
    await page.getByRole('heading', { name: 'Import finished: Airports' }).waitFor()
    await page.getByText(`${unlinked.length} rows failed`).waitFor()
    for (const { iata = '' } of unlinked) await page.getByRole('cell', { name: iata, exact: true }).waitFor()
    expect(await count('/data/airports')).toBe(linkedAirports)
    const { records } = await bench.api<{ records: Row[] }>('GET', '/data/airports?iata=00M&expand=state')
    expect(records).toMatchObject([{ name: 'Thigpen', state: { code: 'MS' } }])
  })

  it('imports the flights from JSON, both airports linked by their code', async () => {
    const { page } = opened
    await save('airports', { ...(await object('airports')), displayNameField: 'iata' })
    await newTable('flights.json', 'application/json', Buffer.from(JSON.stringify(flights)))
    await typeOf('origin', 'Link to Airports')
    await typeOf('destination', 'Link to Airports')
    await typeOf('delay', 'Text')
    await page.getByRole('button', { name: 'Create with 2,000 records' }).click()
    await page.getByText('2,000 records added').waitFor()
    const { records } = await bench.api<{ records: Row[] }>(
      'GET',
      '/data/flights?top=1&expand=origin.state,destination',
    )
    expect(records).toMatchObject([
      { date: '2001-01-01T06:55:00.000Z', delay: '-19', distance: 1797, destination: { iata: 'BNA' } },
    ])
    expect(records[0]).toMatchObject({ origin: { iata: 'LAX', state: { code: 'CA' } } })
  })

  it('computes a formula per flight and a summary per airport', async () => {
    const flight = await object('flights')
    const fields = {
      ...flight.fields,
      kilometers: { type: 'formula', label: 'Kilometers', expression: 'round(record.distance * 1.609344, 1)' },
    }
    await save('flights', { ...flight, fields })
    const airport = await object('airports')
    const departures = {
      type: 'summary',
      label: 'Departures',
      summaryOperations: { object: 'flights', function: 'count', relationField: 'origin' },
    }
    await save('airports', { ...airport, fields: { ...airport.fields, departures } })
    const [first] = (await bench.api<{ records: Row[] }>('GET', '/data/flights?top=1')).records
    expect(first?.kilometers).toBe(2892)
    const { records } = await bench.api<{ records: Row[] }>('GET', '/data/airports?sort=-departures&top=1000')
    const expected = new Map<string, number>()
    for (const { origin } of flights) expected.set(origin, (expected.get(origin) ?? 0) + 1)
    const found = records.filter((record) => record.departures !== 0)
    expect(new Map(found.map((record) => [record.iata, record.departures]))).toEqual(
      new Map([...expected].toSorted(([, a], [, b]) => b - a)),
    )
  })

  it('lets a flight change its state only where the state machine leads', async () => {
    const flight = await object('flights')
    await save('flights', {
      ...flight,
      fields: {
        ...flight.fields,
        status: { type: 'select', label: 'Status', options: ['scheduled', 'boarding', 'landed'] },
      },
      validations: [
        {
          name: 'course',
          type: 'state_machine',
          field: 'status',
          initial: 'scheduled',
          transitions: { scheduled: ['boarding'], boarding: ['landed'] },
        },
      ],
    })
    const { id } = await bench.api<{ id: string }>('POST', '/data/flights', { delay: '0', distance: 1 })
    const patch = async (status: string): Promise<unknown> => bench.api('PATCH', `/data/flights/${id}`, { status })
    await expect(patch('landed')).rejects.toThrow('invalid_transition')
    await patch('boarding')
    await patch('landed')
    await expect(patch('scheduled')).rejects.toThrow('invalid_transition')
    await bench.api('DELETE', `/data/flights/${id}?purge=true`)
    const { records } = await bench.api<{ records: Row[] }>('GET', '/data/flights?top=20')
    for (const record of records) {
      for (const status of ['scheduled', 'boarding'])
        await bench.api('PATCH', `/data/flights/${String(record.id)}`, { status })
    }
    expect(await count('/data/flights?status=boarding')).toBe(20)
    expect(await count('/data/flights')).toBe(2_000)
  })

  it('names the three values that are no numbers before a text becomes a number', async () => {
    const { records } = await bench.api<{ records: Row[] }>('GET', '/data/flights?top=3&sort=-id')
    const words = ['unknown', 'about 20', '12 min']
    for (const [index, record] of records.entries()) {
      await bench.api('PATCH', `/data/flights/${String(record.id)}`, { delay: words[index] })
    }
    const flight = await object('flights')
    const next = { ...flight, fields: { ...flight.fields, delay: { type: 'number', label: 'Delay' } } }
    const { plan, planHash } = (await save('flights', next, '?dryRun=true')) as { plan: Row[]; planHash: string }
    const change = plan.find((entry) => entry.change === 'retype_field')
    expect(change).toMatchObject({
      field: 'delay',
      from: 'text',
      to: 'number',
      records: 2_000,
      converted: 1_997,
      nulled: 3,
    })
    const failures = change?.failures as { id: string; value: string }[]
    expect(new Map(failures.map(({ id, value }) => [id, value]))).toEqual(
      new Map(records.map((record, index) => [record.id, words[index]])),
    )
    // Nothing is written yet, and without consent nothing will be.
    expect(await count('/data/flights?delay=12 min')).toBe(1)
    await expect(save('flights', next)).rejects.toThrow('destructive_change')
    await save('flights', next, `?confirm=${planHash}`)
    const filter = encodeURIComponent(JSON.stringify({ delay: { $null: true } }))
    expect(await count(`/data/flights?filter=${filter}`)).toBe(3)
    const [first] = (await bench.api<{ records: Row[] }>('GET', '/data/flights?top=1')).records
    expect(first?.delay).toBe(-19)
  })

  it('groups the flights by month on the screen', async () => {
    const { page } = opened
    await go('/')
    await page.reload()
    await go('/o/flights')
    await page.getByRole('button', { name: 'Summary' }).click()
    const summary = page.getByRole('region', { name: 'Summary of Flights' })
    await summary.getByLabel('Group by').selectOption('Date by month')
    const perMonth = Map.groupBy(flights, ({ date }) => date.slice(0, 7))
    expect([...perMonth.keys()].toSorted()).toEqual(['2001/01', '2001/02', '2001/03'])
    for (const [month, name] of [
      ['2001/01', 'Jan 2001'],
      ['2001/02', 'Feb 2001'],
      ['2001/03', 'Mar 2001'],
    ] as const) {
      await summary.getByRole('row', { name: `${name} ${perMonth.get(month)?.length}` }).waitFor()
    }
    await summary.getByRole('row', { name: 'Total 2,000' }).waitFor()
  })

  it('undoes the last import, summaries included', async () => {
    const { page } = opened
    const departures = async (): Promise<unknown> =>
      (await bench.api<{ records: Row[] }>('GET', '/data/airports?iata=HNL')).records[0]?.departures
    const before = await departures()
    await go('/o/flights/import')
    await page.getByRole('heading', { name: 'Import into Flights' }).waitFor()
    await choose('later-flights.json', 'application/json', Buffer.from(JSON.stringify(laterFlights)))
    await page.getByRole('button', { name: 'Import 500 records' }).click()
    await page.getByText('500 records added').waitFor()
    expect(await count('/data/flights')).toBe(2_500)
    expect(await departures()).not.toBe(before)
    await go('/imports')
    await page.getByRole('link', { name: 'later-flights.json' }).click()
    await page.getByRole('button', { name: 'Undo import' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
    await page.getByRole('heading', { name: 'Import undone: Flights' }).waitFor()
    await page.getByText('500 records removed').waitFor()
    expect(await count('/data/flights')).toBe(2_000)
    expect(await departures()).toBe(before)
  })

  describe('moves into a fresh workspace', () => {
    const objects = ['states', 'airports', 'flights']
    let second: TestHost

    beforeAll(async () => {
      second = await createTestHost()
    })
    afterAll(async () => second?.stop())

    const exported = async (name: string): Promise<string> => {
      const { url, token } = bench.host
      const answer = await fetch(`${url}/api/v1/data/${name}/export?format=ndjson`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(answer.status).toBe(200)
      return answer.text()
    }

    /** Records by id, with every field but the times of their writing. */
    const byId = (text: string): Map<unknown, Row> =>
      new Map(
        text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Row)
          .map(({ created_at: _, updated_at: __, ...rest }) => [rest.id, rest]),
      )

    const metadata = async (url: string, token: string): Promise<{ items: { item: Row }[] } & Row> => {
      const answer = await fetch(`${url}/api/v1/meta/export`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ types: ['object'] }),
      })
      expect(answer.status).toBe(200)
      return ((await answer.json()) as { data: { content: { items: { item: Row }[] } } }).data.content
    }

    const give = async (content: unknown): Promise<unknown> => {
      const taken = await second.post('/meta/import', { data: content, conflictResolution: 'overwrite' })
      return taken.body.data
    }

    it('with its objects, their rules last', async () => {
      // Flights under way are no new flights: the state machine would send each of them back to its beginning.
      const content = await metadata(bench.host.url, bench.host.token)
      const items = content.items.map((entry) => ({ ...entry, item: { ...entry.item, validations: [] } }))
      expect(await give({ ...content, items })).toMatchObject({ imported: objects.length, failed: 0 })
    })

    it.each(objects)('with every record of %s under its id', async (name) => {
      const text = await exported(name)
      const answer = await second.post(`/data/${name}/import?trimWhitespace=false`, text, {
        'content-type': 'application/x-ndjson',
      })
      expect(answer.body).toMatchObject({ failed: 0, errors: [], created: byId(text).size })
    })

    it('and holds equal definitions, and equal records with their computed fields', async () => {
      const content = await metadata(bench.host.url, bench.host.token)
      expect(await give(content)).toMatchObject({ imported: objects.length, failed: 0 })
      const { items } = await metadata(second.host.url, second.host.token)
      expect(items).toEqual(content.items)
      for (const name of objects) {
        const there = byId((await second.get(`/data/${name}/export?format=ndjson`)).body as string)
        expect(there).toEqual(byId(await exported(name)))
        expect(there.size).toBe({ states: states.length, airports: linkedAirports, flights: 2_000 }[name])
      }
    })
  })
})
