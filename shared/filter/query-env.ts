// What resolving a query needs from its caller: schemas, rights and the values of macros.
import type { OperandEnv } from '#shared/field-types/field-type.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Filter } from './filter.ts'

/** Writes the organization of a record as an SQL expression; `recordId` is SQL whose values are bound first. */
export type RecordOrganization = (objectUid: string, recordId: string, bind: (value: string) => string) => string

/** The world of one query, as its caller may see it. */
export interface QueryEnv extends OperandEnv {
  /** Undefined for an object that does not exist or that the caller may not read (D-25). */
  schemaOf(object: string): ObjectSchema | undefined
  /** The people user fields name; absent: paths and expansions of user fields lead nowhere. */
  readonly users?: ObjectSchema
  /** Whether the caller may read the field; absent: every field. */
  canRead?(object: string, field: string): boolean
  /** The same world without rights: conditions that rights make are resolved in it. Absent: this one. */
  readonly engine?: QueryEnv
  /** The caller's active organization: a cursor is worth nothing in another one. */
  readonly organizationId?: string | null
  /** Absent: there are no organizations, and what is unique is so among all records (D-41). */
  readonly recordOrganization?: RecordOrganization
  /** The rows of a related object that relation paths may see; null or absent: all of them. */
  rowCondition?(object: string): Filter | null
}
