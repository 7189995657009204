// Which summary fields look at which objects (D-94). Derived from metadata, kept until the metadata epoch changes.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ResolvedFilter } from '#shared/filter/resolved-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'

/** One summary field, ready for use. */
export interface SummaryRule {
  readonly parent: ObjectSchema
  readonly field: FieldSchema
  readonly child: ObjectSchema
  /** The child's field that names the parent. */
  readonly relation: FieldSchema
  /** The child's field that is summed up; null for a count of records. */
  readonly source: FieldSchema | null
  readonly fn: 'count' | 'sum' | 'min' | 'max' | 'avg'
  readonly where: Filter | null
  /** Columns of the child the value depends on. */
  readonly columns: ReadonlySet<string>
  /** True when a child's part follows from its own row alone: no date macros, no paths into other objects. */
  readonly steady: boolean
  /** Power of ten that turns every value of the source into a whole number; null when none does. */
  readonly factor: number | null
}

/** Answers from memory which summaries there are. */
export interface SummaryRules {
  /** Whether there is any summary at all. */
  any(): boolean
  /** Summaries that look at records of the object. */
  over(child: string): readonly SummaryRule[]
  /** Summaries the object has. */
  of(parent: string): readonly SummaryRule[]
}

/** Words of filters whose meaning changes with time or caller. */
const movingWords = /"\$(today|now|startOf|during|user)"|\{(today|now|me)\b/

/** Makes the index over the metadata service. A summary that names something that does not exist is left out. */
export function createSummaryRules(metadata: MetadataService, queryEnv: () => QueryEnv): SummaryRules {
  let epoch = -1
  let byChild = new Map<string, SummaryRule[]>()
  let byParent = new Map<string, SummaryRule[]>()
  const refresh = (): void => {
    if (metadata.epoch() === epoch) return
    epoch = metadata.epoch()
    byChild = new Map()
    byParent = new Map()
    for (const parent of metadata.objectSchemas()) {
      const rules = summaryRulesOf(parent, metadata.objectSchema, queryEnv())
      if (rules.length > 0) byParent.set(parent.name, rules)
      for (const rule of rules) byChild.set(rule.child.name, [...(byChild.get(rule.child.name) ?? []), rule])
    }
  }
  return {
    any() {
      refresh()
      return byParent.size > 0
    },
    over(child) {
      refresh()
      return byChild.get(child) ?? none
    },
    of(parent) {
      refresh()
      return byParent.get(parent) ?? none
    },
  }
}

const none: readonly SummaryRule[] = []

/** The summaries of one object, as far as what they name exists. */
export function summaryRulesOf(
  parent: ObjectSchema,
  schemaOf: (object: string) => ObjectSchema | undefined,
  env: QueryEnv,
): SummaryRule[] {
  return parent.fields.flatMap((field) => compileSummary(parent, field, schemaOf, env) ?? [])
}

function compileSummary(
  parent: ObjectSchema,
  field: FieldSchema,
  schemaOf: (object: string) => ObjectSchema | undefined,
  env: QueryEnv,
): SummaryRule | undefined {
  const operations = field.type === 'summary' ? field.settings.summaryOperations : undefined
  if (operations === undefined) return undefined
  const child = operations.object === parent.name ? parent : schemaOf(operations.object)
  if (child === undefined || child.abstract) return undefined
  const relation = summaryRelation(child, parent.name, operations.relationField)
  const source = operations.field === undefined ? null : (child.byName.get(operations.field) ?? null)
  if (relation === undefined || (source === null && operations.function !== 'count')) return undefined
  const filter = parseWhere(child, operations.filter, env)
  if (filter === undefined) return undefined
  const columns = new Set([relation.column, ...(source === null ? [] : [source.column]), ...filter.columns])
  const { where, steady } = filter
  return {
    parent,
    field,
    child,
    relation,
    source,
    fn: operations.function,
    where,
    columns,
    steady,
    factor: source === null ? 1 : factorOf(source),
  }
}

/** The relation a summary follows: the named one, else the master-detail relation to the parent, else any to it. */
export function summaryRelation(child: ObjectSchema, parent: string, named?: string): FieldSchema | undefined {
  const leads = child.fields.filter(
    (field) => field.reference === parent && field.type !== 'user' && fieldTypeOf(field).relation === true,
  )
  if (named !== undefined) return leads.find((field) => field.name === named)
  return leads.find((field) => field.type === 'master_detail') ?? leads[0]
}

function parseWhere(
  child: ObjectSchema,
  given: unknown,
  env: QueryEnv,
): { where: Filter | null; columns: string[]; steady: boolean } | undefined {
  if (given === undefined || given === null) return { where: null, columns: [], steady: true }
  try {
    const where = parseFilter(given)
    const found = { columns: [] as string[], steady: !movingWords.test(JSON.stringify(given)) }
    walk(resolveFilter(child, where, env), found)
    return { where, ...found }
  } catch {
    // The filter names a field that is gone: the summary rests until its definition is mended.
    return undefined
  }
}

function walk(filter: ResolvedFilter, found: { columns: string[]; steady: boolean }): void {
  switch (filter.kind) {
    case 'and':
    case 'or':
      for (const part of filter.children) walk(part, found)
      return
    case 'not':
      walk(filter.child, found)
      return
    case 'search':
      found.steady = false
      return
    case 'condition': {
      const [first] = filter.hops
      if (first !== undefined) found.steady = false
      const field = first?.field ?? filter.field
      found.columns.push(field.column, ...field.extraColumns.map((extra) => extra.name))
      if (filter.test.test === 'field') found.columns.push(filter.test.other.column)
      return
    }
    case 'some': {
      const [first] = filter.hops
      // An element may lead on to another record.
      found.steady = false
      found.columns.push((first?.field ?? filter.field).column)
    }
  }
}

function factorOf(field: FieldSchema): number | null {
  if (field.sqlType === 'INTEGER') return 1
  const digits = fieldTypeOf(field).fractionDigits?.(field.settings)
  return digits === undefined ? null : 10 ** digits
}
