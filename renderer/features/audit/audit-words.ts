// Owns the words for what entries of the audit log tell. What another version or a package wrote keeps its code.
import { isStringKey, t } from '../../lib/strings.ts'

/** What happened, in a few words; the kind itself where it has none. */
export function kindWord(kind: string): string {
  const key = `audit.is.${kind}`
  return isStringKey(key) ? t(key) : kind
}

/** What the kinds that begin alike are about. */
export function familyWord(family: string): string {
  const key = `audit.family.${family}`
  return isStringKey(key) ? t(key) : family
}

/** What a type of metadata items is called. */
export function itemTypeWord(type: string): string {
  const key = `audit.type.${type}`
  return isStringKey(key) ? t(key) : type
}
