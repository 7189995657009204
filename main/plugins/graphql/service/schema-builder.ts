// One schema from what a caller may know. Names are given out in one order, whoever asks, so that equal rights give equal
// schemas (D-181).
import type { GraphQLFieldConfigMap, GraphQLSchema } from 'graphql'
import { graphqlFieldName, graphqlTypeName } from '#shared/graphql-names.ts'
import type { VisibleObjects } from '#main/plugins/permissions/api.ts'
import type { RootServices } from './query-fields.ts'
import { addListQueries, recordQuery } from './query-fields.ts'
import { createDeleteResult, manyMutation, recordMutations } from './mutation-fields.ts'
import { createNamePool } from './names.ts'
import type { ObjectTypes, TypeLinks } from './object-types.ts'
import { createObjectTypes, createPersonTypes } from './object-types.ts'
import type { RunContext } from './run-context.ts'
import type { GraphqlLibrary } from './scalars.ts'
import { changeSubscription, createChangeKind } from './subscription-fields.ts'
import { createTypeBook } from './type-book.ts'

type Fields = GraphQLFieldConfigMap<unknown, RunContext>

/**
 * Builds the schema.
 * @param hasOrganizations whether records show the organization they belong to
 */
export function buildSchemaOf(
  library: GraphqlLibrary,
  services: RootServices,
  objects: VisibleObjects,
  hasOrganizations: boolean,
): GraphQLSchema {
  const sorted = [...objects.byName.values()].toSorted((a, b) => (a.schema.name < b.schema.name ? -1 : 1))
  const typeNames = new Map<string, string>()
  const book = createTypeBook(library, (names) => {
    for (const { schema } of sorted) typeNames.set(schema.name, names.claim(graphqlTypeName(schema.name)))
  })
  const types = new Map<string, ObjectTypes>()
  const links: TypeLinks = { objects, typesOf: (object) => types.get(object)!, person: createPersonTypes(book) }
  for (const object of sorted) {
    const name = typeNames.get(object.schema.name)!
    types.set(object.schema.name, createObjectTypes(book, links, object, name, hasOrganizations))
  }

  const queries: Fields = {}
  const mutations: Fields = {}
  const subscriptions: Fields = {}
  const queryNames = createNamePool()
  const mutationNames = createNamePool()
  const deleteResult = createDeleteResult(book)
  for (const object of sorted) {
    const own = types.get(object.schema.name)!
    const field = recordQuery(book, services, object, own)
    if (field !== null) queries[queryNames.claim(graphqlFieldName(object.schema.name))] = field
    for (const mutation of recordMutations(book, services.data, object, own, deleteResult))
      mutations[mutationNames.claim(mutation.name)] = mutation.field
  }
  for (const object of sorted) {
    const own = types.get(object.schema.name)!
    addListQueries(queries, queryNames, book, services, object, own)
    const many = manyMutation(book, services.data, object, own)
    if (many !== null) mutations[mutationNames.claim(many.name)] = many.field
  }
  const changeKind = createChangeKind(book)
  const subscriptionNames = createNamePool()
  if (services.hasRealtime) {
    for (const object of sorted) {
      const field = changeSubscription(book, object, types.get(object.schema.name)!, changeKind)
      subscriptions[subscriptionNames.claim(`${graphqlFieldName(object.schema.name)}Changed`)] = field
    }
  }
  // A type needs a field: who may read nothing finds one that says nothing.
  if (Object.keys(queries).length === 0) queries['nothing'] = { type: book.scalar('Boolean'), resolve: () => null }

  const rootOf = (name: string, fields: Fields) =>
    Object.keys(fields).length === 0 ? null : new library.GraphQLObjectType({ name, fields })
  return new library.GraphQLSchema({
    query: rootOf('Query', queries),
    mutation: rootOf('Mutation', mutations),
    subscription: rootOf('Subscription', subscriptions),
    // Names are checked where they are given out; checking a large schema takes longer than making it.
    assumeValid: true,
  })
}
