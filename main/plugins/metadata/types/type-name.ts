// Finds the metadata type a path segment means. Pure.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'

const byName = new Map<string, MetadataType>()
for (const type of metadataTypes) {
  const plural = `${type}s`
  for (const name of [type, plural]) {
    byName.set(name, type)
    byName.set(camelCase(name), type)
  }
}

/** The type a segment names: singular or plural, snake_case or camelCase; undefined when there is none (D-102). */
export function findMetadataType(segment: string): MetadataType | undefined {
  return byName.get(segment)
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
