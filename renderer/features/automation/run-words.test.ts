import { describe, expect, it } from 'vitest'
import { inputOf, readJson, screenFieldsOf } from './run-inputs.ts'
import { actsOf, durationText, triggerText, waitText } from './run-words.ts'
import { cronText, distanceText, momentIn, nextRuns } from './schedule-words.ts'

describe('a run', () => {
  it('is cancelled while it is not over, retried when it failed, resumed while it waits for somebody', () => {
    type Run = Parameters<typeof actsOf>[0]
    const acts = (status: Run['status'], type?: string, runAs: Run['runAs'] = 'user', mayDesign = false): string =>
      Object.entries(actsOf({ status, runAs, ...(type === undefined ? {} : { waitingFor: { type } }) }, mayDesign))
        .filter(([, may]) => may)
        .map(([act]) => act)
        .join()
    expect([acts('running'), acts('failed'), acts('timed_out'), acts('completed')]).toEqual([
      'cancel',
      'retry',
      'retry',
      '',
    ])
    expect(['screen', 'subflow', 'approval'].map((type) => acts('paused', type))).toEqual([
      'cancel,resume',
      'cancel',
      'cancel',
    ])
    // What runs as the system asks its user, and takes nothing else from them.
    expect(['screen', 'signal'].map((type) => acts('paused', type, 'system'))).toEqual(['cancel,resume', ''])
    expect([acts('failed', undefined, 'system'), acts('failed', undefined, 'system', true)]).toEqual(['', 'retry'])
  })

  it('says what started it, what it waits for and how long it took', () => {
    expect(triggerText({ type: 'manual', event: 'manual' })).toBe('by hand')
    expect(triggerText({ type: 'record_change', object: 'book', event: 'update' })).toBe('by a record: book, update')
    expect(waitText({ type: 'signal', signal: 'paid' })).toBe('It waits for the signal “paid”.')
    expect([undefined, 12, 1_240, 125_000].map(durationText)).toEqual(['', '12 ms', '1.2 s', '2 min 5 s'])
  })
})

describe('the form of a run', () => {
  const fields = screenFieldsOf([
    { name: 'amount', type: 'number', defaultValue: 2 },
    { name: 'why', required: true, label: 'Why?' },
    { name: 'kind', type: 'select', options: ['a', { value: 'b', label: 'B' }] },
    { name: 'sure', type: 'boolean' },
    { name: 'tags', type: 'multiselect' },
  ])

  it('is read whatever the flow left out', () => {
    expect(fields.map(({ label, type, first }) => [label, type, first])).toEqual([
      ['amount', 'number', '2'],
      ['Why?', 'text', ''],
      ['kind', 'select', ''],
      ['sure', 'boolean', ''],
      ['tags', 'multiselect', ''],
    ])
    expect(fields[2]!.options).toEqual([
      { value: 'a', label: 'a' },
      { value: 'b', label: 'B' },
    ])
  })

  it('becomes inputs; what is empty is left out, what is no number is for the host to say', () => {
    expect(inputOf(fields, { tags: 'x, y' })).toEqual({ amount: 2, sure: false, tags: ['x', 'y'] })
    expect(inputOf(fields, { amount: 'two', sure: 'true' })).toEqual({ amount: 'two', sure: true })
    expect([readJson(' '), readJson('[1]').value, readJson('{').ok]).toEqual([
      { ok: true, value: undefined },
      [1],
      false,
    ])
  })
})

describe('a schedule', () => {
  it('is said in words where they are shorter than its line', () => {
    const lines = ['every 90 s', 'every 120 s', 'every 3600 s', '* * * * *', '*/15 * * * *', '5 * * * *', '0 9 * * *']
    expect(lines.map(cronText)).toEqual([
      'every 90 seconds',
      'every 2 minutes',
      'every hour',
      'every minute',
      'every 15 minutes',
      'every hour, 05 minutes past',
      'every day at 09:00',
    ])
    expect(['30 8 * * 1-5', '0 7 * * 1,5', '0 0 1 * *', '0 9 1 1 *', '0 9-17 * * *'].map(cronText)).toEqual([
      'Monday to Friday at 08:30',
      'Monday and Friday at 07:00',
      'on day 1 of every month at 00:00',
      '0 9 1 1 *',
      '0 9-17 * * *',
    ])
  })

  it('has the next time the host says, and those after it on the clock of its zone', () => {
    const times = nextRuns({ cron: '0 9 * * *', timezone: 'Europe/Berlin', nextRunAt: '2026-03-28T08:00:00.000Z' })
    expect(times.map((time) => momentIn(time, 'Europe/Berlin'))).toEqual([
      'Sat, Mar 28, 09:00',
      'Sun, Mar 29, 09:00',
      'Mon, Mar 30, 09:00',
    ])
    expect(
      nextRuns({ cron: 'every 60 s', timezone: 'UTC', nextRunAt: '2026-03-28T08:00:00.000Z' })[2]!.toISOString(),
    ).toBe('2026-03-28T08:02:00.000Z')
    expect(nextRuns({ cron: '0 9 * * *', timezone: 'UTC', nextRunAt: null })).toEqual([])
  })

  it('says how far off a time is', () => {
    const off = (seconds: number): string => distanceText(new Date(seconds * 1_000), 0)
    expect([off(30), off(-120), off(7_200), off(86_400)]).toEqual([
      'in 30 seconds',
      '2 minutes ago',
      'in 2 hours',
      'tomorrow',
    ])
  })
})
