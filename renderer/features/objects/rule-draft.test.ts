// Proves that rules made in the designer are rules the platform takes.
import { describe, expect, it } from 'vitest'
import { checkInlineRules } from '#shared/rules/inline-rules.ts'
import { conditionText, missingInRule, ruleName, transitionMap, withRuleType, withTransition } from './rule-draft.ts'
import type { RuleItem } from './rule-draft.ts'

const fields = {
  title: { type: 'text' },
  status: { type: 'select', options: [{ value: 'open' }, { value: 'doing' }, { value: 'done' }] },
}
const problems = (rule: RuleItem): unknown[] => checkInlineRules({ fields, validations: [rule] })

describe('a rule', () => {
  it.each<[string, Partial<RuleItem>]>([
    ['script', { condition: 'record.title == "x"' }],
    ['unique', { fields: ['title', 'status'] }],
    ['format', { field: 'title', format: 'email' }],
    ['format', { field: 'title', regex: '[A-Z]+' }],
    ['state_machine', { field: 'status', transitions: { open: ['done'] }, initial: 'open' }],
  ])('of type %s is complete when the platform takes it', (type, parts) => {
    const bare: RuleItem = { name: 'rule', type, message: 'No.' }
    expect(missingInRule(bare)).not.toEqual([])
    expect(problems(bare)).not.toEqual([])
    expect(missingInRule({ ...bare, ...parts })).toEqual([])
    expect(problems({ ...bare, ...parts })).toEqual([])
  })

  it('gets a name of its own from its label', () => {
    expect(ruleName('Not in the past', [])).toBe('not_in_the_past')
    expect(ruleName('Not in the past', [{ name: 'not_in_the_past', type: 'script' }])).toBe('not_in_the_past_2')
    expect(ruleName('???', [])).toBe('rule')
  })

  it('of another type drops what that type does not read and keeps the rest', () => {
    const rule = { name: 'r', type: 'script', message: 'No.', condition: 'true', severity: 'warning', later: 1 }
    expect(withRuleType(rule, 'unique')).toEqual({
      name: 'r',
      type: 'unique',
      message: 'No.',
      severity: 'warning',
      later: 1,
    })
  })

  it('reads a condition in both of its forms', () => {
    expect(conditionText('a')).toBe('a')
    expect(conditionText({ dialect: 'cel', source: 'b' })).toBe('b')
    expect(conditionText(undefined)).toBe('')
  })
})

describe('transitions', () => {
  const states = ['open', 'doing', 'done']

  it('are allowed and forbidden one by one, every state named', () => {
    const first = withTransition({}, states, 'open', 'done', true)
    expect(first).toEqual({ open: ['done'], doing: [], done: [] })
    const second = withTransition(first, states, 'open', 'doing', true)
    expect(second.open).toEqual(['doing', 'done'])
    expect(withTransition(second, states, 'open', 'done', false).open).toEqual(['doing'])
    expect(problems({ name: 'r', type: 'state_machine', field: 'status', transitions: second })).toEqual([])
  })

  it('of a state that no longer exists go', () => {
    expect(withTransition({ gone: ['open'], open: ['gone'] }, states, 'doing', 'done', true)).toEqual({
      open: [],
      doing: ['done'],
      done: [],
    })
  })

  it('in the long form are left alone', () => {
    expect(transitionMap({ name: 'r', type: 'state_machine', transitions: [] })).toBeUndefined()
    expect(transitionMap({ name: 'r', type: 'state_machine' })).toEqual({})
  })
})
