// Tools that look: objects, records, groups of records. Each is a call of the data service with the caller's rights.
import { z } from 'zod'
import { listMethods, requireApiMethods } from '#shared/object-api.ts'
import type { DataService, RecordQuery } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { Filter, ObjectName, RecordId, ShownRecord, Sort } from './shapes.ts'
import type { Tool } from './tool.ts'
import { defineTool, looks } from './tool.ts'
import type { ObjectDescriptions } from './object-descriptions.ts'
import { ObjectDescription, ObjectSummary } from './object-descriptions.ts'

/** Records of one page at most, so that an answer stays readable. */
const maxPage = 200

/** What the tools work with. */
export interface ReadParts {
  readonly data: DataService
  readonly metadata: Pick<MetadataService, 'objectSchema'>
  readonly objects: ObjectDescriptions
}

/** Makes the tools. */
export function readTools({ data, metadata, objects }: ReadParts): Tool[] {
  return [
    defineTool({
      name: 'list_objects',
      title: 'List objects',
      description: 'Lists the objects (tables) whose records the caller may read.',
      hints: looks,
      input: z.strictObject({}),
      output: z.object({ objects: z.array(ObjectSummary) }),
      run: (ctx) => ({ objects: objects.list(ctx) }),
    }),
    defineTool({
      name: 'describe_object',
      title: 'Describe an object',
      description:
        'Tells the fields of an object, their types and options, and what the caller may do with its records.',
      hints: looks,
      input: z.strictObject({ object: ObjectName }),
      output: ObjectDescription,
      run: (ctx, { object }) => objects.describe(ctx, object),
    }),
    defineTool({
      name: 'query_records',
      title: 'Query records',
      description: 'Finds records of an object by conditions or words, in an order, a page at a time.',
      hints: looks,
      showsRecords: true,
      input: z.strictObject({
        object: ObjectName,
        filter: Filter,
        search: z.string().max(1000).optional().meta({ description: 'Words to look for in the searchable fields.' }),
        select: z.array(z.string()).optional().meta({ description: 'Fields to show; all readable ones when absent.' }),
        expand: z.array(z.string()).optional().meta({ description: 'Relations to show as records.' }),
        sort: Sort,
        limit: z.int().min(1).max(maxPage).default(50),
        cursor: z.string().optional().meta({ description: 'nextCursor of the page before, with the same arguments.' }),
        count: z.boolean().default(false).meta({ description: 'Whether to count all records that match.' }),
      }),
      output: z.object({
        object: z.string(),
        records: z.array(ShownRecord),
        total: z.int().optional(),
        hasMore: z.boolean(),
        nextCursor: z.string().optional(),
      }),
      async run(ctx, { object, limit, ...query }) {
        requireApiMethods(metadata.objectSchema(object), ...listMethods({ search: query.search }))
        return data.find(ctx, object, { ...given(query), top: limit })
      },
    }),
    defineTool({
      name: 'aggregate_records',
      title: 'Aggregate records',
      description: 'Counts and adds up records of an object, in groups if asked for.',
      hints: looks,
      showsRecords: true,
      input: z.strictObject({
        object: ObjectName,
        aggregations: z
          .array(
            z.strictObject({
              function: z.enum(['count', 'sum', 'avg', 'min', 'max', 'count_distinct']),
              field: z.string().optional().meta({ description: 'Not needed to count records.' }),
              alias: z.string().meta({ description: 'Name of the value in the answer.' }),
            }),
          )
          .min(1)
          .max(20),
        groupBy: z.array(z.string()).max(10).optional().meta({ description: 'Fields whose values make the groups.' }),
        filter: Filter,
        having: Filter.meta({ description: 'Conditions on groups, by alias.' }),
        sort: Sort,
        limit: z.int().min(1).max(maxPage).default(100),
      }),
      output: z.object({ object: z.string(), groups: z.array(ShownRecord), hasMore: z.boolean() }),
      async run(ctx, { object, limit, ...query }) {
        requireApiMethods(metadata.objectSchema(object), 'list', 'aggregate')
        const { records, hasMore } = await data.find(ctx, object, { ...given(query), top: limit })
        return { object, groups: records, hasMore }
      },
    }),
    defineTool({
      name: 'get_record',
      title: 'Get a record',
      description: 'Shows one record with the fields the caller may read.',
      hints: looks,
      showsRecords: true,
      input: z.strictObject({
        object: ObjectName,
        id: RecordId,
        select: z.array(z.string()).optional(),
        expand: z.array(z.string()).optional(),
      }),
      output: z.object({ object: z.string(), id: z.string(), record: ShownRecord }),
      async run(ctx, { object, id, ...query }) {
        requireApiMethods(metadata.objectSchema(object), 'get')
        const { record, ...place } = await data.get(ctx, { object, id, ...given(query) })
        return { object: place.object, id: place.id, record }
      },
    }),
  ]
}

/** What was given of a query: absent and undefined mean the same. */
function given(query: Readonly<RecordQuery>): RecordQuery {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as RecordQuery
}
