// Replaces ids by the records they name, one query per path (D-87). Ids of deleted or unreadable records stay ids.
import { invalidQuery, platformError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { allOf } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import { readableField, unknownField } from '#shared/filter/resolve-path.ts'
import type { ExpandNode } from '#shared/filter/select.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Reads } from '#main/kernel/database.ts'
import { buildChildren, buildRelated } from '#main/database/query/build-related.ts'
import type { RelatedOptions } from '#main/database/query/build-related.ts'
import type { PlatformRecord } from '../api.ts'
import type { IncomingReferences } from './references.ts'

/** Ids bound in one statement at most. */
const maxIdsPerQuery = 5_000

/** Expands records in place. */
export type Expand = (
  schema: ObjectSchema,
  records: PlatformRecord[],
  nodes: readonly ExpandNode[],
  env: QueryEnv,
) => void

/** Makes the expander. */
export function createExpander(read: Reads, incoming: IncomingReferences): Expand {
  const expand: Expand = (schema, records, nodes, env) => {
    for (const node of nodes) {
      const field = schema.byName.get(node.name)
      if (field !== undefined && isRelation(field)) expandRelation(schema, field, records, node, env)
      else expandChildren(schema, records, node, env)
    }
  }

  const expandRelation = (
    schema: ObjectSchema,
    field: FieldSchema,
    records: PlatformRecord[],
    node: ExpandNode,
    env: QueryEnv,
  ): void => {
    const target = env.canRead?.(schema.name, field.name) === false ? undefined : env.schemaOf(field.reference!)
    if (target === undefined) {
      // People are no objects yet: a user field names nothing that could take its place.
      if (field.type === 'user') return
      throw unknownRelation(node.name)
    }
    requireFields(target, node, env)
    const ids = [...new Set(records.flatMap((record) => idsOf(record[field.name])))]
    const related = new Map<string, PlatformRecord>()
    for (let start = 0; start < ids.length; start += maxIdsPerQuery) {
      const plan = buildRelated(
        target,
        ids.slice(start, start + maxIdsPerQuery),
        env,
        relatedOptions(target, node, env),
      )
      for (const row of read.all(plan.statement)) related.set(row['id'] as string, plan.read(row))
    }
    if (node.children.length > 0) expand(target, [...related.values()], node.children, env)
    for (const record of records) {
      const value = record[field.name]
      if (typeof value === 'string') record[field.name] = related.get(value) ?? value
      else if (Array.isArray(value)) record[field.name] = value.map((id) => related.get(id as string) ?? id)
    }
  }

  /** A name that a referencing field declares as `relationshipName` adds the children (D-87). */
  const expandChildren = (schema: ObjectSchema, records: PlatformRecord[], node: ExpandNode, env: QueryEnv): void => {
    const reference = incoming(schema.name).find(({ field }) => field.settings.relationshipName === node.name)
    const child = reference === undefined ? undefined : env.schemaOf(reference.schema.name)
    if (reference === undefined || child === undefined || reference.field.multiple) throw unknownRelation(node.name)
    requireFields(child, node, env)
    const parents = records.map((record) => record['id'] as string)
    const groups = new Map<string, PlatformRecord[]>(parents.map((id) => [id, []]))
    if (parents.length > 0) {
      const plan = buildChildren(child, reference.field, parents, env, {
        ...relatedOptions(child, node, env),
        limit: node.limit,
      })
      for (const row of read.all(plan.statement)) {
        const record = plan.read(row)
        groups.get(record[reference.field.name] as string)?.push(record)
      }
    }
    if (node.children.length > 0) expand(child, [...groups.values()].flat(), node.children, env)
    for (const record of records) record[node.name] = groups.get(record['id'] as string) ?? []
  }

  return expand
}

function relatedOptions(target: ObjectSchema, node: ExpandNode, env: QueryEnv): RelatedOptions {
  const rights = env.rowCondition?.(target.name) ?? null
  const where = allOf(node.where, rights)
  // Children of an expanded relation need their own relation field even when only other fields were named.
  const fields = node.fields === null ? null : [...node.fields, ...node.children.map((child) => child.name)]
  return { fields, where: resolveFilter(target, where, env, 'expand') }
}

/** A field that cannot be shown must not vanish silently (D-77). @throws invalid_query */
function requireFields(target: ObjectSchema, node: ExpandNode, env: QueryEnv): void {
  const missing = node.fields?.find((name) => readableField(target, name, env) === undefined)
  if (missing !== undefined) {
    throw unknownField({ parameter: 'select', path: `${node.name}.${missing}` }, [node.name, missing])
  }
}

function isRelation(field: FieldSchema): boolean {
  return fieldTypeOf(field).relation === true
}

function idsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []
}

function unknownRelation(name: string): Error {
  return invalidQuery('expand', `"${name.slice(0, 100)}" is not a relation of the object.`, { path: name })
}

/** Refuses expansion together with distinct rows and groups, which have no identity. @throws invalid_query */
export function refuseExpansion(nodes: readonly ExpandNode[]): void {
  if (nodes.length > 0)
    throw platformError('invalid_query', {
      parameter: 'expand',
      reason: 'Distinct rows and groups cannot be expanded.',
    })
}
