// Proves that checking a pattern while typing never stops the screen, and asks for what the host asks for.
import { describe, expect, it } from 'vitest'
import { translateField } from './index.ts'
import type { FieldContext, FieldDefinition } from './index.ts'
import { checkLength } from './text-rules.ts'

const context: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
const check = (pattern: string, text: string) => {
  const field: FieldDefinition = { name: 'f', type: 'text', pattern }
  return checkLength(text, field, context, 1_000)?.ok ?? true
}

describe('a pattern', () => {
  it('must match the whole text', () => {
    expect(check('[a-z]{2}', 'ab')).toBe(true)
    expect(check('[a-z]{2}', 'abc')).toBe(false)
    expect(check('a|b', 'xb')).toBe(false)
  })

  it('is matched with the text as it will be stored: composed', () => {
    expect(check('[^@]{2,}', 'A\u0300')).toBe(false)
    expect(check('.', 'A\u0300')).toBe(true)
  })

  it.each(['(a+)+b', '(a|a)*b', '(a*)*b', '((a+))+b', '(a{1,20}){1,20}b', '(?:(a|b)c*)*d'])(
    'like %s is left to the server, whose engine cannot explode',
    (pattern) => {
      expect(check(pattern, 'a'.repeat(60))).toBe(true)
    },
  )

  it('that only the server reads is left to it', () => {
    expect(check('\\pN+', 'x')).toBe(true)
  })
})
