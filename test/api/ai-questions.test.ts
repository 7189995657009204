// Questions in words to the embedded provider (D-178, D-179, D-290, D-291): what is understood, how sure it claims to be, and that
// the query means what was asked.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost({ clock: createManualClock(Date.UTC(2026, 4, 20, 12)) })
  await host.patch('/settings', { timezone: 'UTC' })
  await host.defineObject('account', { name: { type: 'text' }, city: { type: 'text' } }, { label: 'Account' })
  await host.defineObject(
    'task',
    {
      title: { type: 'text', label: 'Title' },
      status: {
        type: 'select',
        label: 'Status',
        options: [
          { value: 'open', label: 'Open' },
          { value: 'in_progress', label: 'In progress' },
          { value: 'closed', label: 'Closed' },
        ],
      },
      priority: {
        type: 'select',
        label: 'Priority',
        options: ['low', 'high'].map((value) => ({ value, label: value })),
      },
      due_date: { type: 'date', label: 'Due date' },
      hours: { type: 'number', label: 'Hours' },
      cost: { type: 'currency', label: 'Cost' },
      urgent: { type: 'boolean', label: 'Urgent' },
      account: { type: 'lookup', reference: 'account', label: 'Account' },
      assignee: { type: 'user', label: 'Assignee' },
    },
    { label: 'Task', pluralLabel: 'Tasks' },
  )
  await host.put('/meta/translation/german', {
    item: {
      name: 'german',
      locale: 'de',
      translations: {
        objects: {
          task: {
            label: 'Aufgabe',
            pluralLabel: 'Aufgaben',
            fields: { status: { label: 'Status', options: { open: 'Offen' } } },
          },
        },
      },
    },
  })
  const accounts = (await host.post('/data/account/createMany', [{ name: 'Acme' }, { name: 'Globex Corp' }])).body
    .records
  const me = (await host.get('/permissions/effective')).body
  expect(me.profile).toBe('administrator')
  const owner = '00000000-0000-7000-8000-000000000001'
  const rows = [
    {
      title: 'A',
      status: 'open',
      priority: 'high',
      due_date: '2026-05-01',
      hours: 5,
      cost: 100,
      urgent: true,
      account: accounts[0].id,
      assignee: owner,
    },
    {
      title: 'B',
      status: 'open',
      priority: 'low',
      due_date: '2026-05-25',
      hours: 15,
      cost: 900,
      urgent: false,
      account: accounts[1].id,
    },
    {
      title: 'C',
      status: 'in_progress',
      priority: 'high',
      due_date: '2026-04-10',
      hours: 2,
      cost: 50,
      urgent: false,
      assignee: owner,
    },
    {
      title: 'D',
      status: 'closed',
      priority: 'low',
      due_date: '2026-03-03',
      hours: 8,
      cost: 400,
      urgent: false,
      account: accounts[0].id,
    },
    { title: 'E', hours: 1 },
  ]
  expect((await host.post('/data/task/createMany', rows)).status).toBe(201)
}, 60_000)
afterAll(() => host.stop())

const ask = (query: string, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  host.post('/ai/nlq', { query, execute: true, ...more }, headers)

describe('lists', () => {
  const cases: readonly (readonly [question: string, titles: string])[] = [
    ['show all tasks', 'ABCDE'],
    ['open tasks', 'AB'],
    ['tasks that are not closed', 'ABCE'],
    ['tasks with status open or in progress', 'ABC'],
    ['open or closed tasks', 'ABD'],
    ['high priority open tasks', 'A'],
    ['tasks with hours greater than 4', 'ABD'],
    ['tasks where hours is at least 8', 'BD'],
    ['tasks with hours under 5', 'CE'],
    ['tasks with hours between 2 and 8', 'ACD'],
    ['tasks with cost over 1,000', ''],
    ['tasks with cost above $100', 'BD'],
    ['overdue tasks', 'AC'],
    ['my tasks', 'AC'],
    ['my open tasks', 'A'],
    ['tasks assigned to me', 'AC'],
    ['unassigned tasks', 'BDE'],
    ['tasks without account', 'CE'],
    ['tasks with no due date', 'E'],
    ['tasks where due date is empty', 'E'],
    ['tasks where account is not empty', 'ABD'],
    ['urgent tasks', 'A'],
    ['tasks that are not urgent', 'BCDE'],
    ['tasks due date this month', 'AB'],
    ['tasks with due date last month', 'C'],
    ['tasks with due date in March', 'D'],
    ['tasks with due date since April', 'ABC'],
    ['tasks with due date before 2026-04-01', 'D'],
    ['tasks with due date after 10 May 2026', 'B'],
    ['tasks with due date between 2026-04-01 and 2026-05-01', 'AC'],
    ['tasks with due date in the next 7 days', 'B'],
    ['tasks of Acme', 'AD'],
    ['open tasks for account Globex Corp', 'B'],
    ['tasks named "A"', 'A'],
    ['tasks with more than 4 hours', 'ABD'],
    ['tasks created today', 'ABCDE'],
    ['tasks created last month', ''],
    ['Aufgaben mit Status offen', 'AB'],
    ['offene Aufgaben', 'AB'],
    ['show me my tasks', 'AC'],
    ['zeige mir alle Aufgaben mit Hours größer als 4', 'ABD'],
    ['meine Aufgaben', 'AC'],
    ['überfällige Aufgaben', 'AC'],
    ['Aufgaben ohne Account', 'CE'],
    ['Aufgaben mit Due date seit April', 'ABC'],
  ]
  it.each(cases)('%s', async (question, expected) => {
    const { status, body } = await ask(question, {}, { 'accept-language': 'de' })
    expect(status, JSON.stringify(body)).toBe(200)
    const found = (body.result.records as { title: string }[])
      .map(({ title }) => title)
      .toSorted()
      .join('')
    expect(found, JSON.stringify(body.query)).toBe(expected)
    expect(body.provider).toBe('embedded')
    expect(body.query.object).toBe('task')
    expect(body.confidence).toBeGreaterThan(0.4)
    expect(body.explanation).toMatch(/^\p{Lu}.*\.$/u)
  })
})

describe('order, numbers and groups', () => {
  it('sorts and limits', async () => {
    const titles = async (question: string) =>
      (await ask(question)).body.result.records.map(({ title }: { title: string }) => title).join('')
    expect(await titles('top 2 tasks by cost')).toBe('BD')
    expect(await titles('tasks sorted by hours descending')).toBe('BDACE')
    expect(await titles('tasks ordered by due date')).toBe('EDCAB')
    expect(await titles('3 newest tasks')).toBe('EDC')
    expect(await titles('oldest 2 tasks')).toBe('AB')
    expect(await titles('tasks with the highest hours')).toMatch(/^BDA/)
  })

  it('works values out', async () => {
    const groups = async (question: string) => {
      const { status, body } = await ask(question)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.result.records
    }
    expect(await groups('how many tasks are open')).toEqual([{ count: 2 }])
    expect(await groups('number of tasks by status')).toEqual(
      expect.arrayContaining([
        { status: 'open', count: 2 },
        { status: 'closed', count: 1 },
      ]),
    )
    expect(await groups('total cost of open tasks')).toEqual([{ sum_cost: 1000 }])
    expect(await groups('average hours per status')).toEqual(
      expect.arrayContaining([{ status: 'open', avg_hours: 10 }]),
    )
    expect(await groups('sum of cost by account')).toEqual(
      expect.arrayContaining([
        { 'account.name': 'Acme', sum_cost: 500 },
        { 'account.name': 'Globex Corp', sum_cost: 900 },
      ]),
    )
    expect(await groups('what is the highest cost of tasks')).toEqual([{ max_cost: 900 }])
    expect(await groups('tasks per month')).toEqual([{ month: expect.any(String), count: 5 }])
    const german = await ask('wie viele Aufgaben sind offen', {}, { 'accept-language': 'de' })
    expect(german.body.result.records).toEqual([{ count: 2 }])
  })
})

describe('values of other fields', () => {
  it('are found in the records', async () => {
    await host.post('/data/account/createMany', [
      { name: 'R', city: 'Rome' },
      { name: 'S', city: 'Oslo' },
    ])
    const { body } = await ask('accounts in Rome')
    expect([body.query.filter, body.result.total]).toEqual([{ city: 'Rome' }, 1])
    const both = (await ask('accounts in Rome or Oslo')).body
    expect(both.result.records.map(({ name }: { name: string }) => name)).toEqual(['R', 'S'])
  })
})

describe('honesty', () => {
  it('claims little where it does not understand', async () => {
    for (const question of [
      'tasks with a purple elephant',
      'tasks that somebody in Berlin liked',
      'tasks which are neither blocked nor shipped',
      'tasks whose budget exceeds the forecast',
      'tasks from last week',
      'tasks related to invoices',
      'tasks that Bob finished',
      'tasks more important than average',
      'tasks without hours over budget',
      'how long do tasks take',
      'tasks due soon',
      'which accounts have no tasks',
      'tasks with a cost that doubled since March',
    ]) {
      const { status, body } = await ask(question)
      expect(status === 422 || body.confidence <= 0.8, `${question}: ${JSON.stringify(body)}`).toBe(true)
    }
  })

  it('says so when it understands nothing', async () => {
    for (const question of ['what is the weather', 'hello', 'xyzzy plugh', '???']) {
      const { status, body } = await ask(question)
      expect([status, body.error?.code], question).toEqual([422, 'ai_query_not_understood'])
      expect(body.error.details.suggestions.length).toBeGreaterThan(0)
    }
    expect((await ask('')).status).toBe(400)
    expect((await ask('open', { object: 'nothing' })).status).toBe(404)
    expect((await host.post('/ai/nlq', { query: 5 })).status).toBe(400)
    expect((await host.anonymous('POST', '/ai/nlq', { query: 'tasks' })).status).toBe(401)
  })

  it('takes hostile text as text', async () => {
    for (const question of [
      'tasks named "\'; DROP TABLE o_task; --"',
      'tasks named "%_"',
      `tasks ${'open or '.repeat(300)}open`,
      'tasks \u0000 open',
      '"'.repeat(500),
      'tasks $where __proto__ constructor',
    ]) {
      const { status } = await ask(question)
      expect([200, 400, 422], question.slice(0, 40)).toContain(status)
    }
    expect((await ask('show all tasks')).body.result.total).toBe(5)
  })
})

describe('what it is asked with', () => {
  it('an object, and a conversation that goes on', async () => {
    const first = (await ask('open', { object: 'task' })).body
    expect(first.query).toEqual({ object: 'task', filter: { status: 'open' }, sort: [], top: 20 })
    expect(first.confidence).toBeGreaterThan(0.8)
    const next = (await ask('only urgent', { conversationId: first.conversationId })).body
    expect([next.conversationId, next.query.filter]).toEqual([first.conversationId, { urgent: true }])
    expect((await ask('open', { conversationId: '0190f2a4-0000-7000-8000-0000000000ff' })).status).toBe(404)
    const plain = (await host.post('/ai/nlq', { query: 'closed tasks' })).body
    expect(plain).not.toHaveProperty('result')
    const rest = await host.post('/data/task/query', plain.query)
    expect(rest.body.records.map(({ title }: { title: string }) => title)).toEqual(['D'])
  })
})
