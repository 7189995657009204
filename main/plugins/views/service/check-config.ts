// What a view must be beside its shape: named after its object, with fields its object has and conditions that can be run
// (D-115).
import type { FieldError } from '#shared/errors.ts'
import { PlatformError } from '#shared/errors.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import { resolvePath } from '#shared/filter/resolve-path.ts'
import { resolveSort } from '#shared/filter/resolve-sort.ts'
import { parseSort } from '#shared/filter/sort.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { ItemRule } from '#main/plugins/metadata/api.ts'

type Config = Readonly<Record<string, unknown>>

/** Members that hold field names, as a name, a list of names, or objects with a key `field`. */
const fieldMembers = [
  'columns',
  'searchableFields',
  'filterableFields',
  'groupByField',
  'startDateField',
  'endDateField',
  'titleField',
  'sumField',
  'colorField',
  'coverField',
  'dimension',
] as const

/** Groups of such members that belong to one way of showing records. */
const memberGroups = ['kanban', 'calendar', 'gantt', 'gallery', 'timeline', 'map', 'chart'] as const

/** Every name in the configuration that is no field of the object; paths start with `config`. */
export function checkViewFields(schema: ObjectSchema, config: Config, env: QueryEnv): FieldError[] {
  const errors: FieldError[] = []
  const check = (value: unknown, path: string): void => {
    if (typeof value === 'string') {
      if (!isField(schema, value, env)) errors.push(unknown(path, value))
    } else if (Array.isArray(value)) {
      value.forEach((entry: unknown, at) => check(entry, `${path}.${at}`))
    } else if (isMap(value) && typeof value['field'] === 'string') {
      check(value['field'], `${path}.field`)
    }
  }
  for (const [prefix, source] of membersOf(config)) {
    for (const member of fieldMembers) {
      // A kanban's columns are its lanes, not fields.
      if (Object.hasOwn(source, member) && !(prefix.endsWith('.kanban') && member === 'columns')) {
        check(source[member], `${prefix}.${member}`)
      }
    }
  }
  check(config['grouping'], 'config.grouping')
  checkSections(config['sections'], check)
  check(config['fields'], 'config.fields')
  return errors
}

/** Every member of the configuration that the object cannot serve; paths start with `config`. */
export function checkViewConfig(schema: ObjectSchema, config: Config, env: QueryEnv): FieldError[] {
  const errors = checkViewFields(schema, config, env)
  if (config['filter'] !== undefined && config['filter'] !== null) {
    const { filter } = config
    capture(errors, 'config.filter', () => resolveFilter(schema, parseFilter(filter), env, 'filter'))
  }
  if (config['sort'] !== undefined && config['sort'] !== null) {
    const sort = isMap(config['sort']) ? [config['sort']] : config['sort']
    capture(errors, 'config.sort', () => resolveSort(schema, parseSort(spelled(sort)), env))
  }
  return errors
}

function membersOf(config: Config): [string, Config][] {
  const groups = memberGroups.flatMap((group): [string, Config][] => {
    const value = config[group]
    return isMap(value) ? [[`config.${group}`, value]] : []
  })
  return [['config', config], ...groups]
}

function checkSections(sections: unknown, check: (value: unknown, path: string) => void): void {
  if (!Array.isArray(sections)) return
  sections.forEach((section: unknown, at) => {
    if (isMap(section)) check(section['fields'], `config.sections.${at}.fields`)
  })
}

/** A sort entry may say `direction` where the query language says `order`. */
function spelled(sort: unknown): unknown {
  if (!Array.isArray(sort)) return sort
  return sort.map((term: unknown) => {
    if (!isMap(term) || !Object.hasOwn(term, 'direction')) return term
    const { direction, ...rest } = term
    return { order: direction, ...rest }
  })
}

function isField(schema: ObjectSchema, name: string, env: QueryEnv): boolean {
  try {
    resolvePath(schema, name.split('.'), env, { parameter: 'config', path: name })
    return true
  } catch (error) {
    if (error instanceof PlatformError) return false
    throw error
  }
}

function capture(errors: FieldError[], field: string, run: () => unknown): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const reason = typeof error.details['reason'] === 'string' ? error.details['reason'] : error.message
    errors.push({ field, code: 'invalid_format', message: reason })
  }
}

function unknown(field: string, value: string): FieldError {
  return { field, code: 'unknown_field', message: `The object has no field "${value.slice(0, 100)}".`, value }
}

function isMap(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Makes the rule of the type. Columns of an object that is still to come, or that the caller may not read, are let
 * through.
 * @param envFor the world as the caller sees it, where some objects are not stored yet
 */
export function viewRule(envFor: (ctx: RequestContext, schemaOf: QueryEnv['schemaOf']) => QueryEnv): ItemRule {
  return (ctx, { name, item }, schemaOf) => {
    const { object, config } = item as { object: string; config?: Readonly<Record<string, unknown>> | null }
    const env = envFor(ctx, schemaOf)
    const schema = env.schemaOf(object)
    return [
      ...nameProblems(name, object),
      ...(schema === undefined || !config ? [] : checkViewFields(schema, config, env)),
    ]
  }
}

function nameProblems(name: string, object: string): FieldError[] {
  if (name.startsWith(`${object}.`)) return []
  const message = 'A view is named object.key, after the object it shows.'
  return [{ field: 'name', code: 'invalid_format', message, value: name }]
}
