// Where a notification leads.
import { describe, expect, it } from 'vitest'
import { aboutOf, bodyOf, targetOf, titleOf } from './notification-queries.ts'

describe('what a notification is about', () => {
  it('is its kind, and of a change of many records their number', () => {
    expect(aboutOf({ type: 'record', data: {} })).toBe('Record')
    expect(aboutOf({ type: 'record', data: { count: 1 } })).toBe('1 record')
    expect(aboutOf({ type: 'record', data: { count: 200 } })).toBe('200 records')
  })
})

describe('the target of a notification', () => {
  it('is a place of the application', () => {
    expect(targetOf({ actionUrl: '#/imports/1', data: {} })).toBe('#/imports/1')
    const entry = '#/o/task?rec=1&tab=activity&item=f'
    expect(targetOf({ actionUrl: '#/o/task?rec=1', data: { feedId: 'f' } })).toBe(entry)
    expect(targetOf({ actionUrl: entry, data: { feedId: 'f' } })).toBe(entry)
    expect(targetOf({ actionUrl: '#/o/task?rec=1', data: {} })).toBe('#/o/task?rec=1')
  })

  it('is nothing else', () => {
    for (const actionUrl of ['https://example.org', 'javascript:alert(1)', '//example.org', '#top']) {
      expect(targetOf({ actionUrl, data: {} })).toBeUndefined()
    }
    expect(targetOf({ data: {} })).toBeUndefined()
  })
})

describe('words of a notification', () => {
  it('are the own ones of the reader for what the program tells, and those of people for a step of a flow', () => {
    const mail = { waitingMailId: 'm1', kind: 'reset-password', to: 'ada@example.org' }
    expect(bodyOf({ body: 'as the host says it', data: mail })).toBe(
      'There is no mail server. For ada@example.org: Link to set a password',
    )
    const paused = { flow: 'remind', runId: 'r1', paused: true }
    expect(titleOf({ title: 'as the host says it', data: paused })).toBe('The schedule of the flow remind is paused')
    const { paused: _, ...step } = paused
    expect(titleOf({ title: 'Water the plants', data: step })).toBe('Water the plants')
  })
})
