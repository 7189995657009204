// Normal forms of Unicode for texts that anybody may send. Knows no fields.

/**
 * Marks in a row that no writing has: putting them in order takes the square of their number.
 * @source UAX #15, stream-safe text format
 */
const crowded = /\p{M}{31}/u
const crowds = /(\p{M}{30})\p{M}+/gu

/** The text in a normal form; one with more than 30 marks in a row stays as it is. */
export function normalForm(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return crowded.test(text) ? text : text.normalize(form)
}

/** The text without the marks in a row beyond the thirtieth, which may be put in any normal form. */
export function withoutCrowds(text: string): string {
  return crowded.test(text) ? text.replace(crowds, '$1') : text
}
