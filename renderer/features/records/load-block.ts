// Owns loading blocks of records: by cursor where the block before is known, by place where it is not.
import type { BlockAnswer, BlockRequest, GridRecord } from '../../components/grid/index.ts'
import { call } from '../../lib/api-client.ts'
import { sortText } from './record-query.ts'
import type { SortTerm } from './record-query.ts'

/** What all blocks have in common. */
export interface BlockSource {
  object: string
  sort: readonly SortTerm[]
  search: string
  /** Fields whose linked records are wanted instead of their ids. */
  expand: readonly string[]
}

/** Cursors that are remembered; the oldest are forgotten first. */
const maxCursors = 500

/**
 * Creates a loader. A block that follows a loaded one continues after its last row, so scrolling through never loses or
 * repeats a row that others move, and costs the same at any depth (D-75); a jump asks by place. `list` tells lists with
 * different filters apart.
 */
export function createBlockLoader({ object, sort, search, expand }: BlockSource) {
  const cursors = new Map<string, string>()
  return {
    async load(
      { skip, top, count, signal }: BlockRequest,
      filter: Readonly<Record<string, unknown>> | undefined,
      list: string,
    ): Promise<BlockAnswer<GridRecord>> {
      // A cursor is used once: rows that are loaded again are loaded because they may stand elsewhere.
      const cursor = cursors.get(`${list} ${skip}`)
      cursors.delete(`${list} ${skip}`)
      const answer = await call('listRecords', {
        params: { object },
        query: {
          top,
          ...(cursor !== undefined ? { cursor } : skip > 0 ? { skip } : {}),
          ...(count ? { count: true } : {}),
          ...(filter ? { filter: JSON.stringify(filter) } : {}),
          ...(sort.length > 0 ? { sort: sortText(sort) } : {}),
          ...(search === '' ? {} : { search }),
          ...(expand.length > 0 ? { expand: expand.join(',') } : {}),
        },
        signal,
      })
      if (answer.nextCursor !== undefined) cursors.set(`${list} ${skip + top}`, answer.nextCursor)
      const oldest = cursors.size > maxCursors ? cursors.keys().next().value : undefined
      if (oldest !== undefined) cursors.delete(oldest)
      return { rows: answer.records, ...(answer.total === undefined ? {} : { total: answer.total }) }
    },
  }
}
