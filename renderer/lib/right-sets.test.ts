import { describe, expect, it, vi } from 'vitest'
import { profileLabel } from './right-sets.ts'

vi.mock('./strings.ts', () => ({ t: (key: string) => `text of ${key}` }))

describe('the label of a profile', () => {
  it('is a text of the program as long as it is the delivered one', () => {
    expect(profileLabel('readonly', 'Read only')).toBe('text of rights.readonly')
    expect(profileLabel('readonly')).toBe('text of rights.readonly')
  })

  it('is the stored one where somebody chose it, or made the profile', () => {
    expect(profileLabel('readonly', 'Visitors')).toBe('Visitors')
    expect(profileLabel('sales', 'Read only')).toBe('Read only')
    expect(profileLabel('toString')).toBe('toString')
  })
})
