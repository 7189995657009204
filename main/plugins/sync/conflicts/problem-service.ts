// Envelopes that could not be applied, as people meet them: what waits and why, another try, and giving one up, which
// writes it to a file first. Knows no HTTP and not how envelopes are applied.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import type { SyncProblem, syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import { notFound, platformError } from '#shared/errors.ts'
import { writeFileAtomic } from '#main/kernel/atomic-file.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { syncError } from '../errors.ts'
import type { ProblemCursor, ProblemRow } from './conflict-list.ts'
import { checkedLimit, countProblems, problemsAfter, readCursor, readProblem, writeCursor } from './conflict-list.ts'
import type { ConflictEngine, ConflictParts } from './conflict-parts.ts'
import { listWaiting } from './waiting.ts'
import type { WaitingEntry } from './waiting.ts'

/** What a list may ask for. */
export type ProblemQuery = z.output<NonNullable<typeof syncConflictRoutes.listSyncProblems.query>>

/** A problem as it is answered. */
export type ShownProblem = z.input<typeof SyncProblem>

/** The service of problems. */
export interface ProblemService {
  /** @throws sync_disabled, validation_error */
  list(
    ctx: RequestContext,
    query: ProblemQuery,
  ): { problems: ShownProblem[]; waiting: WaitingEntry[]; total: number; hasMore: boolean; nextCursor?: string }
  /** @throws sync_disabled, resource_not_found */
  retry(inc: string, seq: string): Promise<void>
  /**
   * Writes an envelope into the folder `exports` of the data folder, then gives it up.
   * @returns the name of the file
   * @throws sync_disabled, resource_not_found, conflict when its bytes are not stored here
   */
  discard(inc: string, seq: string): Promise<string>
}

/** Makes the service. */
export function createProblemService(
  parts: Pick<ConflictParts, 'read' | 'clock' | 'engine' | 'authorizer' | 'dataDir' | 'metadata'>,
): ProblemService {
  const { read } = parts
  const engine = (): ConflictEngine => {
    const on = parts.engine()
    if (on === null) throw syncError('sync_disabled')
    return on
  }
  const require = (inc: string, seq: string): ProblemRow => {
    const isNumber = /^\d{1,15}$/.test(inc) && /^\d{1,15}$/.test(seq)
    const found = isNumber ? readProblem(read, Number(inc), Number(seq)) : undefined
    if (found === undefined) throw notFound('sync_problem', `${inc}/${seq}`)
    return found
  }

  return {
    list(ctx, query) {
      const { deviceOf, deviceName } = engine()
      const limit = checkedLimit(query.limit)
      const rows = read.all(
        problemsAfter(query.kind, query.cursor === undefined ? null : cursorOf(query.cursor), limit + 1),
      )
      const hasMore = rows.length > limit
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      // What was wrong may quote what is in the envelope.
      const seesDetail = parts.authorizer().hasSystemPermission(ctx, 'manage_settings')
      return {
        problems: page.map(({ inc, seq, kind, reason, detail, since }) => {
          const id = deviceOf(inc)
          const device = id === undefined ? null : { id, name: deviceName(id) ?? id }
          return { inc, seq, device, kind, reason, detail: seesDetail ? detail : '', since }
        }),
        waiting:
          query.cursor === undefined && query.kind === undefined
            ? listWaiting(read, parts.metadata).map((one) => (seesDetail ? one : { ...one, detail: '' }))
            : [],
        total: countProblems(read, query.kind),
        hasMore,
        ...(hasMore && last !== undefined ? { nextCursor: writeCursor(last.since, last.inc, last.seq) } : {}),
      }
    },
    async retry(inc, seq) {
      const { problems } = engine()
      const found = require(inc, seq)
      await problems.retry(found.inc, found.seq)
    },
    async discard(inc, seq) {
      const { problems } = engine()
      const { doc, kind, reason, detail, since, ...place } = require(inc, seq)
      const body = problems.body(place.inc, place.seq)
      if (body === null) throw platformError('conflict', { reason: 'body_missing' })
      const folder = join(parts.dataDir, 'exports')
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const file = `sync-${place.inc}-${place.seq}.json`
      const told = { ...place, doc, kind, reason, detail, since, discardedAt: parts.clock.iso() }
      const text = JSON.stringify({ ...told, body: Buffer.from(body).toString('base64') }, null, 2)
      writeFileAtomic(join(folder, file), `${text}\n`)
      await problems.discard(place.inc, place.seq)
      return file
    },
  }
}

function cursorOf(text: string): ProblemCursor {
  const [since, inc, seq] = readCursor(text, ['string', 'number', 'number'])
  return { since: String(since), inc: Number(inc), seq: Number(seq) }
}
