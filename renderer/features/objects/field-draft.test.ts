import { describe, expect, it } from 'vitest'
import {
  addField,
  applyDraft,
  changeField,
  countChanges,
  draftOf,
  moveField,
  optionsOf,
  toggleDeleted,
} from './field-draft.ts'
import type { ObjectItem } from './object-item.ts'

const object: ObjectItem = {
  name: 'book',
  label: 'Book',
  pluralLabel: 'Books',
  displayNameField: 'title',
  enable: { trash: false },
  indexes: [{ fields: ['title'] }],
  fields: { title: { type: 'text', label: 'Title', caseSensitive: false }, pages: { type: 'number', label: 'Pages' } },
}

describe('draft of an object', () => {
  it('changes nothing when nothing was edited', () => {
    expect(applyDraft(object, draftOf(object))).toEqual(object)
    expect(countChanges(object, draftOf(object))).toBe(0)
  })

  it('keeps every key it does not show', () => {
    const draft = changeField(draftOf(object), 'title', { label: 'Name' })
    expect(applyDraft(object, draft)).toMatchObject({
      enable: { trash: false },
      indexes: [{ fields: ['title'] }],
      fields: { title: { type: 'text', label: 'Name', caseSensitive: false } },
    })
    expect(countChanges(object, draft)).toBe(1)
  })

  it('gives a new field a name of its own, also beside one that is about to be deleted', () => {
    const draft = addField(toggleDeleted(draftOf(object), 'pages'), { label: 'Pages', type: 'text' })
    expect(Object.keys(applyDraft(object, draft).fields)).toEqual(['title', 'pages_2'])
    expect(countChanges(object, draft)).toBe(2)
  })

  it('never gives a field a name of the platform', () => {
    const draft = addField(draftOf(object), { label: 'Owner', type: 'text' })
    expect(Object.keys(applyDraft(object, draft).fields)).toEqual(['title', 'pages', 'owner_2'])
  })

  it('stores choices under values of the form options have', () => {
    expect(optionsOf(['Good', ' Very bad', 'very_bad', '', 'Good'])).toEqual([
      { value: 'Good', label: 'Good' },
      { value: 'very_bad', label: 'Very bad' },
      { value: 'very_bad_2', label: 'very_bad' },
    ])
  })

  it('writes settings and rules only where they were changed', () => {
    const draft = draftOf(object)
    const rule = { name: 'long', type: 'script', condition: 'record.pages > 900', message: 'Too long.' }
    const next = { ...draft, description: 'What we read', trackHistory: false, displayNameField: '', rules: [rule] }
    expect(applyDraft(object, next)).toMatchObject({
      description: 'What we read',
      enable: { trash: false, trackHistory: false },
      validations: [rule],
    })
    expect(applyDraft(object, next)).not.toHaveProperty('displayNameField')
    expect(countChanges(object, next)).toBe(4)
    const saved = applyDraft(object, next)
    expect(applyDraft(saved, { ...draftOf(saved), rules: [], description: '' })).not.toHaveProperty('validations')
    expect(countChanges(saved, { ...draftOf(saved), rules: [{ ...rule, message: 'Shorter.' }] })).toBe(1)
  })

  it('takes a deletion back and forgets a field that was never stored', () => {
    const twice = toggleDeleted(toggleDeleted(draftOf(object), 'pages'), 'pages')
    expect(applyDraft(object, twice)).toEqual(object)
    const added = addField(draftOf(object), { label: 'Extra', type: 'text' })
    expect(toggleDeleted(added, 'extra')).toEqual(draftOf(object))
  })

  it('drops the display field when its field goes', () => {
    expect(applyDraft(object, toggleDeleted(draftOf(object), 'title')).displayNameField).toBeUndefined()
  })

  it('moves a field by one place and counts it once', () => {
    const moved = moveField(draftOf(object), 'pages', -1)
    expect(Object.keys(applyDraft(object, moved).fields)).toEqual(['pages', 'title'])
    expect(countChanges(object, moved)).toBe(1)
    expect(moveField(moved, 'pages', -1)).toBe(moved)
  })
})
