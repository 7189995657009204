import { describe, expect, it } from 'vitest'
import { createRecordVersions } from './record-versions.ts'

describe('versions of records', () => {
  it('follow own writes, so that a second edit expects what the first one made', () => {
    const versions = createRecordVersions()
    versions.wrote('r', 'v1', 'v2')
    versions.wrote('r', 'v2', 'v3')
    expect(versions.expected('r', 'v1')).toBe('v3')
    expect(versions.expected('r', 'v3')).toBe('v3')
  })

  it('do not follow writes of others or of other records', () => {
    const versions = createRecordVersions()
    versions.wrote('r', 'v1', 'v2')
    expect(versions.expected('s', 'v1')).toBe('v1')
    expect(versions.expected('r', 'v0')).toBe('v0')
  })

  it('survive a write that changed nothing', () => {
    const versions = createRecordVersions()
    versions.wrote('r', 'v1', 'v1')
    expect(versions.expected('r', 'v1')).toBe('v1')
  })
})
