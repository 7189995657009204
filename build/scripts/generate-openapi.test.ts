import { describe, expect, it } from 'vitest'
import { firstDifference, renderOpenApi } from './generate-openapi.ts'

describe('OpenAPI comparison', () => {
  it('finds no difference in equal texts', () => {
    expect(firstDifference('a\nb\n', 'a\nb\n')).toBe('')
  })

  it('shows the first line that differs, also when one text ends early', () => {
    expect(firstDifference('a\nb\nc', 'a\nx\nc')).toBe('line 2\n  - b\n  + x')
    expect(firstDifference('', 'a')).toBe('line 1\n  - \n  + a')
    expect(firstDifference('a\nb', 'a')).toBe('line 2\n  - b\n  + (end)')
  })

  it('is the same text each time, so that a difference means a changed contract', () => {
    const text = renderOpenApi('1.2.3')
    expect(renderOpenApi('1.2.3')).toBe(text)
    expect(JSON.parse(text)).toMatchObject({ openapi: expect.stringMatching(/^3[.]1/), info: { version: '1.2.3' } })
    expect(firstDifference(text, renderOpenApi('1.2.4'))).toContain('"version": "1.2.4"')
  })
})
