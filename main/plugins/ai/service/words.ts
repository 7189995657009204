// Cuts what people write into words, numbers, days and quoted texts, and brings words into one form. Knows no object.
import { normalForm } from '#shared/normal-form.ts'

/** One word of a question. */
export interface Word {
  readonly kind: 'word' | 'number' | 'text' | 'day' | 'sign'
  /** As written, without quotes. */
  readonly raw: string
  /** Lower case, without the ending of a plural. */
  readonly stem: string
  /** Of a number. */
  readonly value: number | null
}

/** Most words that are looked at. */
const maxWords = 200

const pattern =
  /"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])|(\d{4}-\d{2}-\d{2})|([$€£]?-?\d[\d.,]*\s?(?:k|m|%|€|million|tausend)?)(?![\p{L}\p{N}])|(>=|<=|!=|<>|[<>=])|([\p{L}\p{N}_][\p{L}\p{N}_'’&.-]*)/giu

/** Cuts a text into words. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const found of text.matchAll(pattern)) {
    const [, double, curly, low, single, day, number, sign, word] = found
    const quoted = double ?? curly ?? low ?? single
    if (quoted !== undefined) words.push({ kind: 'text', raw: quoted, stem: '', value: null })
    else if (day !== undefined) words.push({ kind: 'day', raw: day, stem: day, value: null })
    else if (number !== undefined) words.push(numberWord(number))
    else if (sign !== undefined) words.push({ kind: 'sign', raw: sign, stem: sign, value: null })
    else {
      const raw = word!.replace(/[.'’-]+$/, '')
      words.push({ kind: 'word', raw, stem: stemOf(raw), value: null })
    }
    if (words.length === maxWords) break
  }
  return words
}

/** A word in the form in which words are compared. */
export function stemOf(word: string): string {
  const lower = normalForm(word, 'NFC')
    .toLowerCase()
    .replace(/[’']s$/, '')
  if (lower.length > 4 && lower.endsWith('ies')) return `${lower.slice(0, -3)}y`
  if (lower.length > 4 && /(?:ss|x|ch|sh)es$/.test(lower)) return lower.slice(0, -2)
  if (lower.length > 3 && /[^su]s$/.test(lower)) return lower.slice(0, -1)
  return lower
}

/** The words of a label or a name in the form in which words are compared. */
export function stemsOf(label: string): string[] {
  return wordsOf(label.replaceAll('_', ' ')).map(({ stem, raw }) => (stem === '' ? stemOf(raw) : stem))
}

function numberWord(text: string): Word {
  const raw = text.trim()
  const unit = /(k|m|million|tausend)$/i.exec(raw)?.[1]?.toLowerCase()
  const digits = raw.replace(/[^\d.,-]/g, '').replace(/[.,]+$/, '')
  // 1.000,50 and 1,000.50: the last sign separates the fraction, unless three digits and nothing else follow it.
  const isGrouped = /^-?\d{1,3}(?:[.,]\d{3})+$/.test(digits)
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
  const plain =
    isGrouped || last === -1
      ? digits.replace(/[.,]/g, '')
      : `${digits.slice(0, last).replace(/[.,]/g, '')}.${digits.slice(last + 1)}`
  const factor = unit === undefined ? 1 : unit === 'k' || unit === 'tausend' ? 1_000 : 1_000_000
  return { kind: 'number', raw, stem: plain, value: Number(plain) * factor }
}
