import { describe, expect, it } from 'vitest'
import {
  countSetChanges,
  draftOfSet,
  fieldAccess,
  hasFlag,
  hasOwnRights,
  limitsField,
  withFieldAccess,
  withFlag,
  withoutFieldAccess,
  withoutOwnRights,
} from './set-draft.ts'

const base = draftOfSet({ name: 'staff', label: 'Staff', objects: { '*': { allowRead: true, allowCreate: true } } })

describe('draft of a permission set', () => {
  it('takes the rights of all other objects where an object has none of its own', () => {
    expect(hasFlag(base, 'book', 'allowRead')).toBe(true)
    expect(hasOwnRights(base, 'book')).toBe(false)
  })

  it('begins a choice of its own with those of all others', () => {
    const draft = withFlag(base, 'book', 'allowCreate', false)
    expect(draft.objects['book']).toEqual({ allowRead: true })
    expect(hasFlag(draft, 'note', 'allowCreate')).toBe(true)
    expect(withoutOwnRights(draft, 'book').objects).toEqual(base.objects)
  })

  it('gives reading with editing and takes editing with reading', () => {
    const none = withFlag(base, 'book', 'allowRead', false)
    const edits = withFlag(none, 'book', 'allowEdit', true)
    expect(hasFlag(edits, 'book', 'allowRead')).toBe(true)
    expect(hasFlag(withFlag(edits, 'book', 'allowRead', false), 'book', 'allowEdit')).toBe(false)
  })

  it('keeps an empty choice: the object is closed, not as all others', () => {
    const closed = withFlag(withFlag(base, 'book', 'allowRead', false), 'book', 'allowCreate', false)
    expect(closed.objects['book']).toEqual({})
    expect(hasFlag(closed, 'book', 'allowRead')).toBe(false)
  })

  it('closes fields for reading and editing together', () => {
    const closed = withFieldAccess(base, 'book', 'price', 'readable', false)
    expect(fieldAccess(closed, 'book', 'price')).toEqual({ readable: false, editable: false })
    const open = withFieldAccess(closed, 'book', 'price', 'editable', true)
    expect(fieldAccess(open, 'book', 'price')).toEqual({ readable: true, editable: true })
    expect(limitsField(open, 'book', 'price')).toBe(true)
    expect(withoutFieldAccess(open, 'book', 'price').fields).toEqual({})
  })

  it('counts what differs, whatever the order', () => {
    const back = withFlag(withFlag(base, '*', 'allowRead', false), '*', 'allowRead', true)
    expect(countSetChanges(base, back)).toBe(0)
    expect(countSetChanges(base, withFlag(base, '*', 'allowEdit', true))).toBe(1)
    expect(countSetChanges(base, { ...base, systemPermissions: ['run_sql'], label: 'Other' })).toBe(2)
  })
})
