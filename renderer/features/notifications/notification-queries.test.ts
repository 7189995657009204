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
    expect(bodyOf({ type: 'system', body: 'as the host says it', data: mail })).toBe(
      'There is no mail server. For ada@example.org: Link to set a password',
    )
    const paused = { flow: 'remind', runId: 'r1', paused: true }
    expect(titleOf({ type: 'flow', title: 'as the host says it', data: paused })).toBe(
      'The schedule of the flow remind is paused',
    )
    const { paused: _, ...step } = paused
    expect(titleOf({ type: 'flow', title: 'Water the plants', data: step })).toBe('Water the plants')
  })

  it('say who did what, and how an approval stands, by what the program tells beside its own words', () => {
    const deed = { who: 'Ada', says: 'Ada asks for an approval of', status: 'pending' }
    const approval = { type: 'approval', title: 'Ada asks for an approval of the loan', data: deed } as const
    expect(titleOf(approval)).toBe('Ada: approval of the loan (Waiting)')
    expect(titleOf({ ...approval, data: { ...deed, says: 'Bob says' } })).toBe(approval.title)
    expect(bodyOf({ ...approval, body: 'An approval is asked for.' })).toBe('')
    const changed = {
      type: 'record',
      title: 'The system changed 3 Deals',
      data: { says: 'The system changed', count: 3 },
    }
    expect(titleOf(changed as never)).toBe('Cairn changed 3 Deals')
    expect(titleOf({ type: 'approval', title: 'An approval is asked of you', data: { status: 'pending' } })).toBe(
      'Approval: To decide',
    )
  })
})
