import { describe, expect, it } from 'vitest'
import { problemAt, problemsElsewhere } from './field-problems.ts'

const problems = [
  { field: 'url', code: 'invalid_url', message: 'no' },
  { field: 'headers.X-One', code: 'rule_violation', message: 'Not a header.' },
  { field: 'urls', code: 'required', message: 'no' },
] as const

describe('problems of a refused request', () => {
  it('stand at their field and at the one they are a part of', () => {
    expect(problemAt(problems, 'url')).toBe('This is not a complete address.')
    expect(problemAt(problems, 'headers')).toBe('Not a header.')
    expect(problemAt(problems, 'headers.X-One')).toBe('Not a header.')
    expect(problemAt(problems, 'headers.X-Two')).toBeUndefined()
  })

  it('are left over where no field shows them', () => {
    expect(problemsElsewhere(problems, ['url', 'headers']).map(({ field }) => field)).toEqual(['urls'])
  })
})
