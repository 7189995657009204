// The writes of one object (D-181). Each is a write of its own through the data service, with its rights, rules and events.
import type { GraphQLArgumentConfig, GraphQLFieldConfig, GraphQLObjectType } from 'graphql'
import { graphqlTypeName } from '#shared/graphql-names.ts'
import { PlatformError, platformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import { offersApiMethods, requireApiMethods } from '#shared/object-api.ts'
import type { ApiMethod } from '#shared/object-api.ts'
import type { BulkError, BulkOptions, DataService } from '#main/plugins/data/api.ts'
import type { VisibleObject } from '#main/plugins/permissions/api.ts'
import { costKey } from './limits.ts'
import type { InputNames, ObjectTypes } from './object-types.ts'
import type { RunContext } from './run-context.ts'
import type { TypeBook } from './type-book.ts'

type Field = GraphQLFieldConfig<unknown, RunContext>
type Args = Record<string, unknown>

/** A write by the name it asks for; those of single records are given out first. */
export interface Mutation {
  readonly name: string
  readonly field: Field
}

const whole: BulkOptions = { atomic: true, returnRecords: true, continueOnError: false, validateOnly: false }

/** What a deletion answers. */
export function createDeleteResult({ library, names, scalar }: TypeBook): GraphQLObjectType {
  const { GraphQLNonNull: Required } = library
  return new library.GraphQLObjectType({
    name: names.claim('DeleteResult'),
    fields: () => ({ id: { type: new Required(scalar('ID')) }, success: { type: new Required(scalar('Boolean')) } }),
  })
}

/** The writes of single records that the object's API offers. */
export function recordMutations(
  book: TypeBook,
  data: DataService,
  object: VisibleObject,
  types: ObjectTypes,
  deleteResult: GraphQLObjectType,
): Mutation[] {
  const { library, scalar } = book
  const { GraphQLNonNull: Required } = library
  const { name } = object.schema
  const typeName = graphqlTypeName(name)
  const id: GraphQLArgumentConfig = { type: new Required(scalar('ID')) }
  const text: GraphQLArgumentConfig = { type: scalar('String') }
  const valuesOf = (values: unknown): Args => recordBody(values, types.inputNames)
  const fields: (readonly [ApiMethod, string, Field])[] = [
    [
      'create',
      `create${typeName}`,
      {
        type: types.record,
        args: { data: { type: new Required(types.create) } },
        resolve: async (_root, args: Args, { ctx }) =>
          (await data.create(ctx, { object: name, data: valuesOf(args['data']) })).record,
      },
    ],
    [
      'update',
      `update${typeName}`,
      {
        type: types.record,
        args: { id, data: { type: new Required(types.update) }, expectedVersion: text },
        resolve: async (_root, args: Args, { ctx }) =>
          (await data.update(ctx, { object: name, ...target(args), data: valuesOf(args['data']) })).record,
      },
    ],
    [
      'upsert',
      `upsert${typeName}`,
      {
        type: types.record,
        args: { id: { type: scalar('ID') }, externalId: text, data: { type: new Required(types.create) } },
        async resolve(_root, args: Args, { ctx }) {
          const record = {
            ...(args['id'] == null ? {} : { id: args['id'] as string }),
            ...(args['externalId'] == null ? {} : { externalId: args['externalId'] as string }),
            data: valuesOf(args['data']),
          }
          const { results, error } = await data.bulk(ctx, {
            object: name,
            operation: 'upsert',
            records: [record],
            options: whole,
          })
          const [only] = results
          if (only?.success !== true) throw refusalOf(only?.errors?.[0] ?? error)
          return only.record
        },
      },
    ],
    [
      'delete',
      `delete${typeName}`,
      {
        type: deleteResult,
        args: { id, expectedVersion: text, purge: { type: scalar('Boolean') } },
        async resolve(_root, args: Args, { ctx }) {
          const purge = args['purge'] === true
          requireApiMethods(object.schema, purge ? 'purge' : 'delete')
          const removed = await data.remove(ctx, { object: name, ...target(args), purge })
          return { id: removed.id, success: true }
        },
      },
    ],
    [
      'restore',
      `restore${typeName}`,
      {
        type: types.record,
        args: { id, expectedVersion: text },
        resolve: async (_root, args: Args, { ctx }) =>
          (await data.restore(ctx, { object: name, ...target(args) })).record,
      },
    ],
  ]
  const offers = (method: ApiMethod): boolean =>
    method === 'delete'
      ? offersApiMethods(object.schema, 'delete') || offersApiMethods(object.schema, 'purge')
      : offersApiMethods(object.schema, method) && (method !== 'restore' || object.schema.enable.trash)
  return fields.filter(([method]) => offers(method)).map(([, wanted, field]) => ({ name: wanted, field }))
}

/** The write of several records, all or none; null when the object's API does not offer it. */
export function manyMutation(
  book: TypeBook,
  data: DataService,
  object: VisibleObject,
  types: ObjectTypes,
): Mutation | null {
  if (!offersApiMethods(object.schema, 'bulk', 'create')) return null
  const { GraphQLList: List, GraphQLNonNull: Required } = book.library
  const { name } = object.schema
  return {
    name: `create${graphqlTypeName(name)}s`,
    field: {
      type: new Required(new List(new Required(types.record))),
      args: { records: { type: new Required(new List(new Required(types.create))) } },
      extensions: { [costKey]: { perElementOf: 'records' } },
      async resolve(_root, args: Args, { ctx }) {
        const records = (args['records'] as unknown[]).map((values) => recordBody(values, types.inputNames))
        return (await data.createMany(ctx, { object: name, records })).records
      },
    },
  }
}

/**
 * Which record is meant, in which version; quotes and `W/` are taken off (D-55).
 * @throws validation_error for null: a write that expects a version is never done without looking
 */
function target(args: Args): { id: string; expectedVersion: string | undefined } {
  const version = args['expectedVersion'] as string | null | undefined
  if (version === null)
    throw validationError([
      { field: 'expectedVersion', code: 'invalid_type', message: 'Expected a text.', value: null },
    ])
  return {
    id: String(args['id']),
    expectedVersion: version
      ?.trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  }
}

/**
 * The record of an input: relations may be given by either name.
 * @throws validation_error for two that contradict each other
 */
function recordBody(values: unknown, names: InputNames): Args {
  const body: Args = {}
  const problems: FieldError[] = []
  for (const [key, value] of Object.entries(values as Args)) {
    const field = names.get(key)!
    if (Object.hasOwn(body, field) && JSON.stringify(body[field]) !== JSON.stringify(value)) {
      problems.push({ field, code: 'invalid_reference', message: `"${field}" and "${key}" say different things.` })
    }
    body[field] = value
  }
  if (problems.length > 0) throw validationError(problems)
  return body
}

function refusalOf(error: BulkError | undefined): PlatformError {
  if (error === undefined) return platformError('internal_error')
  const { code, details, ...definition } = error
  return new PlatformError(code, definition, details)
}
