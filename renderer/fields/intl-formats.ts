// Owns cached Intl formatters: creating one costs a thousand times more than using it, and a grid uses them per cell.
// Knows no fields.

const numberFormats = new Map<string, Intl.NumberFormat>()
const dateFormats = new Map<string, Intl.DateTimeFormat>()

/** Number formatter for a locale; `key` must stand for the options. */
export function numberFormat(locale: string, key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const id = `${locale} ${key}`
  let format = numberFormats.get(id)
  if (!format) {
    format = new Intl.NumberFormat(locale, options)
    numberFormats.set(id, format)
  }
  return format
}

/** Date formatter for a locale; `key` must stand for the options, zone included. */
export function dateFormat(locale: string, key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const id = `${locale} ${key}`
  let format = dateFormats.get(id)
  if (!format) {
    format = new Intl.DateTimeFormat(locale, options)
    dateFormats.set(id, format)
  }
  return format
}
