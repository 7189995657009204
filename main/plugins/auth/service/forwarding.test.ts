import { describe, expect, it } from 'vitest'
import { fieldsOf } from './forwarding.ts'

describe('the fields of a form', () => {
  it('are texts; one that comes twice is refused', () => {
    expect(fieldsOf(Buffer.from('grant_type=a+b&code=%41&state='))).toEqual({ grant_type: 'a b', code: 'A', state: '' })
    expect(() => fieldsOf(Buffer.from('code=1&state=2&code=1'))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    )
  })

  it('are read in the time of their form, however many there are', () => {
    const many = Array.from({ length: 30_000 }, (_, at) => `n${at}`)
    const begun = performance.now()
    expect(Object.keys(fieldsOf(Buffer.from(many.join('&'))))).toEqual(many)
    expect(performance.now() - begun).toBeLessThan(1_000)
  })
})
