// Accounts, labels and tasks for tests of OData, and the calls they are read with.
import { expect } from 'vitest'
import { createTestHost } from './create-test-host.ts'
import type { Answer, TestHost } from './create-test-host.ts'

/** A record or an entity. */
export type ODataRow = Record<string, unknown>

/** Options of a request by name. */
type Options = Readonly<Record<string, string | number>>

/** A host with the records, and ids by name or title. */
export interface ODataWorld {
  readonly host: TestHost
  readonly accounts: Readonly<Record<string, string>>
  readonly tasks: Readonly<Record<string, string>>
  read(path: string, options?: Options, headers?: Record<string, string>): Promise<Answer>
  /** Status, code and details of a refusal. */
  refusal(options: Options, path?: string): Promise<ODataRow>
}

/** The address of a request below the prefix. */
export function odataUrl(path: string, options: Options = {}): string {
  const words = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return `/odata/${path}${words.length === 0 ? '' : `?${words.join('&')}`}`
}

/** Starts the host and stores the records. */
export async function createODataWorld(): Promise<ODataWorld> {
  const host = await createTestHost()
  await host.defineObject('account', {
    name: { type: 'text', required: true, maxLength: 80 },
    city: { type: 'text' },
    revenue: { type: 'currency' },
  })
  await host.defineObject('label', { name: { type: 'text' } })
  await host.defineObject('task', {
    title: { type: 'text', required: true },
    note: { type: 'textarea' },
    hours: { type: 'number' },
    count: { type: 'number', scale: 0 },
    done: { type: 'boolean' },
    due: { type: 'date' },
    at: { type: 'datetime' },
    clock: { type: 'time' },
    status: { type: 'select', options: ['open', 'busy', 'closed'].map((value) => ({ value, label: value })) },
    tags: { type: 'tags' },
    place: { type: 'address' },
    account: { type: 'lookup', reference: 'account', relationshipName: 'tasks' },
    labels: { type: 'lookup', reference: 'label', multiple: true },
    parent: { type: 'tree', reference: 'task' },
  })
  const made = async (object: string, rows: ODataRow[], key: string): Promise<Record<string, string>> => {
    const { status, body } = await host.post(`/data/${object}/createMany`, rows)
    expect(status, JSON.stringify(body)).toBe(201)
    return Object.fromEntries(body.records.map((record: ODataRow) => [record[key], record['id']]))
  }
  const accounts = await made(
    'account',
    [
      { name: 'Acme', city: 'Rome', revenue: 10.5 },
      { name: "O'Neil", city: 'Bonn', revenue: 20 },
    ],
    'name',
  )
  const labels = await made('label', [{ name: 'red' }, { name: 'blue' }], 'name')
  const tasks = await made(
    'task',
    [
      {
        title: 'Alpha',
        hours: 1.5,
        count: 1,
        done: false,
        due: '2026-01-15',
        at: '2026-01-15T08:30:10.000Z',
        clock: '08:30:00',
        status: 'open',
        tags: ['x', 'yy'],
        place: { city: 'Köln', street: 'A 1' },
        account: accounts['Acme'],
        labels: [labels['red'], labels['blue']],
      },
      {
        title: 'beta  ',
        hours: 2.5,
        count: 2,
        done: true,
        due: '2026-02-28',
        at: '2026-02-28T23:59:59.000Z',
        clock: '17:05:30',
        status: 'busy',
        tags: ['x'],
        account: accounts["O'Neil"],
        labels: [labels['blue']],
      },
      { title: 'Gamma', hours: -3, count: 3, done: true, due: '2025-12-31', status: 'closed', tags: ['zeta'] },
      { title: 'delta', note: 'nothing else' },
    ],
    'title',
  )

  const read: ODataWorld['read'] = (path, options = {}, headers = {}) => host.get(odataUrl(path, options), headers)
  return {
    host,
    accounts,
    tasks,
    read,
    async refusal(options, path = 'task') {
      const { status, body } = await read(path, options)
      return { status, code: body.error?.code, ...body.error?.details }
    },
  }
}
