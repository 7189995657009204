// Text lengths in Unicode code points and normal form (D-94). Knows no fields.
import { normalForm } from '#shared/normal-form.ts'

/** The number of code points. */
export function countCodePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--
      i++
    }
  }
  return count
}

const asciiOnly = /^[\0-\x7f]*$/

/** NFC without lone surrogates, which UTF-8 cannot store. */
export function normalizeText(text: string): string {
  if (asciiOnly.test(text)) return text
  return normalForm(text.toWellFormed(), 'NFC')
}

/** Whether the text has nothing but white space. */
export function isBlankText(text: string): boolean {
  return text.trim() === ''
}
