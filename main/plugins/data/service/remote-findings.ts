// What there is to say of a record that peers wrote and nobody could refuse: values that should be unique, rules it breaks,
// masters that are not there. Reads only; what becomes of the findings is decided elsewhere.
import { PlatformError } from '#shared/errors.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import { uniqueRules } from '#main/database/query/unique-clash.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { RecordRelations, RemoteOutcome } from '../api.ts'
import { liveExists, referencingIds, ringThrough } from '../store.ts'
import { touches } from './changed-values.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import type { RecordRules } from './record-rules.ts'
import { targetsOf } from './reference-checks.ts'
import type { IncomingReferences } from './references.ts'
import { namingOf } from './references.ts'
import type { Place } from './stored-rows.ts'
import { clashesOf } from './unique-clashes.ts'

/** Everything an outcome says of a stored record. */
export type RemoteFindings = Pick<RemoteOutcome, 'duplicates' | 'broken' | 'orphans' | 'stranded'>

/** The findings where there is nothing to say. */
export const noFindings: RemoteFindings = Object.freeze({ duplicates: [], broken: [], orphans: [], stranded: [] })

/** What looking needs. */
export interface FindingParts {
  readonly metadata: Pick<MetadataService, 'objectSchema'>
  readonly rules: Pick<RecordRules, 'observe' | 'uniqueTuples'>
  readonly queryEnv: () => QueryEnv
  readonly incoming: IncomingReferences
}

/** Records that are named for one rule at most. */
const maxDuplicates = 20

/**
 * Looks at a live record that is stored.
 * @param stored the row as it was while live; null for one that is new or came back
 * @param columns those that changed; ignored without `stored`
 */
export function findingsOf(
  parts: FindingParts,
  { tx, ctx, schema }: Place,
  { row, stored, columns }: { readonly row: Row; readonly stored: Row | null; readonly columns: Row },
): RemoteFindings {
  const seen: Seen = { schema, row, stored, columns }
  return {
    duplicates: duplicatesOf(parts, tx, seen, ctx.organizationId),
    broken: parts.rules.observe(ctx, schema, row, stored),
    orphans: orphansOf(parts, tx, seen),
    stranded: noFindings.stranded,
  }
}

/** Whether records of an object can have to do with others what they should not. */
export function hasRelations({ rules }: Pick<FindingParts, 'rules'>, schema: ObjectSchema): boolean {
  const { hasUnique, relations } = codecOf(schema)
  const isBound = relations.some(({ type }) => type === 'master_detail' || type === 'tree')
  return hasUnique || rules.uniqueTuples(schema).length > 0 || isBound
}

/** What a live record that is stored has to do with others that it should not, whatever changed last. */
export function relationsOf(parts: FindingParts, tx: Tx, schema: ObjectSchema, row: Row): RecordRelations {
  const seen: Seen = { schema, row, stored: null, columns: row }
  return {
    duplicates: duplicatesOf(parts, tx, seen, null),
    orphans: orphansOf(parts, tx, seen),
    rings: ringsOf(tx, schema, row),
  }
}

/** Fields in which a record stands above itself: machines that did not know of each other each said a part of the ring. */
function ringsOf(tx: Tx, schema: ObjectSchema, row: Row): RecordRelations['rings'] {
  return codecOf(schema).relations.flatMap(({ type, name, column }) => {
    const ids = type === 'tree' ? ringThrough(tx, schema, column, row) : []
    return ids.length === 0 ? [] : [{ field: name, ids }]
  })
}

/** Live details of a record that has just left: the cascade that should have taken them did not know them. */
export function strandedBy(
  { incoming }: Pick<FindingParts, 'incoming'>,
  tx: Tx,
  object: string,
  id: string,
): RemoteFindings['stranded'] {
  return incoming(object)
    .filter(({ field }) => field.type === 'master_detail')
    .flatMap(({ schema, field }) =>
      [...referencingIds(tx, schema, namingOf(field, object, id))].flat().map((detail) => ({
        field: field.name,
        object: schema.name,
        id: detail,
      })),
    )
}

interface Seen {
  readonly schema: ObjectSchema
  readonly row: Row
  readonly stored: Row | null
  readonly columns: Row
}

function duplicatesOf(
  parts: FindingParts,
  tx: Tx,
  { schema, row, stored, columns }: Seen,
  organizationId: string | null,
): RemoteFindings['duplicates'] {
  const tuples = parts.rules.uniqueTuples(schema)
  if (!codecOf(schema).hasUnique && tuples.length === 0) return noFindings.duplicates
  return [...uniqueRules(schema), ...tuples].flatMap((rule) => {
    // A rule with a filter may begin to hold with any change.
    if (stored !== null && rule.where === null && !rule.fields.some((field) => touches(field, columns))) return []
    const fields = rule.fields.map((field) => field.name)
    try {
      const records = clashesOf(tx, { ...parts.queryEnv(), organizationId }, schema, row, rule, maxDuplicates)
      return records.map((record) => ({ fields, record }))
    } catch (error) {
      // A rule whose filter cannot be asked says nothing of the record.
      if (!(error instanceof PlatformError) || error.code !== 'invalid_query') throw error
      return []
    }
  })
}

function orphansOf(
  { metadata }: FindingParts,
  tx: Tx,
  { schema, row, stored, columns }: Seen,
): RemoteFindings['orphans'] {
  return codecOf(schema)
    .relations.filter((field) => field.type === 'master_detail' && (stored === null || touches(field, columns)))
    .flatMap((field) =>
      targetsOf(schema, field, row).flatMap(({ object, id }) => {
        const master = metadata.objectSchema(object)
        const isThere = master !== undefined && !master.abstract && liveExists(tx, master.table, id)
        return isThere ? [] : [{ field: field.name, object, id }]
      }),
    )
}
