// The subscription of one object: its changes as they are committed, judged per receiver and event like realtime's (D-274).
import type { GraphQLEnumType, GraphQLFieldConfig } from 'graphql'
import { graphqlTypeName } from '#shared/graphql-names.ts'
import type { VisibleObject } from '#main/plugins/permissions/api.ts'
import type { FollowedEvent } from '#main/plugins/realtime/api.ts'
import type { ObjectTypes } from './object-types.ts'
import type { RunContext } from './run-context.ts'
import type { TypeBook } from './type-book.ts'
import { filterOf } from './where.ts'

const kinds = ['created', 'updated', 'deleted', 'restored', 'purged'] as const

/** After these there is no record to show. */
const endings: ReadonlySet<string> = new Set(['record.deleted', 'record.purged'])

/** What can happen to a record. */
export function createChangeKind(book: TypeBook): GraphQLEnumType {
  return book.words(
    'ChangeKind',
    kinds.map((kind) => [kind]),
  )
}

/** The field for changes of an object's records, or of one of them. */
export function changeSubscription(
  book: TypeBook,
  object: VisibleObject,
  types: ObjectTypes,
  changeKind: GraphQLEnumType,
): GraphQLFieldConfig<unknown, RunContext> {
  const { GraphQLList: List, GraphQLNonNull: Required, GraphQLObjectType: Type } = book.library
  const { name } = object.schema
  const id = book.scalar('ID')
  return {
    type: new Required(
      new Type<FollowedEvent, RunContext>({
        name: book.names.claim(`${graphqlTypeName(name)}Change`),
        fields: () => ({
          type: { type: new Required(changeKind), resolve: ({ type }) => type.slice('record.'.length) },
          id: { type: new Required(id), resolve: ({ recordId }) => recordId },
          record: {
            type: types.record,
            resolve: ({ type, payload }) => (endings.has(type) ? null : payload['record']),
          },
          changes: { type: book.scalar('JSON'), resolve: ({ payload }) => payload['changes'] },
          left: { type: new Required(book.scalar('Boolean')), resolve: ({ payload }) => payload['left'] === true },
          eventId: { type: new Required(id) },
          actorId: { type: id, resolve: ({ actor }) => actor.id },
          timestamp: { type: new Required(book.scalar('DateTime')) },
        }),
      }),
    ),
    args: {
      where: { type: types.where },
      id: { type: id },
      kinds: { type: new List(new Required(changeKind)) },
    },
    subscribe: (_root, { where, id: recordId, kinds: wanted }, { follow }) =>
      follow!({
        channel: recordId == null ? `object:${name}` : `record:${name}:${String(recordId)}`,
        events: ((wanted as string[] | null | undefined) ?? kinds).map((kind) => `record.${kind}`),
        ...(where == null ? {} : { filter: filterOf(where, types.whereShape()) }),
      }),
    resolve: (event) => event,
  }
}
