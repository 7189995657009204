// What others may ask of the limits that definitions set to values. Types only.
import type { FieldLimit } from '#shared/field-types/field-limits.ts'

/** Judges values that are stored. */
export interface LimitWords {
  /**
   * What a value breaks of one limit of a field, in a sentence; null where it keeps to it or cannot be read at all.
   * @throws resource_not_found for an object that is not there
   */
  brokenLimit(object: string, field: string, limit: FieldLimit, value: unknown): string | null
}
