// Owns the changes to the fields of one object before they are saved: labels, new fields, deletions, order. Pure.
import { reservedFieldNames } from '#shared/object-names.ts'
import { nameFromLabel, uniqueName } from './object-names.ts'
import type { FieldItem, ObjectItem } from './object-item.ts'

/** One field as the editor shows it. */
export interface DraftField {
  name: string
  item: FieldItem
  /** Not stored yet. */
  added: boolean
  /** Will be deleted by the next save. */
  deleted: boolean
}

/** The object being edited. */
export interface ObjectDraft {
  label: string
  pluralLabel: string
  fields: readonly DraftField[]
}

/** A draft without changes. */
export function draftOf(object: ObjectItem): ObjectDraft {
  return {
    label: object.label ?? object.name,
    pluralLabel: object.pluralLabel ?? '',
    fields: Object.entries(object.fields).map(([name, item]) => ({ name, item, added: false, deleted: false })),
  }
}

/** What is needed to add a field. */
export interface NewField {
  label: string
  type: string
  options?: readonly string[]
  reference?: string
}

const optionForm = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/

/** The name a new field would get: never one that is in use, also by a field about to be deleted. */
export function newFieldName(draft: ObjectDraft, label: string): string {
  return uniqueName(nameFromLabel(label), new Set([...reservedFieldNames, ...draft.fields.map((field) => field.name)]))
}

/** Adds a field at the end. */
export function addField(draft: ObjectDraft, field: NewField): ObjectDraft {
  const taken = new Set<string>()
  const options = field.options?.map((text) => {
    const value = uniqueName(optionForm.test(text) ? text : nameFromLabel(text, 'option'), taken)
    taken.add(value)
    return { value, label: text }
  })
  const item: FieldItem = {
    type: field.type,
    label: field.label.trim(),
    ...(options ? { options } : {}),
    ...(field.reference ? { reference: field.reference } : {}),
  }
  const name = newFieldName(draft, field.label)
  return { ...draft, fields: [...draft.fields, { name, item, added: true, deleted: false }] }
}

/** Changes keys of one field. */
export function changeField(draft: ObjectDraft, name: string, part: Partial<FieldItem>): ObjectDraft {
  return {
    ...draft,
    fields: draft.fields.map((field) => (field.name === name ? { ...field, item: { ...field.item, ...part } } : field)),
  }
}

/** Marks a field for deletion, or takes the mark back; a field that was never stored goes at once. */
export function toggleDeleted(draft: ObjectDraft, name: string): ObjectDraft {
  return {
    ...draft,
    fields: draft.fields.flatMap((field) => {
      if (field.name !== name) return [field]
      return field.added ? [] : [{ ...field, deleted: !field.deleted }]
    }),
  }
}

/** Moves a field by one place. */
export function moveField(draft: ObjectDraft, name: string, step: 1 | -1): ObjectDraft {
  const from = draft.fields.findIndex((field) => field.name === name)
  const to = from + step
  if (from < 0 || to < 0 || to >= draft.fields.length) return draft
  const fields = [...draft.fields]
  const [moved] = fields.splice(from, 1)
  if (moved) fields.splice(to, 0, moved)
  return { ...draft, fields }
}

/** The object to save: everything the draft does not show stays as it is. */
export function applyDraft(object: ObjectItem, draft: ObjectDraft): ObjectItem {
  const kept = draft.fields.filter((field) => !field.deleted)
  const next: ObjectItem = {
    ...object,
    label: draft.label.trim(),
    pluralLabel: draft.pluralLabel.trim() || draft.label.trim(),
    fields: Object.fromEntries(kept.map((field) => [field.name, field.item])),
  }
  if (next.displayNameField && !(next.displayNameField in next.fields)) delete next.displayNameField
  return next
}

/** How many things a save would change, as a person counts them. */
export function countChanges(object: ObjectItem, draft: ObjectDraft): number {
  const original = draftOf(object)
  let count = 0
  if (draft.label !== original.label) count += 1
  if (draft.pluralLabel !== original.pluralLabel) count += 1
  for (const field of draft.fields) {
    if (field.added || field.deleted) count += 1
    else if (JSON.stringify(field.item) !== JSON.stringify(object.fields[field.name])) count += 1
  }
  const before = original.fields.map((field) => field.name)
  const after = draft.fields.filter((field) => !field.added).map((field) => field.name)
  if (before.join() !== after.join()) count += 1
  return count
}
