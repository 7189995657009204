// Owns turning labels into metadata names. Pure.

import { maxNameLength } from '#shared/object-names.ts'

/**
 * A snake_case name for a label: letters lose their accents, everything else becomes an underscore. A label without a
 * usable letter gives `fallback`.
 */
export function nameFromLabel(label: string, fallback = 'field'): string {
  const plain = label
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  const name = plain === '' ? fallback : /^[0-9]/.test(plain) ? `${fallback}_${plain}` : plain
  return name.slice(0, maxNameLength).replace(/_+$/, '')
}

/** The name itself, or the name with the first number that makes it free; never longer than 63 characters. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let number = 2; ; number++) {
    const tail = `_${number}`
    const candidate = name.slice(0, maxNameLength - tail.length) + tail
    if (!taken.has(candidate)) return candidate
  }
}
