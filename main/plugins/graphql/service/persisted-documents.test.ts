import { describe, expect, it } from 'vitest'
import { createPersistedDocuments } from './persisted-documents.ts'

describe('persisted documents', () => {
  it('are known to whoever sent them', () => {
    const documents = createPersistedDocuments()
    documents.keep('a', 'h', '{ x }')
    expect([documents.find('a', 'h'), documents.find('b', 'h'), documents.find('a', 'g')]).toEqual([
      '{ x }',
      undefined,
      undefined,
    ])
  })

  it('leave when there are too many or too long ones, those not used lately first', () => {
    const documents = createPersistedDocuments()
    for (let i = 0; i < 1_000; i += 1) documents.keep('a', String(i), 'short')
    documents.find('a', '0')
    documents.keep('a', 'more', 'short')
    expect([documents.find('a', '0'), documents.find('a', '1')]).toEqual(['short', undefined])
    for (let i = 0; i < 41; i += 1) documents.keep('a', `long ${i}`, 'x'.repeat(100_000))
    expect(documents.find('a', 'long 0')).toBeUndefined()
    expect(documents.find('a', 'long 40')).toHaveLength(100_000)
  })
})
