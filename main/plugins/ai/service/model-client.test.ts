// What a model answers is read in step with its length, whatever it is.
import { expect, it } from 'vitest'
import { readModelInsight } from './model-insights.ts'
import { readModelObject } from './model-prompt.ts'
import { readModelValues } from './model-values.ts'

const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }

it('an answer of brackets that never close is refused at once', () => {
  const answer = { content: '{'.repeat(50_000), usage }
  const refused = expect.objectContaining({ code: 'ai_provider_failed' })
  const started = performance.now()
  expect(() => readModelInsight(answer, 'summary', [])).toThrow(refused)
  expect(() => readModelObject(answer, { type: 'object' })).toThrow(refused)
  expect(() => readModelValues(answer, [], 0)).toThrow(refused)
  expect(performance.now() - started).toBeLessThan(1_000)
})

it('the object of an answer is found between words', () => {
  const schema = { type: 'object' }
  expect(readModelObject({ content: 'Here: {"a": {"b": 1}} as asked.', usage }, schema)).toEqual({ a: { b: 1 } })
  expect(() => readModelObject({ content: '} none {', usage }, schema)).toThrow(
    expect.objectContaining({ code: 'ai_provider_failed' }),
  )
})
