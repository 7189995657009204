// Owns the changes to one object before they are saved: its words, its settings, its rules, and its fields: new ones,
// deletions, order. Pure.
import { reservedFieldNames } from '#shared/object-names.ts'
import { nameFromLabel, uniqueName } from './object-names.ts'
import type { FieldItem, ObjectItem } from './object-item.ts'
import type { RuleItem } from './rule-draft.ts'

const noRules: readonly RuleItem[] = []

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
  description: string
  /** Field that stands for a record; empty when the platform chooses. */
  displayNameField: string
  /** Deleted records can be restored. */
  trash: boolean
  /** Changes of records are kept. */
  trackHistory: boolean
  rules: readonly RuleItem[]
  fields: readonly DraftField[]
}

/** A draft without changes. */
export function draftOf(object: ObjectItem): ObjectDraft {
  return {
    label: object.label ?? object.name,
    pluralLabel: object.pluralLabel ?? '',
    description: object.description ?? '',
    displayNameField: object.displayNameField ?? '',
    trash: object.enable?.trash !== false,
    trackHistory: object.enable?.trackHistory !== false,
    rules: Array.isArray(object.validations) ? (object.validations as RuleItem[]) : noRules,
    fields: Object.entries(object.fields).map(([name, item]) => ({ name, item, added: false, deleted: false })),
  }
}

const optionForm = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/

/** The name a new field would get: never one that is in use, also by a field about to be deleted. */
export function newFieldName(draft: ObjectDraft, label: string): string {
  return uniqueName(nameFromLabel(label), new Set([...reservedFieldNames, ...draft.fields.map((field) => field.name)]))
}

/** Choices for texts: each under a value of the form options have, the text as its label; equal texts become one. */
export function optionsOf(texts: readonly string[]): { value: string; label: string }[] {
  const taken = new Set<string>()
  return [...new Set(texts.map((text) => text.trim()))].filter(Boolean).map((text) => {
    const value = uniqueName(optionForm.test(text) ? text : nameFromLabel(text, 'option'), taken)
    taken.add(value)
    return { value, label: text }
  })
}

/** Adds a field at the end; its name is made from its label. */
export function addField(draft: ObjectDraft, item: FieldItem): ObjectDraft {
  const label = item.label?.trim() ?? ''
  const name = newFieldName(draft, label)
  return { ...draft, fields: [...draft.fields, { name, item: { ...item, label }, added: true, deleted: false }] }
}

/** Puts another definition in the place of a field's. */
export function replaceField(draft: ObjectDraft, name: string, item: FieldItem): ObjectDraft {
  return { ...draft, fields: draft.fields.map((field) => (field.name === name ? { ...field, item } : field)) }
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

/** Moves a field by some places, down when the number is positive. */
export function moveField(draft: ObjectDraft, name: string, by: number): ObjectDraft {
  const from = draft.fields.findIndex((field) => field.name === name)
  const to = from + by
  if (by === 0 || from < 0 || to < 0 || to >= draft.fields.length) return draft
  const fields = [...draft.fields]
  const [moved] = fields.splice(from, 1)
  if (moved) fields.splice(to, 0, moved)
  return { ...draft, fields }
}

/** The object to save: everything the draft does not show stays as it is. */
export function applyDraft(object: ObjectItem, draft: ObjectDraft): ObjectItem {
  const kept = draft.fields.filter((field) => !field.deleted)
  const original = draftOf(object)
  const next: ObjectItem = {
    ...object,
    label: draft.label.trim(),
    pluralLabel: draft.pluralLabel.trim() || draft.label.trim(),
    fields: Object.fromEntries(kept.map((field) => [field.name, field.item])),
  }
  if (draft.description !== original.description) put(next, 'description', draft.description.trim())
  if (draft.displayNameField !== original.displayNameField) put(next, 'displayNameField', draft.displayNameField)
  if (draft.rules !== original.rules) put(next, 'validations', draft.rules)
  if (draft.trash !== original.trash) next.enable = { ...next.enable, trash: draft.trash }
  if (draft.trackHistory !== original.trackHistory) next.enable = { ...next.enable, trackHistory: draft.trackHistory }
  if (next.displayNameField && !(next.displayNameField in next.fields)) delete next.displayNameField
  return next
}

/** Sets a key, or takes it out when there is nothing to say. */
function put(object: ObjectItem, key: string, value: string | readonly unknown[]): void {
  if (value.length > 0) object[key] = value
  else delete object[key]
}

/** How many things a save would change, as a person counts them. */
export function countChanges(object: ObjectItem, draft: ObjectDraft): number {
  const original = draftOf(object)
  const keys = ['label', 'pluralLabel', 'description', 'displayNameField', 'trash', 'trackHistory'] as const
  let count = keys.filter((key) => draft[key] !== original[key]).length
  for (const field of draft.fields) {
    if (field.added || field.deleted) count += 1
    else if (JSON.stringify(field.item) !== JSON.stringify(object.fields[field.name])) count += 1
  }
  const before = original.fields.map((field) => field.name)
  const after = draft.fields.filter((field) => !field.added).map((field) => field.name)
  if (before.join() !== after.join()) count += 1
  return count + countRules(original.rules, draft.rules)
}

function countRules(before: readonly RuleItem[], after: readonly RuleItem[]): number {
  const texts = new Map(before.map((rule) => [rule.name, JSON.stringify(rule)]))
  const changed = after.filter((rule) => texts.get(rule.name) !== JSON.stringify(rule)).length
  const kept = new Set(after.map((rule) => rule.name))
  return changed + before.filter((rule) => !kept.has(rule.name)).length
}
