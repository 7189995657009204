// Handlers of imports, their jobs and exports: requests to service calls and back.
import { Readable } from 'node:stream'
import type { importRoutes } from '#shared/contracts/import.ts'
import { invalidQuery } from '#shared/errors.ts'
import { parseJson } from '#shared/filter/parse-filter.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { ExportRequest, ImportService } from './api.ts'
import type { TransferEvent } from './service.ts'
import { importContext } from './service/direct.ts'
import { stagedName } from './service/phase.ts'
import { readRequest } from './service/request.ts'
import type { SourceParts } from './service/request.ts'
import type { SourceRow } from './service/sources.ts'
import { tooManyRows } from './service/staging.ts'

/** Rows of one direct import (D-199). */
export const maxDirectRows = 10_000

/** Bytes of the file of a direct import, as of every body (D-199), and of a job. */
const maxBytes = { direct: 10_485_760, job: 1_073_741_824 } as const

/** Rows that come and leave as files. */
export const importEvents = ['import.started', 'import.undone', 'export.started'] as const

/** What the handlers work with. */
export interface HandlerParts {
  /** Raises an event in a write of its own, with what `also` writes; it is stored before the work goes on. */
  readonly announce: (ctx: RequestContext, event: TransferEvent, also?: (tx: Tx) => void) => Promise<void>
  readonly service: ImportService
  readonly data: DataService
  readonly sources: Omit<SourceParts, 'limitBytes'>
}

/** Makes the handlers. */
export function importHandlers({ service, data, sources, announce }: HandlerParts): Handlers<typeof importRoutes> {
  const { jobs } = service
  return {
    async importRecords(ctx, { params, query, body, stream, headers }) {
      const given = { body, stream, query, contentType: headers['content-type'] ?? '' }
      const request = readRequest(given, { ...sources, limitBytes: maxBytes.direct })
      const input = await request.open(ctx.signal, async (source) => {
        const rows: SourceRow[] = []
        for await (const slice of source.rows) {
          const received = rows.length + slice.length
          if (received > maxDirectRows) throw tooManyRows(maxDirectRows, received)
          rows.push(...slice)
        }
        return { rows, columns: source.columns }
      })
      const { format, options } = request
      const { object } = params
      // An import that goes on was announced when it began.
      if (!options.dryRun && ctx.effectKey?.part === undefined)
        await announce(
          importContext(ctx, options),
          { type: 'import.started', object, payload: { format, rows: input.rows.length } },
          (tx) => ctx.effectKey?.keepPart?.(tx, ''),
        )
      return service.run(ctx, { ...options, ...input, object, fromSheet: format === 'xlsx' }, ctx.effectKey)
    },

    async createImportJob(ctx, { params, query, body, stream, headers }) {
      const given = { body, stream, query, contentType: headers['content-type'] ?? '' }
      const request = readRequest(given, { ...sources, limitBytes: maxBytes.job })
      const { options, format, fileName } = request
      const jobId = sources.freeName()
      try {
        return await request.open(ctx.signal, async (source) => {
          const total = await sources.staging.stage(stagedName(jobId), source)
          await sources.staging.share(stagedName(jobId))
          const { columns } = source
          return jobs.create(ctx, { ...options, jobId, object: params.object, columns, format, fileName, total })
        })
      } catch (error) {
        await sources.staging.forget(stagedName(jobId))
        throw error
      }
    },

    listImportJobs: (ctx, { query }) => jobs.list(ctx, query),
    getImportJob: (ctx, { params }) => jobs.get(ctx, params.jobId),
    getImportResults: (ctx, { params, query }) => jobs.results(ctx, params.jobId, query),
    cancelImportJob: (ctx, { params }) => jobs.cancel(ctx, params.jobId),
    pauseImportJob: (ctx, { params }) => jobs.pause(ctx, params.jobId),
    resumeImportJob: (ctx, { params }) => jobs.resume(ctx, params.jobId),
    undoImportJob: (ctx, { params }) => jobs.undo(ctx, params.jobId),

    async exportRecords(ctx, { params, query }) {
      const { format, cells, delimiter, bom, header, orderby, ...list } = query
      const file = await service.export(ctx, {
        object: params.object,
        format: oneOf('format', format, ['csv', 'json', 'ndjson', 'xlsx'], 'csv'),
        cells: oneOf('cells', cells, ['values', 'labels'], 'values'),
        delimiter: oneOf('delimiter', delimiter, [',', ';', '\t', '|'], ','),
        bom: isOn('bom', bom, 'false'),
        header: isOn('header', header, 'true'),
        query: data.queryOf(ctx, orderby === undefined ? list : { orderBy: orderOf(orderby), ...list }),
      } satisfies ExportRequest)
      await announce(ctx, {
        type: 'export.started',
        object: params.object,
        payload: {
          format: oneOf('format', format, ['csv', 'json', 'ndjson', 'xlsx'], 'csv'),
          filtered: 'filter' in list,
        },
      })
      const stream = Readable.from(file.content, { objectMode: false })
      return new Reply(new ByteStream(stream, file.contentType), {
        headers: { 'Content-Disposition': `attachment; filename="${file.fileName}"`, 'Cache-Control': 'no-store' },
      })
    },
  }
}

/** The order of an export as client libraries of the protocol write it: `a:desc,b:asc`, JSON as in `sort`, or a map. */
function orderOf(given: string | readonly string[]): string {
  const text = [given].flat().join(',')
  if (!/^\s*[[{]/.test(text)) return text.replaceAll(':', ' ')
  const parsed = parseJson(text, 'orderby')
  return isJsonMap(parsed) ? JSON.stringify(Object.entries(parsed)) : text
}

/** A switch of the query string; its bare name means on. @throws invalid_query */
function isOn(name: string, given: string | readonly string[] | undefined, standard: 'true' | 'false'): boolean {
  return ['true', '1', ''].includes(oneOf(name, given, ['true', 'false', '1', '0', ''], standard))
}

/** @throws invalid_query */
function oneOf<const T extends string>(
  name: string,
  given: string | readonly string[] | undefined,
  allowed: readonly T[],
  standard: T,
): T {
  const text = typeof given === 'object' ? given.at(-1) : given
  if (text === undefined) return standard
  const found = allowed.find((word) => word === text)
  if (found === undefined) throw invalidQuery(name, `The value must be one of: ${allowed.join(', ')}.`, { path: '' })
  return found
}
