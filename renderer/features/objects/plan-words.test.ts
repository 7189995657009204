// Proves that every change the engine plans has words, and that conversions name what is lost.
import { describe, expect, it } from 'vitest'
import { failingSteps, failureText, stepText } from './plan-words.ts'
import type { PlanStep } from './save-object.ts'

const step = (change: string, parts: Partial<PlanStep> = {}): PlanStep => ({
  change,
  field: 'pages',
  records: 0,
  destructive: false,
  lossy: 0,
  ...parts,
})

describe('a step of a plan', () => {
  it.each([
    'add_object',
    'add_field',
    'delete_field',
    'rename_field',
    'retype_field',
    'change_field',
    'tighten_field',
    'add_unique',
    'remove_option',
    'add_index',
    'remove_index',
    'change_object',
  ])('%s is a sentence', (change) => {
    for (const records of [0, 1, 1200]) {
      expect(stepText(step(change, { records, from: 'text', to: 'number' }))).toMatch(/^[A-Z][^{}_]*\.$/)
    }
  })

  it('of a conversion says what arrives, what is lost and what is cut', () => {
    const report = { from: 'text', to: 'number', records: 4, converted: 2, nulled: 1, lossy: 2 }
    expect(stepText(step('retype_field', report), { pages: 'Pages' })).toBe(
      'Changes Pages from Text to Number. 2 values are converted. 1 value cannot be converted and becomes empty. 1 value is kept only in part.',
    )
    expect(stepText(step('retype_field', { from: 'lookup[]', to: 'lookup' }))).toBe(
      'Changes pages from Link to a record to Link to a record.',
    )
  })

  it('of an unknown kind is said as it is', () => {
    expect(stepText(step('split_field'))).toBe('split field pages')
  })

  it('names the values that fail, cut to what fits', () => {
    const failing = step('retype_field', { failures: [{ id: '1', value: 'many' }] })
    expect(failingSteps([step('add_field'), failing])).toEqual([failing])
    expect(failureText(['a', 'b'])).toBe('a, b')
    expect(failureText({ a: 1 })).toBe('{"a":1}')
    expect(failureText('x'.repeat(500))).toHaveLength(120)
  })
})
