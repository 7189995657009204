import { describe, expect, it } from 'vitest'
import { translateField } from '../../fields/index.ts'
import type { FieldContext } from '../../fields/index.ts'
import { cardHeight, recordHeight } from './record-card.tsx'

const context: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
const fields = [
  { name: 'genre', type: 'select', options: [{ value: 'drama', label: 'Drama' }] },
  { name: 'director', type: 'text' },
  { name: 'year', type: 'number' },
  { name: 'score', type: 'number' },
]
const heightOf = (values: Record<string, unknown>): number => recordHeight({ id: 'a', ...values }, fields, context)

describe('the height of a card', () => {
  it('has no place for fields without a value', () => {
    expect(heightOf({})).toBe(40)
    expect(heightOf({ genre: 'drama' })).toBe(66)
    expect(heightOf({ genre: null, director: '', score: 8 })).toBe(60)
    expect(heightOf({ genre: 'drama', director: 'Ridley Scott', year: 1982, score: 8.1 })).toBe(cardHeight(fields))
  })

  it('has a line of its own for what is too long to stand beside another value', () => {
    expect(heightOf({ director: 'Ridley Scott', year: 1982 })).toBe(60)
    expect(heightOf({ director: 'Francis Ford Coppola, senior', year: 1982 })).toBe(80)
    expect(heightOf({ director: '黒澤明黒澤明黒澤明黒澤明黒', year: 1950 })).toBe(80)
  })
})
