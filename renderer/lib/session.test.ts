import { describe, expect, it } from 'vitest'
import { codeInFragment, codeInText } from './session.ts'

describe('one-time codes', () => {
  it('are told from routes, which begin with a slash', () => {
    expect(codeInFragment('#k3JxPq_9-abc')).toBe('k3JxPq_9-abc')
    expect(codeInFragment('#/o/task?s=name')).toBeUndefined()
    expect(codeInFragment('')).toBeUndefined()
  })

  it('are found in a pasted link and alone', () => {
    expect(codeInText('  http://127.0.0.1:7420/_console/#k3JxPq_9-abc\n')).toBe('k3JxPq_9-abc')
    expect(codeInText('k3JxPq_9-abc')).toBe('k3JxPq_9-abc')
    expect(codeInText('http://127.0.0.1:7420/_console/')).toBeUndefined()
    expect(codeInText('http://127.0.0.1:7420/_console/#/objects')).toBeUndefined()
  })
})
