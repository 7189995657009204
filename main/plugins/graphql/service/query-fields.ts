// The queries of one object: a record, a page of records, values over groups of them (D-181).
import type { GraphQLFieldConfig, GraphQLFieldConfigMap } from 'graphql'
import { graphqlFieldName } from '#shared/graphql-names.ts'
import { listMethods, offersApiMethods, requireApiMethods } from '#shared/object-api.ts'
import type { DataService, RecordPage, RecordQuery } from '#main/plugins/data/api.ts'
import type { AnalyticsService } from '#main/plugins/analytics/api.ts'
import type { VisibleObject } from '#main/plugins/permissions/api.ts'
import type { DirectField } from './direct-answers.ts'
import { directKey } from './direct-answers.ts'
import { costKey } from './limits.ts'
import type { NamePool } from './names.ts'
import type { ObjectTypes } from './object-types.ts'
import type { RunContext } from './run-context.ts'
import { selectedFields } from './selection.ts'
import type { TypeBook } from './type-book.ts'
import { filterOf } from './where.ts'

/** What an aggregate costs: it may look at every record. */
const aggregateCost = 100

/** Records of a page that names no number of them (D-75). */
const defaultTop = 20

/** What root fields call. */
export interface RootServices {
  readonly data: DataService
  /** Undefined while the plugin is not there: then there are no aggregates. */
  readonly analytics: AnalyticsService | undefined
  /** Whether changes can be followed. */
  readonly hasRealtime: boolean
}

type Fields = GraphQLFieldConfigMap<unknown, RunContext>
type Field = GraphQLFieldConfig<unknown, RunContext>

/** The field of a single record; its names are given out before those of lists. */
export function recordQuery(
  book: TypeBook,
  { data }: RootServices,
  object: VisibleObject,
  types: ObjectTypes,
): Field | null {
  if (!offersApiMethods(object.schema, 'get')) return null
  return {
    type: types.record,
    args: { id: { type: new book.library.GraphQLNonNull(book.scalar('ID')) } },
    async resolve(_root, { id }, { ctx }, info) {
      const select = types.selectOf(selectedFields(info))
      const asked = { object: object.schema.name, id: String(id), ...(select === null ? {} : { select }) }
      return (await data.get(ctx, asked)).record
    },
  }
}

/** Adds the fields for lists and values over groups. */
export function addListQueries(
  fields: Fields,
  pool: NamePool,
  book: TypeBook,
  services: RootServices,
  object: VisibleObject,
  types: ObjectTypes,
): void {
  const name = graphqlFieldName(object.schema.name)
  if (offersApiMethods(object.schema, 'list') || offersApiMethods(object.schema, 'search'))
    fields[pool.claim(`${name}List`)] = pageQuery(book, services, object, types)
  const { analytics } = services
  if (analytics !== undefined && offersApiMethods(object.schema, 'list', 'aggregate'))
    fields[pool.claim(`${name}Aggregate`)] = aggregateQuery(book, analytics, object, types)
}

function pageQuery(book: TypeBook, { data }: RootServices, object: VisibleObject, types: ObjectTypes): Field {
  const { GraphQLList: List, GraphQLNonNull: Required } = book.library
  const text = book.scalar('String')
  const int = book.scalar('Int')
  const queryOf = (args: Readonly<Record<string, unknown>>): RecordQuery => {
    const { where, orderBy, deleted: _deleted, ...page } = args
    requireApiMethods(object.schema, ...listMethods({ search: page['search'] }))
    return {
      ...page,
      ...(where == null ? {} : { filter: filterOf(where, types.whereShape()) }),
      ...(orderBy == null ? {} : { sort: orderBy }),
    }
  }
  return {
    type: types.page,
    args: {
      where: { type: types.where },
      orderBy: { type: new List(new Required(types.order)) },
      top: { type: int, default: { value: defaultTop } },
      skip: { type: int },
      cursor: { type: text },
      ...(offersApiMethods(object.schema, 'search') && object.schema.enable.searchable
        ? { search: { type: text } }
        : {}),
      ...(object.schema.enable.trash ? { deleted: { type: book.deletedRecords } } : {}),
    },
    extensions: {
      [costKey]: { top: defaultTop },
      [directKey]: {
        kind: 'page',
        object: object.schema.name,
        query: (args) => (isShown(args['deleted']) ? queryOf(args) : null),
      } satisfies DirectField,
    },
    resolve(_root, args, { ctx }, info): Promise<RecordPage> {
      const { deleted } = args as Record<string, unknown>
      const shown = isShown(deleted)
      // Records of the trash are shown with when and by whom, which a selection leaves out.
      const select = shown ? types.selectOf(selectedFields(info, 'records')) : null
      const query: RecordQuery = {
        ...queryOf(args as Record<string, unknown>),
        ...(shown ? {} : { deleted }),
        ...(select === null ? {} : { select }),
        count: selectedFields(info).includes('total'),
      }
      return data.find(ctx, object.schema.name, query)
    },
  }
}

/** Whether the records that are asked for are those outside of the trash. */
function isShown(deleted: unknown): boolean {
  return deleted === undefined || deleted === null || deleted === 'exclude'
}

function aggregateQuery(book: TypeBook, analytics: AnalyticsService, object: VisibleObject, types: ObjectTypes): Field {
  const { GraphQLList: List, GraphQLNonNull: Required } = book.library
  const words = new List(new Required(book.scalar('String')))
  return {
    type: new Required(new List(new Required(book.scalar('JSON')))),
    args: { where: { type: types.where }, groupBy: { type: words }, measures: { type: new Required(words) } },
    extensions: { [costKey]: { flat: aggregateCost } },
    async resolve(_root, { where, groupBy, measures }, { ctx }) {
      const { data } = await analytics.query(ctx, {
        cube: object.schema.name,
        measures,
        dimensions: groupBy ?? [],
        ...(where == null ? {} : { where: filterOf(where, types.whereShape()) }),
      })
      return data
    },
  }
}
