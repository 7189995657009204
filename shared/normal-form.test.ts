// Normal forms of texts with more marks in a row than any writing has: the work stays in step with the length.
import { describe, expect, it } from 'vitest'
import { normalForm, withoutCrowds } from './normal-form.ts'

const above = '\u0315'
const below = '\u0316'

describe('a text', () => {
  it('is put in its normal form, marks in their order', () => {
    expect(normalForm(`a${above}${below}`, 'NFC')).toBe(`a${below}${above}`)
    expect(normalForm('a\u0308', 'NFC')).toBe('ä')
    expect(normalForm(`a${above.repeat(15)}${below.repeat(15)}`, 'NFC')).toBe(`a${below.repeat(15)}${above.repeat(15)}`)
  })

  it('stays as it is, or loses what is too much, where marks are piled up', () => {
    const piled = `a${above.repeat(500_000)}${below.repeat(500_000)}`
    // Put in order this would take hours.
    expect(normalForm(piled, 'NFKD')).toBe(piled)
    expect(withoutCrowds(`${piled}b${above}`)).toBe(`a${above.repeat(30)}b${above}`)
    expect(withoutCrowds('ä')).toBe('ä')
  })
})
