import { expect, it } from 'vitest'
import { exampleDay, parseDay } from './date-text.ts'

it.each(['en', 'en-GB', 'de', 'de-AT', 'fr', 'sv', 'ja', 'ko', 'hu'])(
  'the example of %s is a day as it is typed there',
  (locale) => {
    expect(parseDay(exampleDay(locale), locale)).toBe('2026-03-31')
  },
)
