// Owns reading and writing numbers the way a locale writes them, for editing and for the clipboard.
// Knows no fields and no limits.

import { numberFormat } from './intl-formats.ts'

interface NumberMarks {
  decimal: string
  group: string
  digits: ReadonlyMap<string, string>
}

const marksByLocale = new Map<string, NumberMarks>()

function marksOf(locale: string): NumberMarks {
  const known = marksByLocale.get(locale)
  if (known) return known
  const parts = numberFormat(locale, 'marks', { useGrouping: true, minimumFractionDigits: 1 }).formatToParts(1234567.5)
  const plain = numberFormat(locale, 'digits', { useGrouping: false, maximumFractionDigits: 0 })
  const digits = new Map<string, string>()
  for (let digit = 0; digit < 10; digit++) digits.set(plain.format(digit), String(digit))
  const marks: NumberMarks = {
    decimal: parts.find((part) => part.type === 'decimal')?.value ?? '.',
    group: parts.find((part) => part.type === 'group')?.value ?? '',
    digits,
  }
  marksByLocale.set(locale, marks)
  return marks
}

// Groups of three, or of two before the last three as in India; anything else is no grouping but a mistake.
const localised = /^(\d*|\d{1,3}(?:G\d{2,3})*G\d{3})(?:D(\d*))?(?:e([+-]?\d{1,3}))?$/i
const machine = /^(\d+)\.(\d+)(?:e([+-]?\d{1,3}))?$/i
const blank = /[\s\u00a0\u202f\u2009]/g

/**
 * Reads a number as the locale writes it, or as machines do (`1234.5`, `1e3`) where the locale cannot mean something
 * else. Currency and percent signs around it are ignored, brackets mean negative. Null when the text is no number:
 * separators in places where the locale would not put them are refused rather than guessed.
 */
export function parseNumber(text: string, locale: string): number | null {
  const { decimal, group, digits } = marksOf(locale)
  let rest = [...text.trim()].map((character) => digits.get(character) ?? character).join('')
  rest = rest.replace(/[\u200e\u200f\u061c]/g, '').replaceAll('\u2212', '-')
  const bracketed = /^\((.*)\)$/.exec(rest)
  let sign = bracketed ? -1 : 1
  rest = bracketed?.[1] ?? rest
  // A sign may stand on either side of a currency: "-$5" and "$-5".
  for (let turn = 0; turn < 2; turn++) {
    rest = rest.replace(/^(?:\p{Sc}|[A-Z]{3}(?![A-Za-z]))|(?:\p{Sc}|(?<![A-Za-z])[A-Z]{3}|%|٪)$/gu, '').trim()
    if (!/^[+-]/.test(rest)) continue
    if (rest.startsWith('-')) sign = -sign
    rest = rest.slice(1).trim()
  }
  let marked = rest
  if (/^[\s\u00a0\u202f]$/.test(group)) marked = marked.replace(blank, 'G')
  else if (group === '’') marked = marked.replace(/['’]/g, 'G')
  else if (group !== '') marked = marked.replaceAll(group, 'G')
  marked = marked.replaceAll(decimal, 'D')
  const found = localised.exec(marked) ?? machine.exec(rest)
  if (!found || !/\d/.test((found[1] ?? '') + (found[2] ?? ''))) return null
  const whole = (found[1] ?? '').replaceAll('G', '')
  const value = Number(`${whole || '0'}.${found[2] || '0'}e${found[3] ?? '0'}`)
  if (!Number.isFinite(value)) return null
  return value === 0 ? 0 : sign * value
}

/** Writes a number for editing: the locale's decimal mark, no grouping, every digit of the value. */
export function numberToText(value: number, locale: string): string {
  return String(value).replace('.', marksOf(locale).decimal)
}
