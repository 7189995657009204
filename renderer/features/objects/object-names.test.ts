import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namePattern } from '#shared/object-names.ts'
import { nameFromLabel, uniqueName } from './object-names.ts'

describe('names from labels', () => {
  it('read like the label', () => {
    expect(
      ['First Name', 'E-Mail', 'Größe (cm)', 'US Gross', 'firstName', '2nd try', '名前', ''].map((label) =>
        nameFromLabel(label),
      ),
    ).toEqual(['first_name', 'e_mail', 'grosse_cm', 'us_gross', 'first_name', 'field_2nd_try', 'field', 'field'])
  })

  it('always have the form the platform takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (label) => {
        expect(nameFromLabel(label)).toMatch(namePattern)
      }),
    )
  })

  it('are made unique without leaving that form', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9]{0,62}$/)
    fc.assert(
      fc.property(name, fc.integer({ min: 0, max: 12 }), (first, count) => {
        const taken = new Set<string>()
        for (let index = 0; index <= count; index++) {
          const unique = uniqueName(first, taken)
          expect(taken.has(unique)).toBe(false)
          expect(unique).toMatch(namePattern)
          taken.add(unique)
        }
      }),
    )
  })
})
