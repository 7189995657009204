// Owns working out what a record held at a point of its history. Pure.
import type { ChangelogEntry } from './feed-queries.ts'

/**
 * What the fields held right after an entry, by name: the values before the oldest change that followed. `entries` are
 * newest first and hold everything that followed; fields that did not change since are left out.
 */
export function valuesAfter(entries: readonly ChangelogEntry[], id: string): Map<string, unknown> {
  const values = new Map<string, unknown>()
  for (const entry of entries) {
    if (entry.id === id) return values
    // Older entries come later, so the last one that is written stands.
    for (const { field, oldValue } of entry.changes) values.set(field, oldValue ?? null)
  }
  return new Map()
}
