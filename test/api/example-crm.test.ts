// The example application, and public data with gaps, over the API of a real host: what a first user does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiCall } from '../support/api-call.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { loadCrm } from '../support/crm.ts'
import { readAirportsCsv } from '../support/datasets.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
})

afterAll(async () => {
  await host.stop()
})

describe('example CRM', () => {
  it('loads through PUT /meta/object/:name and POST /data/:object/createMany', async () => {
    const counts = await loadCrm(createApiCall(host.host.url, host.host.token))
    expect(Object.fromEntries(counts)).toEqual({
      crm_account: 48,
      crm_contact: 120,
      crm_deal: 160,
      crm_activity: 200,
    })
    const list = await host.get('/data/crm_activity?count=true&top=1')
    expect(list.body.total).toBe(200)
  })

  it('keeps ids and gives each account and deal a number of its own', async () => {
    const accounts = await host.get('/data/crm_account?top=100&select=account_number')
    const numbers = accounts.body.records.map((record: { account_number: string }) => record.account_number)
    expect(numbers[0]).toBe('A-0001')
    expect(new Set(numbers).size).toBe(48)
    expect(accounts.body.records[0].id).toBe('019b8b74-1800-7001-8c00-6a11e3070000')
  })

  it('lists open deals by amount with account and contact expanded', async () => {
    const filter = encodeURIComponent(JSON.stringify({ stage: { $nin: ['won', 'lost'] } }))
    const deals = await host.get(`/data/crm_deal?filter=${filter}&sort=-amount&top=5&expand=account,contact`)
    expect(deals.status).toBe(200)
    const amounts = deals.body.records.map((record: { amount: number }) => record.amount)
    expect(amounts).toEqual(amounts.toSorted((a: number, b: number) => b - a))
    for (const deal of deals.body.records) expect(deal.title).toContain(deal.account.name)
  })

  it('filters through the lookup and finds by text', async () => {
    const filter = encodeURIComponent(JSON.stringify({ 'account.industry': 'energy' }))
    const deals = await host.get(`/data/crm_deal?filter=${filter}&count=true&expand=account`)
    expect(deals.body.total).toBeGreaterThan(0)
    const industries = deals.body.records.map((deal: { account: { industry: string } }) => deal.account.industry)
    expect(new Set(industries)).toEqual(new Set(['energy']))
    const found = await host.get('/data/crm_account?search=velmora')
    expect(found.body.records.map((record: { name: string }) => record.name)).toEqual(['Velmora Components'])
  })

  it('refuses to delete an account that has deals', async () => {
    const [deal] = (await host.get('/data/crm_deal?top=1')).body.records
    const answer = await host.delete(`/data/crm_account/${deal.account}`)
    expect([answer.status, answer.body.error.code]).toEqual([409, 'delete_restricted'])
  })
})

describe('airports', () => {
  it('come in by POST /data/:object/import, every row of the file', async () => {
    await host.defineObject('airport', {
      iata: { type: 'text', unique: true },
      name: { type: 'text', required: true },
      city: { type: 'text' },
      state: { type: 'text' },
      country: { type: 'text' },
      latitude: { type: 'number', min: -90, max: 90 },
      longitude: { type: 'number', min: -180, max: 180 },
    })
    const report = await host.post('/data/airport/import', { csv: readAirportsCsv() })
    expect(report.body).toMatchObject({ total: 3_376, created: 3_376, failed: 0 })
    const [airport] = (await host.get('/data/airport?iata=ORD')).body.records
    expect(airport).toMatchObject({ city: 'Chicago', state: 'IL', country: 'USA' })
  })
})
