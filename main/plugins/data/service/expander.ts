// Replaces ids by the records they name and adds children, one query per path (D-87). Ids of deleted or unreadable
// records stay ids.
import { relationTarget } from '#shared/filter/relation-target.ts'
import { invalidQuery, platformError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { allOf } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import { readableField, unknownField } from '#shared/filter/resolve-path.ts'
import type { ResolvedFilter } from '#shared/filter/resolved-filter.ts'
import { resolveSort } from '#shared/filter/resolve-sort.ts'
import type { ExpandNode } from '#shared/filter/select.ts'
import { childCountKey } from '#shared/filter/select.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { engineOf } from '#main/database/query/build-find.ts'
import { buildChildren, buildRelated, countChildren, parentColumn } from '#main/database/query/build-related.ts'
import type { RelatedOptions } from '#main/database/query/build-related.ts'
import type { FilterWeight } from '#main/database/query/query-weight.ts'
import { weighFilter } from '#main/database/query/query-weight.ts'
import type { PlatformRecord } from '../api.ts'
import type { RunRead } from './read-runner.ts'
import type { IncomingReferences } from './references.ts'

/** What one parent's children cost, in rows of a plain scan. */
const stepsPerParent = 200

/** Ids bound in one statement at most. */
const maxIdsPerQuery = 5_000

/** Expands records in place. */
export type Expand = (
  ctx: RequestContext,
  schema: ObjectSchema,
  records: PlatformRecord[],
  nodes: readonly ExpandNode[],
  env: QueryEnv,
) => Promise<void>

/** Makes the expander. */
export function createExpander(run: RunRead, incoming: IncomingReferences): Expand {
  const expand: Expand = async (ctx, schema, records, nodes, env) => {
    for (const node of nodes) {
      const field = schema.byName.get(node.name)
      if (field !== undefined && isRelation(field)) await expandRelation(ctx, schema, field, records, node, env)
      else await expandChildren(ctx, schema, records, node, env)
    }
  }

  const expandRelation = async (
    ctx: RequestContext,
    schema: ObjectSchema,
    field: FieldSchema,
    records: PlatformRecord[],
    node: ExpandNode,
    env: QueryEnv,
  ): Promise<void> => {
    const isHidden = !field.system && env.canRead?.(schema.name, field.name) === false
    const target = isHidden ? undefined : relationTarget(field, env)
    if (target === undefined) {
      throw unknownRelation(node.name)
    }
    const options = relatedOptions(target, node, env)
    const ids = [...new Set(records.flatMap((record) => idsOf(record[field.name])))]
    // A sort orders all the records, so they come from one statement.
    const step = node.sort.length > 0 ? Math.max(ids.length, 1) : maxIdsPerQuery
    const related = new Map<string, PlatformRecord>()
    for (let start = 0; start < ids.length; start += step) {
      const plan = buildRelated(target, ids.slice(start, start + step), env, options)
      const rows = await run(ctx, plan.statement, { keyed: ids.length, table: target.table, weight: options.weight })
      for (const row of rows) related.set(row['id'] as string, plan.read(row))
    }
    if (node.children.length > 0) await expand(ctx, target, [...related.values()], node.children, env)
    const order = node.sort.length > 0 ? ranksOf(related) : null
    for (const record of records) {
      const value = record[field.name]
      if (typeof value === 'string') record[field.name] = related.get(value) ?? value
      else if (Array.isArray(value)) record[field.name] = replaceAll(value as string[], related, order, node.limit)
    }
  }

  /** A name that a referencing field declares as `relationshipName` adds the children (D-87). */
  const expandChildren = async (
    ctx: RequestContext,
    schema: ObjectSchema,
    records: PlatformRecord[],
    node: ExpandNode,
    env: QueryEnv,
  ): Promise<void> => {
    const reference = incoming(schema.name).find(({ field }) => field.settings.relationshipName === node.name)
    const child = reference === undefined ? undefined : env.schemaOf(reference.schema.name)
    if (reference === undefined || child === undefined || !readableField(child, reference.field.name, env)) {
      throw unknownRelation(node.name)
    }
    const options = relatedOptions(child, node, env)
    const parents = records.map((record) => record['id'] as string)
    const groups = new Map<string, PlatformRecord[]>(parents.map((id) => [id, []]))
    if (parents.length > 0) {
      const plan = buildChildren(child, reference.field, parents, env, {
        ...options,
        limit: node.limit,
        skip: node.skip ?? 0,
      })
      const endsAtLimit = !reference.field.multiple && node.sort.length === 0 && node.where === null
      const rows = await run(ctx, plan.statement, {
        table: child.table,
        weight: options.weight,
        ...(endsAtLimit ? { keyed: parents.length * stepsPerParent } : { readsAll: true }),
      })
      for (const row of rows) {
        const parent = row[parentColumn] as string
        delete row[parentColumn]
        groups.get(parent)?.push(plan.read(row))
      }
    }
    if (node.children.length > 0) await expand(ctx, child, [...groups.values()].flat(), node.children, env)
    for (const record of records) record[node.name] = groups.get(record['id'] as string) ?? []
    if (node.counted !== true || parents.length === 0) return
    const statement = countChildren(child, reference.field, parents, env, options.where)
    const rows = await run(ctx, statement, { table: child.table, weight: options.weight, readsAll: true })
    const counts = new Map(rows.map((row) => [row[parentColumn], Number(row['count'])]))
    for (const record of records) record[childCountKey(node.name)] = counts.get(record['id']) ?? 0
  }

  return expand
}

/** @throws invalid_query for what the related object does not have: nothing may vanish silently (D-77) */
function relatedOptions(
  target: ObjectSchema,
  node: ExpandNode,
  env: QueryEnv,
): RelatedOptions & { where: ResolvedFilter; weight: FilterWeight } {
  const missing = node.fields?.find((name) => readableField(target, name, env) === undefined)
  if (missing !== undefined) {
    throw unknownField({ parameter: 'select', path: `${node.name}.${missing}` }, [node.name, missing])
  }
  const rights = env.rowCondition?.(target.name) ?? null
  const where = resolveFilter(target, allOf(node.where), env, 'expand')
  const visible = resolveFilter(target, allOf(rights), engineOf(env), 'expand')
  const both: ResolvedFilter = { kind: 'and', children: [where, visible] }
  // Children of an expanded relation need their own relation field even when only other fields were named.
  const fields = node.fields === null ? null : [...node.fields, ...node.children.map((inner) => inner.name)]
  return { fields, where: both, sort: resolveSort(target, node.sort, env, 'expand'), weight: weighFilter(both) }
}

function isRelation(field: FieldSchema): boolean {
  return fieldTypeOf(field).relation === true
}

function idsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []
}

function ranksOf(related: ReadonlyMap<string, unknown>): ReadonlyMap<string, number> {
  return new Map([...related.keys()].map((id, rank) => [id, rank]))
}

/** The records of a list of ids in its order, or in that of a sort; what stays an id then comes last. */
function replaceAll(
  ids: readonly string[],
  related: ReadonlyMap<string, PlatformRecord>,
  ranks: ReadonlyMap<string, number> | null,
  limit: number | null,
): unknown[] {
  const rank = (id: string): number => ranks?.get(id) ?? ids.length + (ranks?.size ?? 0)
  const ordered = ranks === null ? ids : ids.toSorted((a, b) => rank(a) - rank(b))
  return (limit === null ? ordered : ordered.slice(0, limit)).map((id) => related.get(id) ?? id)
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
