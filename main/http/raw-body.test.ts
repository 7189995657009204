import { describe, expect, it } from 'vitest'
import { readRawBody } from './raw-body.ts'

const form = (text: string): unknown =>
  readRawBody(Buffer.from(text), 'application/x-www-form-urlencoded; charset=utf-8', () => undefined)

describe('the fields of a form', () => {
  it('are texts, and lists where a name repeats', () => {
    expect(form('a=1&b=2&a=3&a=&__proto__=x')).toEqual({ a: ['1', '3', ''], b: '2' })
  })

  it('take as long as their form: one name a hundred thousand times is a list', () => {
    const begun = performance.now()
    expect((form('a&'.repeat(100_000)) as { a: string[] }).a).toHaveLength(100_000)
    expect(performance.now() - begun).toBeLessThan(1_000)
  })
})
