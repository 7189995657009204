// Envelopes that could not be applied, as people meet them: what waits and why, another try, and giving one up, which
// writes it to a file first. Knows no HTTP and not how envelopes are applied.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import type { syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import { notFound, platformError } from '#shared/errors.ts'
import { writeFileAtomic } from '#main/kernel/atomic-file.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Problem } from '../store/problem-store.ts'
import { countProblems, readProblem } from '../store/problem-store.ts'
import { checkedLimit, problemsAfter, readCursor, writeCursor } from './conflict-list-store.ts'
import type { ConflictParts } from './register-conflicts.ts'
import { listWaiting } from './waiting.ts'

type Page = z.input<typeof syncConflictRoutes.listSyncProblems.response>

/** Makes the service of problems. */
export function createProblemService(parts: ConflictParts) {
  const { read, engine } = parts

  const require = (inc: string, seq: string): Problem => {
    const isNumber = /^\d{1,15}$/.test(inc) && /^\d{1,15}$/.test(seq)
    const found = isNumber ? readProblem(read, Number(inc), Number(seq)) : undefined
    if (found === undefined) throw notFound('sync_problem', `${inc}/${seq}`)
    return found
  }

  return {
    /** @throws sync_disabled, validation_error */
    list(ctx: RequestContext, query: z.output<NonNullable<typeof syncConflictRoutes.listSyncProblems.query>>): Page {
      const { deviceOf, deviceName } = engine()
      const { kind: wanted, cursor } = query
      const limit = checkedLimit(query.limit)
      const rows = read.all(problemsAfter(wanted, cursor ? placeOf(cursor) : null, limit + 1))
      const hasMore = rows.length > limit
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      // What was wrong may quote what is in the envelope.
      const seesDetail = parts.authorizer().hasSystemPermission(ctx, 'manage_settings')
      const { parked, quarantined } = countProblems(read)
      return {
        problems: page.map(({ inc, seq, kind, reason, detail, since }) => {
          const id = deviceOf(inc)
          const device = id === undefined ? null : { id, name: deviceName(id) ?? id }
          return { inc, seq, device, kind, reason, detail: seesDetail ? detail : '', since }
        }),
        waiting:
          !cursor && wanted === undefined
            ? listWaiting(read, parts.metadata).map((one) => (seesDetail ? one : { ...one, detail: '' }))
            : [],
        total: (wanted === 'quarantine' ? 0 : parked) + (wanted === 'parked' ? 0 : quarantined),
        hasMore,
        ...(hasMore && last !== undefined ? { nextCursor: writeCursor(last.since, last.inc, last.seq) } : {}),
      }
    },
    /** @throws sync_disabled, resource_not_found */
    async retry(inc: string, seq: string) {
      const { retry } = engine()
      const found = require(inc, seq)
      await retry(found.inc, found.seq)
    },
    /**
     * Writes an envelope into the folder `exports` of the data folder, then gives it up.
     * @returns the name of the file
     * @throws sync_disabled, resource_not_found, conflict when its bytes are not stored here
     */
    async discard(incText: string, seqText: string): Promise<string> {
      const { bodyOf, discard } = engine()
      const { inc, seq, doc, kind, reason, detail, since } = require(incText, seqText)
      const body = bodyOf(inc, seq)
      if (body === null) throw platformError('conflict', { reason: 'body_missing' })
      const folder = join(parts.dataDir, 'exports')
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const file = `sync-${inc}-${seq}.json`
      const told = { inc, seq, doc, kind, reason, detail, since, discardedAt: parts.clock.iso() }
      const text = JSON.stringify({ ...told, body: Buffer.from(body).toString('base64') }, null, 2)
      writeFileAtomic(join(folder, file), `${text}\n`)
      await discard(inc, seq)
      return file
    },
  }
}

function placeOf(cursor: string): Pick<Problem, 'since' | 'inc' | 'seq'> {
  const [since, inc, seq] = readCursor(cursor, ['string', 'number', 'number'])
  return { since: String(since), inc: Number(inc), seq: Number(seq) }
}
