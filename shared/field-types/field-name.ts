// Names of fields made from the words people give their columns. Pure.
import { normalForm } from '#shared/normal-form.ts'
import { maxNameLength, reservedFieldNames } from '#shared/object-names.ts'

/** A snake_case name for a label: accents go, everything that is no letter or digit becomes an underscore. */
export function fieldNameOf(label: string): string {
  const plain = normalForm(label, 'NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  const name = /^[a-z]/.test(plain) ? plain : plain === '' ? 'field' : `field_${plain}`
  return name.slice(0, maxNameLength).replace(/_+$/, '')
}

/** The name, or the name with the first number that makes it neither taken nor reserved. @source D-92 */
export function freeFieldName(name: string, taken: ReadonlySet<string>): string {
  const isFree = (candidate: string) => !taken.has(candidate) && !reservedFieldNames.has(candidate)
  if (isFree(name)) return name
  for (let number = 2; ; number++) {
    const tail = `_${number}`
    const candidate = `${name.slice(0, maxNameLength - tail.length).replace(/_+$/, '')}${tail}`
    if (isFree(candidate)) return candidate
  }
}
