// What machines tell each other of approvals: nothing is lost on the way, and what is not for a machine to say is seen.
import { describe, expect, it } from 'vitest'
import type { TravellingWorkflow } from '#main/plugins/workflow/api.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import { entriesOf, missingEntries, parseWorkflowKey, workflowOf } from './entries.ts'
import { forgesWorkflow, opensApprovals } from './workflow-judge.ts'

const act = (userId: string, decision: 'approve' | 'reject', timestamp: string) => ({ userId, decision, timestamp })

const said: TravellingWorkflow = {
  approvals: [
    {
      id: 'one',
      workflow: 'steps',
      transition: 'close',
      submitterId: 'ann',
      comment: null,
      organizationId: null,
      definition: {
        approvers: [{ type: 'user', value: 'ben' }],
        behavior: 'unanimous',
        lockRecord: true,
        requireRejectReason: false,
      },
      createdAt: '2026-01-01T00:00:00.000Z',
      approvers: ['ben', 'cid'],
      acts: [act('ben', 'approve', '2026-01-02T00:00:00.000Z')],
      end: null,
    },
  ],
  changes: [
    {
      id: 'c1',
      workflow: 'steps',
      from: 'draft',
      to: 'open',
      action: 'open',
      userId: 'ann',
      at: '2026-01-01T00:00:00.000Z',
      comment: 'so',
      approvers: null,
    },
  ],
}

const registerOf = (entries: Readonly<Record<string, Json>>, losers: Readonly<Record<string, Json>> = {}): Register =>
  new Map(
    Object.entries(entries).map(([key, value]) => [
      key,
      { winner: [key, value, 0, 0, 1], losers: key in losers ? [[key, losers[key]!, 0, 0, 1]] : [] },
    ]),
  )

describe('approvals and histories as entries', () => {
  it('are read as they were written, and nothing is written twice', () => {
    const register = registerOf(entriesOf(said))
    expect(workflowOf(register)).toEqual(said)
    expect(missingEntries(said, register)).toEqual({})
    const more = { ...said, approvals: [{ ...said.approvals[0]!, approvers: ['ben'] }] }
    expect(missingEntries(more, register)).toEqual({ 'a|one|to': ['ben'] })
    expect(['x', 'a', 'a||end', 's|', 'a|one|later'].map(parseWorkflowKey)).toEqual([null, null, null, null, null])
  })

  it('have all to whom it was handed on by two at once, and none of those who left', () => {
    const handed = (userId: string, to: string, timestamp: string): [string, Json] => [
      `a|one|act|${timestamp}|${userId}|reassign`,
      { userId, decision: 'reassign', to: [to], timestamp },
    ]
    const read = (lists: readonly [string[], string[]], ...acts: [string, Json][]) => {
      const entries = { ...entriesOf(said), ...Object.fromEntries(acts), 'a|one|to': lists[0] }
      return registerOf(entries, { 'a|one|to': lists[1] })
    }
    const decidersOf = (register: Register) => workflowOf(register).approvals[0]!.approvers
    const both = [handed('ben', 'dan', '2026-01-03'), handed('cid', 'eve', '2026-01-04')] as const
    const register = read(
      [
        ['ben', 'eve'],
        ['dan', 'cid'],
      ],
      ...both,
    )
    expect(decidersOf(register).toSorted()).toEqual(['dan', 'eve'])
    // Nobody writes it for all: it may not be theirs to say.
    expect(missingEntries(workflowOf(register), register)).toEqual({})
    const replaced = read([['eve'], ['dan', 'cid']], both[0], handed('boss', 'eve', '2026-01-05'))
    expect(decidersOf(replaced)).toEqual(['eve'])
    const acts = [
      handed('ben', 'eve', '2026-01-02'),
      handed('eve', 'dan', '2026-01-03'),
      handed('cid', 'kim', '2026-01-04'),
    ]
    expect(
      decidersOf(
        read(
          [
            ['dan', 'cid'],
            ['eve', 'kim'],
          ],
          ...acts,
        ),
      ).toSorted(),
    ).toEqual(['dan', 'kim'])
  })

  it('leave out what no version writes', () => {
    const register = registerOf({ ...entriesOf(said), 'a|two': { workflow: 7 }, 's|c2': null, 'a|one|act|x|y|z': 'no' })
    expect(workflowOf(register)).toEqual(said)
  })

  it('say one end of two that did not know of each other: an approval, else the earlier', () => {
    const end = (status: string, at: string): Json => ({ status, at })
    const read = (winner: Json, loser: Json) => {
      const entries = { ...entriesOf(said), 'a|one|end': winner }
      return workflowOf(registerOf(entries, { 'a|one|end': loser })).approvals[0]!.end
    }
    expect(read(end('rejected', '1'), end('approved', '2'))).toEqual({ status: 'approved', at: '2' })
    expect(read(end('approved', '2'), end('recalled', '1'))).toEqual({ status: 'approved', at: '2' })
    expect(read(end('rejected', '2'), end('rejected', '1'))).toEqual({ status: 'rejected', at: '1' })
  })
})

describe('what the machine of a member says', () => {
  const before = { register: registerOf(entriesOf(said)) }
  const forges = (author: string, entries: Readonly<Record<string, Json>>, stored: typeof before | null = before) => {
    const document = { register: registerOf({ ...(stored ? entriesOf(said) : {}), ...entries }) }
    return forgesWorkflow(author, { changedKeys: new Set(Object.keys(entries)), document, stored })
  }
  const last = act('cid', 'approve', '2026-01-03T00:00:00.000Z')
  const vote = { 'a|one|act|2026-01-03T00:00:00.000Z|cid|approve': last }
  const approved = { 'a|one|end': { status: 'approved', at: '2026-01-03T00:00:00.000Z' } }

  it('is a decision of its person, and the end that this comes to', () => {
    expect([forges('cid', vote), forges('cid', { ...vote, ...approved })]).toEqual([false, false])
    expect([forges('ben', vote), forges('ben', approved), forges('cid', approved)]).toEqual([true, true, true])
    const recalled = { 'a|one|end': { status: 'recalled', at: '2026-01-03T00:00:00.000Z' } }
    expect([forges('ann', recalled), forges('ben', recalled)]).toEqual([false, true])
  })

  it('is what its person asks for, once, and whom it hands on to', () => {
    const all = entriesOf(said)
    expect(forges('ann', { 'a|one': all['a|one']!, 'a|one|to': all['a|one|to']! }, null)).toBe(false)
    expect(forges('ben', { 'a|one': all['a|one']! }, null)).toBe(true)
    expect(forges('ann', { 'a|one': { ...(all['a|one'] as object), comment: 'other' } })).toBe(true)
    expect([forges('ben', { 'a|one|to': ['dan'] }), forges('dan', { 'a|one|to': ['dan'] })]).toEqual([false, true])
    expect([
      opensApprovals({ changedKeys: new Set(['a|one']) }),
      opensApprovals({ changedKeys: new Set(['s|x']) }),
    ]).toEqual([true, false])
  })
})
