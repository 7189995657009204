// The dates of spreadsheets: days since the last day of 1899 and their fraction, without a zone.

const dayMs = 86_400_000
/** Day zero; the calendar of spreadsheets knows a 29 February 1900 that never was, so days before March 1900 are off. */
const dayZero = Date.UTC(1899, 11, 30)
/** 9999-12-31. */
const lastDay = 2_958_465

/** The text of a number in a field for dates or times; null for other fields and for numbers that are no date. */
export function readSerialDate(serial: number, fieldType: string): string | null {
  if (serial < 0 || serial >= lastDay + 1) return null
  if (fieldType === 'time') return serial < 1 ? textOf(serial).slice(11) : null
  if (fieldType === 'date') return Number.isInteger(serial) && serial >= 1 ? textOf(serial).slice(0, 10) : null
  return fieldType === 'datetime' && serial >= 1 ? textOf(serial) : null
}

/** To the second: fractions of a day cannot hold more. */
function textOf(serial: number): string {
  const ms = dayZero + Math.round((serial * dayMs) / 1000) * 1000
  return new Date(ms).toISOString().slice(0, 19)
}
