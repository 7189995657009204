// Reads calendar days as people write them, where only one reading is possible. Slashed days such as 03/04/2026 have
// two and are left to whoever sees the whole column. Knows no fields.
import { isDate } from './iso.ts'

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const fullMonths = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

const yearFirst = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/
const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/
const dayMonth = /^(\d{1,2})(?:\.?\s+|-)([A-Za-z]{3,9})\.?(?:,?\s+|-)(\d{4})$/
const monthDay = /^([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/

/** The `YYYY-MM-DD` of `2026/1/31`, `31.1.2026`, `31 Jan 2026` or `January 31, 2026`; null for anything else. */
export function readWrittenDate(text: string): string | null {
  const trimmed = text.trim()
  let match = yearFirst.exec(trimmed)
  if (match) return dayOf(match[1]!, Number(match[2]), match[3]!)
  match = dotted.exec(trimmed)
  if (match) return dayOf(match[3]!, Number(match[2]), match[1]!)
  match = dayMonth.exec(trimmed)
  if (match) return dayOf(match[3]!, monthOf(match[2]!), match[1]!)
  match = monthDay.exec(trimmed)
  if (match) return dayOf(match[3]!, monthOf(match[1]!), match[2]!)
  return null
}

/** 1 to 12; 0 for a word that is no English month. */
function monthOf(word: string): number {
  const lower = word.toLowerCase()
  if (lower === 'sept') return 9
  return (lower.length === 3 ? months.indexOf(lower) : fullMonths.indexOf(lower)) + 1
}

function dayOf(year: string, month: number, day: string): string | null {
  const date = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDate(date) ? date : null
}
