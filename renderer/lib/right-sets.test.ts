import { describe, expect, it, vi } from 'vitest'
import { profileLabel, readRightItem, storedRightItem } from './right-sets.ts'

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

describe('a profile', () => {
  const delivered = { name: 'readonly', label: 'Read only', description: 'Sees records of every object.' }

  it('is read with the texts of the program, and stored as it was delivered', () => {
    const shown = readRightItem('profile', delivered, 'readonly')
    expect(shown).toMatchObject({ label: 'text of rights.readonly', description: 'text of rights.readonly.text' })
    expect(storedRightItem('profile', shown)).toEqual(delivered)
  })

  it('keeps what people wrote, and permission sets of that name are as they are', () => {
    const own = { ...delivered, description: 'Looks at everything.' }
    const shown = readRightItem('profile', own, 'readonly')
    expect(shown).toMatchObject({ label: 'text of rights.readonly', description: 'Looks at everything.' })
    expect(storedRightItem('profile', { ...shown, label: 'Visitors' })).toEqual({ ...own, label: 'Visitors' })
    expect(storedRightItem('permission', readRightItem('permission', delivered, 'readonly'))).toEqual(delivered)
  })
})
