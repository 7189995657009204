// Reads the type words of request bodies: plural and camelCase forms are folded as in paths (D-102). Pure.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import { notFound, validationError } from '#shared/errors.ts'
import { findMetadataType } from '../types/type-entries.ts'

/** The problem of a type nobody knows. */
export function unknownType(field: string, value: unknown): FieldError {
  return { field, code: 'invalid_option', message: 'There is no such metadata type.', value, constraint: metadataTypes }
}

/** The type a path segment means. @throws resource_not_found */
export function typeOfSegment(segment: string): MetadataType {
  const type = findMetadataType(segment)
  if (type === undefined) throw notFound('metadata_type', segment)
  return type
}

/** The type a member of the body means. @throws validation_error */
export function typeOfWord(field: string, word: string): MetadataType {
  const type = findMetadataType(word)
  if (type === undefined) throw validationError([unknownType(field, word)])
  return type
}

/** The types a list in the body means, undefined when it is absent. @throws validation_error naming every wrong one */
export function typesOfWords(field: string, words: readonly string[] | undefined): Set<MetadataType> | undefined {
  if (words === undefined) return undefined
  const found = words.map((word) => findMetadataType(word))
  const problems = found.flatMap((type, index) =>
    type === undefined ? [unknownType(`${field}.${index}`, words[index])] : [],
  )
  if (problems.length > 0) throw validationError(problems)
  return new Set(found as MetadataType[])
}
