// Turns the value of a setting into the text that is edited, and back. Pure.
import type { SettingKind, WorkspaceSetting } from './setting-list.ts'

/** A text that was read: the value to store, null for the default; or what is wrong with it. */
export type ReadDraft = { value: unknown } | { problem: 'settings.notNumber' | 'settings.notJson' }

/** The text that stands for a value. */
export function writeDraft(kind: SettingKind, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (kind === 'lines') return (value as readonly string[]).join('\n')
  if (kind === 'json') return JSON.stringify(value, null, 2)
  return String(value as string | number | boolean)
}

/** Reads what was entered. */
export function readDraft({ kind, emptyIsDefault }: WorkspaceSetting, draft: string): ReadDraft {
  const text = draft.trim()
  if (text === '' && emptyIsDefault) return { value: null }
  switch (kind) {
    case 'number':
      return /^\d+$/.test(text) ? { value: Number(text) } : { problem: 'settings.notNumber' }
    case 'lines':
      return { value: text.split('\n').flatMap((line) => line.trim() || []) }
    case 'json':
      try {
        return { value: JSON.parse(text) as unknown }
      } catch {
        return { problem: 'settings.notJson' }
      }
    default:
      return { value: text }
  }
}
