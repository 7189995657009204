// Owns how the types of fields are offered: in groups, the common ones first, each with a name and one line that says
// what it holds. The types themselves and their words are the field registry's.
import { fieldTypeNames, findFieldType, typeGroups } from '../../fields/index.ts'
import type { TypeGroup } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'

/** What a type is called; an unknown one is called by its name. */
export function typeLabel(type: string): string {
  return findFieldType(type)?.label ?? type
}

/** One line about what a type holds; empty for an unknown one. */
export function typeHint(type: string): string {
  return findFieldType(type)?.hint ?? ''
}

/** What a group of types is called. */
export function groupLabel(group: TypeGroup): string {
  return t(`typeGroup.${group}`)
}

/** The types whose name, label or line holds every word of a text; all for an empty one. Types keep their order. */
export function searchTypes(text: string): { group: TypeGroup; types: string[] }[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const holds = (type: string): boolean => {
    const said = `${type} ${typeLabel(type)} ${typeHint(type)}`.toLowerCase()
    return words.every((word) => said.includes(word))
  }
  const found = fieldTypeNames().filter(holds)
  return typeGroups
    .map((group) => ({ group, types: found.filter((type) => findFieldType(type)?.group === group) }))
    .filter(({ types }) => types.length > 0)
}
