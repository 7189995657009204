// What is said of states and approvals, and what is offered to whom.
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../lib/api-error.ts'
import { waitsFor } from '../../lib/open-approvals.ts'
import type { Approval } from './workflow-queries.ts'
import { actsOf, peopleText, shownState, stepProblem, transitionLabel } from './workflow-words.ts'

const approval = (part: Partial<Approval> = {}): Approval => ({
  id: 'a',
  object: 'order',
  recordId: 'r',
  submitterId: 'sue',
  status: 'pending',
  behavior: 'unanimous',
  lockRecord: true,
  requireRejectReason: false,
  approvers: ['ann', 'ben'],
  decisions: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  ...part,
})
const decision = { userId: 'ann', decision: 'approve', timestamp: '2026-01-02T00:00:00.000Z' } as const

describe('what may be done with an approval', () => {
  const acts = (id: string | undefined, part?: Partial<Approval>, isAdministrator = false): string =>
    actsOf(approval(part), { id, isAdministrator }).join(' ')

  it('is for those who decide, until they have', () => {
    expect(acts('ann')).toBe('approve reject reassign')
    expect(acts('ann', { decisions: [decision] })).toBe('')
    expect(acts('ben', { decisions: [decision] })).toBe('approve reject reassign')
    expect(waitsFor(approval({ decisions: [decision] }), 'ann')).toBe(false)
  })

  it('is for the submitter to take back, and for administrators to take back and hand on', () => {
    expect(acts('sue')).toBe('recall')
    expect(acts('sue', { approvers: ['sue'] })).toBe('approve reject reassign recall')
    expect(acts('root', {}, true)).toBe('reassign recall')
    expect(acts('ann', { decisions: [decision] }, true)).toBe('recall')
  })

  it('is nothing for others, for nobody, and once it is decided', () => {
    expect(acts('zoe')).toBe('')
    expect(acts(undefined)).toBe('')
    for (const status of ['approved', 'rejected', 'recalled'] as const) expect(acts('ann', { status }, true)).toBe('')
  })
})

describe('words', () => {
  it('name people, and count those without a name', () => {
    const nameOf = (id: string): string | undefined => ({ ann: 'Ann', ben: 'Ben' })[id]
    expect(peopleText(['ann', 'ben'], nameOf)).toBe('Ann and Ben')
    expect(peopleText(['ann', 'x', 'y'], nameOf)).toBe('Ann and 2 other people')
    expect(peopleText(['x'], nameOf)).toBe('1 person')
  })

  it('call states by their label on their colour, and unknown ones by their name', () => {
    const states = [
      { name: 'a', label: 'A', final: false },
      { name: 'b', label: 'B', color: 'green', final: true },
    ]
    expect(shownState({ states }, 'a')).toEqual({ label: 'A', className: 'field-hue-0' })
    expect(shownState({ states }, 'b')).toEqual({ label: 'B', className: 'field-hue-4' })
    expect(shownState({ states }, 'c')).toEqual({ label: 'c', className: 'field-hue-none' })
    expect(shownState({ states }, null).label).toBe('No state')
    expect(transitionLabel(undefined, 'go')).toBe('go')
  })

  it('say that nobody could approve', () => {
    const error = new ApiError({
      code: 'validation_error',
      message: 'm',
      httpStatus: 400,
      category: 'validation',
      retryable: false,
      details: { fieldErrors: [{ field: 'approvers', code: 'required', message: 'm' }] },
    })
    expect(stepProblem(error)).toBe('Nobody was found who could approve this. Nothing was changed.')
  })
})
