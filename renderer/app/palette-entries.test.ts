// @vitest-environment happy-dom
// The order of the palette.
import { describe, expect, it } from 'vitest'
import { arrange } from './palette-entries.ts'
import type { PaletteEntry, PaletteSection } from './palette-entries.ts'

const entry = (section: PaletteSection, label: string, words = label): PaletteEntry => ({
  id: `${section} ${label}`,
  label,
  section,
  words: words.toLowerCase(),
  run: () => undefined,
})
const labels = (found: readonly PaletteEntry[]): string[] => found.map(({ label }) => label)

describe('the palette', () => {
  const entries = [
    entry('recent', 'Book 7'),
    entry('objects', 'Book', 'Book book Books'),
    entry('goTo', 'Go to home'),
    entry('commands', 'Undo'),
    entry('views', 'Unread books'),
    entry('settings', 'Currency', 'currency money booking'),
  ]

  it('shows what was opened last, objects, screens and commands before anything is typed', () => {
    expect(labels(arrange(entries, [], ' '))).toEqual(['Book 7', 'Book', 'Go to home', 'Undo'])
  })

  it('puts the part with the best match first, and records where their best one belongs', () => {
    const records = [entry('records', 'Bookkeeping'), entry('records', 'The book of sand')]
    expect(labels(arrange(entries, records, 'book'))).toEqual([
      'Book',
      'Book 7',
      'Bookkeeping',
      'The book of sand',
      'Unread books',
      'Currency',
    ])
    expect(labels(arrange(entries, records, 'bookk'))).toEqual(['Bookkeeping', 'The book of sand'])
  })

  it('shows at most eight of each part', () => {
    const many = Array.from({ length: 20 }, (_, at) => entry('views', `Book view ${at}`))
    expect(arrange(many, [], 'book')).toHaveLength(8)
  })
})
