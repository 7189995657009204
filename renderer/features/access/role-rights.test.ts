import { describe, expect, it } from 'vitest'
import { roleRights } from './role-rights.ts'

const reads = { name: 'reads', label: 'Reads', objects: { '*': { allowRead: true }, note: {} } }
const edits = { name: 'edits', label: 'Edits', objects: { book: { allowEdit: true } } }

describe('rights of a role', () => {
  it('adds up what its sets give', () => {
    expect(roleRights([reads, edits], 'book')).toMatchObject({ read: true, edit: true, delete: false })
  })

  it('lets an own choice of a set stand against that for all others', () => {
    expect(roleRights([reads], 'note').read).toBe(false)
  })

  it('gives reading with editing, and nothing without sets', () => {
    expect(roleRights([edits], 'book').read).toBe(true)
    expect(roleRights([], 'book').read).toBe(false)
  })
})
