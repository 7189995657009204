// Owns how wide columns are: a start by type, and what a person dragged, kept per object in the browser.
import { readStored, writeStored } from '../../lib/storage.ts'

const byType: Readonly<Record<string, number>> = {
  boolean: 96,
  toggle: 96,
  number: 120,
  currency: 130,
  percent: 100,
  rating: 120,
  date: 128,
  datetime: 176,
  time: 104,
  select: 150,
  radio: 150,
  email: 220,
  url: 220,
  textarea: 280,
  markdown: 280,
  multiselect: 220,
  tags: 220,
  lookup: 180,
}

/** Width of a column nobody has changed, in pixels; the first one is wider, it names the record. */
export function defaultWidth(type: string, isFirst: boolean): number {
  const width = byType[type] ?? 180
  return isFirst ? Math.max(width, 220) : width
}

/** The widths kept for an object, by field. */
export function readWidths(object: string): Record<string, number> {
  try {
    const stored: unknown = JSON.parse(readStored(`widths.${object}`) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return {}
    return Object.fromEntries(
      Object.entries(stored).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
    )
  } catch {
    return {} // damaged: the columns begin with their own widths
  }
}

/** Keeps the widths of an object. */
export function writeWidths(object: string, widths: Readonly<Record<string, number>>): void {
  writeStored(`widths.${object}`, JSON.stringify(widths))
}
