// Contract of the search over all objects at once (D-310). Served by the `data` plugin.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { QueryBoolean, QueryInteger } from './common.ts'

/** Most words a search over all objects takes, as characters. */
export const maxSearchLength = 500

/** Where a text meets the search: starts and lengths in UTF-16 units. */
const Ranges = z.array(z.tuple([z.int(), z.int()]))

/** A record that was found. */
export const SearchHit = z
  .object({
    object: z.string(),
    id: z.string(),
    title: z.string().nullable().meta({
      description: 'Value of the display field; null when it is empty or the caller may not read it.',
    }),
    titleRanges: Ranges,
    updatedAt: z.string(),
    match: z
      .object({ field: z.string(), text: z.string(), ranges: Ranges })
      .optional()
      .meta({ description: 'An excerpt of another field that meets the search; absent when the title does.' }),
  })
  .meta({ id: 'SearchHit' })

/** The route of the search over everything. */
export const searchRoutes = defineRoutes({
  searchEverything: defineRoute({
    operationId: 'searchEverything',
    method: 'GET',
    mount: 'versioned',
    path: '/search',
    query: z.object({
      q: z.string().trim().min(1).max(maxSearchLength).meta({ description: 'Words, as D-88 reads them.' }),
      object: z.string().optional().meta({ description: 'Objects to search, by comma; all that can be by default.' }),
      objects: z.string().optional().meta({ description: 'The same as `object`, which wins.' }),
      limit: QueryInteger.pipe(z.int().min(1).max(50)).default(20),
      count: QueryBoolean.optional().meta({ description: 'Whether each object tells its `total`.' }),
    }),
    response: z
      .object({
        results: z.array(SearchHit).meta({ description: 'Best first, over all objects.' }),
        objects: z
          .array(z.object({ object: z.string(), hasMore: z.boolean(), total: z.int().optional() }))
          .meta({ description: 'The objects something was found in, by name.' }),
        incomplete: z
          .array(z.string())
          .meta({ description: 'Objects that took too long or whose index is being built: ask again.' }),
      })
      .meta({ id: 'SearchAnswer' }),
    permission: 'session',
    rateLimit: 'read',
    errors: ['invalid_query', 'permission_denied', 'resource_not_found'],
    channel: 'search',
    summary: 'Find records of every object the caller may read by their words.',
    tag: 'data',
  }),
})
