import { describe, expect, it } from 'vitest'
import { settleLanguage } from './language.ts'
import { pseudoText } from './pseudo-locale.ts'

describe('the language', () => {
  it('is the one asked for, else the first of the system that has words, else English', () => {
    expect(settleLanguage(['de', undefined], ['en-GB'])).toEqual({ language: 'de', locale: 'de', pseudo: undefined })
    expect(settleLanguage([undefined, 'xx'], ['fr-FR', 'de-CH', 'en'])).toMatchObject({
      language: 'de',
      locale: 'de-CH',
    })
    expect(settleLanguage([undefined], ['fr'])).toMatchObject({ language: 'en', locale: 'en' })
    expect(settleLanguage(['ar-XB'], ['de'])).toEqual({ language: 'en', locale: 'en', pseudo: 'ar-XB' })
  })
})

describe('pseudo text', () => {
  it('is longer by two fifths, accented, in brackets, and keeps its parameters', () => {
    expect(pseudoText('Save {name}')).toBe('[Śáṽé {name}~~~~~]')
    expect(pseudoText('')).toBe('')
  })
})
