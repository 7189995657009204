// Handlers of the audit: request words to conditions, rows to entries.
import { Readable } from 'node:stream'
import type { z } from 'zod'
import type { AuditEntry, auditRoutes } from '#shared/contracts/audit.ts'
import { validationError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import { instantOf } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PluginHost, Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { AuditService, AuditVerification } from './api.ts'
import type { EntryRow } from './service/entry.ts'
import { knownKinds } from './service/kinds.ts'
import type { EntryFilter } from './store.ts'
import { entriesBelow, readKinds } from './store.ts'

const defaultLimit = 50
const maxLimit = 200
const exportSlice = 500

/** What the handlers work with. */
export interface AuditHandlerParts extends Pick<PluginHost, 'read' | 'write' | 'clock'> {
  readonly record: AuditService['record']
  readonly verify: () => Promise<AuditVerification>
  readonly authorizer: () => Authorizer
  /** The organization that holds what was there before there were any; undefined for none. */
  readonly firstOrganization: () => string | undefined
  readonly timeZone: () => string
}

/** Makes the handlers. */
export function auditHandlers(parts: AuditHandlerParts): Handlers<typeof auditRoutes> {
  const { read, write, clock, record, verify } = parts

  /** In an organization its own entries are seen and those of none, never another one's. @throws permission_denied */
  const filterOf = (ctx: RequestContext, { kind, ...rest }: Filters): EntryFilter => {
    requireOpenRecords(parts.authorizer(), ctx)
    const { actorId, object, outcome } = rest
    const [since, until] = (['since', 'until'] as const).map((field) => {
      const text = rest[field]
      return text === undefined ? undefined : instantOf(field, text, parts.timeZone())
    })
    const { organizationId } = ctx
    const withEarlier = organizationId !== null && parts.firstOrganization() === organizationId
    return { kinds: kind, actorId, object, outcome, since, until, organizationId, withEarlier }
  }

  return {
    listAudit(ctx, { query }) {
      const limit = checkedLimit(query.limit ?? defaultLimit)
      const below = query.cursor ? Number(query.cursor) : null
      const rows = read.all(entriesBelow(filterOf(ctx, query), below, limit + 1))
      const shown = rows.slice(0, limit)
      const hasMore = rows.length > limit
      return { entries: shown.map(show), hasMore, ...(hasMore ? { nextCursor: String(shown.at(-1)!.seq) } : {}) }
    },
    listAuditKinds() {
      const present = new Set(readKinds(read))
      const names = [...new Set([...Object.keys(knownKinds), ...present])].toSorted()
      return {
        kinds: names.map((kind) => ({ kind, description: knownKinds[kind] ?? '', present: present.has(kind) })),
      }
    },
    async exportAudit(ctx, { query }) {
      const filter = filterOf(ctx, query)
      const { kind, actorId, object, outcome, since, until } = query
      const details = { filter: { kind, actorId, object, outcome, since, until } }
      // On record before the first byte leaves.
      await write('audit.export', (tx) => record(tx, ctx, { kind: 'audit.exported', details }), {
        whenFull: true,
      })
      const slices = read.slices<EntryRow>((last) => entriesBelow(filter, last?.seq ?? null, exportSlice))
      const stream = Readable.from(linesOf(slices, ctx.signal), { objectMode: false })
      const fileName = `audit-${clock.iso().slice(0, 10)}.ndjson`
      return new Reply(new ByteStream(stream, 'application/x-ndjson; charset=utf-8'), {
        headers: { 'Content-Disposition': `attachment; filename="${fileName}"`, 'Cache-Control': 'no-store' },
      })
    },
    async verifyAudit(ctx) {
      const found = await verify()
      const { valid, checked, firstBroken } = found
      const outcome = valid ? 'ok' : 'failed'
      await write('audit.verify', (tx) =>
        record(tx, ctx, { kind: 'audit.verified', outcome, details: { checked, firstBroken } }),
      )
      return found
    },
  }
}

type Filters = Readonly<{
  kind?: string[] | undefined
  actorId?: string | undefined
  object?: string | undefined
  outcome?: EntryFilter['outcome']
  since?: string | undefined
  until?: string | undefined
}>

/** @throws validation_error for a limit outside of 1 to 200 (D-14) */
function checkedLimit(limit: number): number {
  if (limit >= 1 && limit <= maxLimit) return limit
  const code = limit < 1 ? 'min_value' : 'max_value'
  throw validationError([{ field: 'limit', code, message: `The limit is 1 to ${maxLimit}.`, value: limit }])
}

async function* linesOf(slices: AsyncIterable<EntryRow[]>, signal: AbortSignal): AsyncIterable<Buffer> {
  for await (const slice of slices) {
    if (signal.aborted) return
    yield Buffer.from(slice.map((row) => `${JSON.stringify(show(row))}\n`).join(''))
  }
}

function show(row: EntryRow): z.input<typeof AuditEntry> {
  const { seq, at, kind, outcome, object, source, prev, hash } = row
  return {
    seq,
    at,
    kind,
    outcome,
    actor: { type: row.actor_type as z.input<typeof AuditEntry>['actor']['type'], id: row.actor_id },
    realUserId: row.real_user_id,
    credential: row.credential === null ? null : { kind: row.credential, digest: row.credential_digest },
    organizationId: row.organization_id,
    object,
    item: row.item_type === null ? null : { type: row.item_type, name: row.item_name ?? '' },
    recordId: row.record_id,
    details: detailsOf(row.details),
    requestId: row.request_id,
    source: source as z.input<typeof AuditEntry>['source'],
    prev,
    hash,
  }
}

/** A row somebody edited by hand may hold anything; showing it must not fail. */
function detailsOf(text: string): Record<string, unknown> {
  try {
    const details: unknown = JSON.parse(text)
    return typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : { text }
  } catch {
    return { text }
  }
}
