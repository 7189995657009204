// Tools that move many records: rows given in the call, and records as the text of a file.
import { z } from 'zod'
import { validationError } from '#shared/errors.ts'
import type { ImportReport, ImportService } from '#main/plugins/import/api.ts'
import type { Confirmations } from './confirmations.ts'
import { ConfirmToken, Confirmation } from './confirmations.ts'
import { Filter, ObjectName, Sort } from './shapes.ts'
import type { Tool } from './tool.ts'
import { adds, defineTool, looks } from './tool.ts'

/** Rows of one call. */
const maxRows = 1_000

/** Rows written without asking first, when they only add records. */
const maxUnasked = 100

/** Characters of an export at most: it becomes part of a conversation. */
const maxCharacters = 1_000_000

/** What the tools work with. */
export interface TransferParts {
  readonly transfers: ImportService
  readonly confirmations: Confirmations
}

const Report = z.object({
  total: z.int(),
  created: z.int(),
  updated: z.int(),
  skipped: z.int(),
  failed: z.int(),
  errors: z.array(z.object({ row: z.int(), field: z.string().optional(), code: z.string(), message: z.string() })),
})

/** Makes the tools. */
export function transferTools({ transfers, confirmations }: TransferParts): Tool[] {
  return [
    defineTool({
      name: 'import_records',
      title: 'Import records',
      description: `Writes up to ${maxRows} rows into an object; rows that fail are reported, the others stay. More than ${maxUnasked} rows, and rows that change records, are tried first and answered with a plan; they are written when called again with the confirmToken.`,
      hints: { ...adds, destructiveHint: true },
      showsRecords: true,
      input: z.strictObject({
        object: ObjectName,
        rows: z
          .array(z.record(z.string(), z.unknown()))
          .min(1)
          .max(maxRows)
          .meta({ description: 'Values by field name, or by a column of the mapping.' }),
        mapping: z
          .record(z.string(), z.string())
          .default({})
          .meta({ description: 'Column to field; "" leaves one out.' }),
        writeMode: z.enum(['insert', 'update', 'upsert']).default('insert'),
        matchFields: z
          .array(z.string())
          .default([])
          .meta({ description: 'Fields that tell which record a row is, for update and upsert.' }),
        dryRun: z.boolean().default(false).meta({ description: 'Tells what would happen; writes nothing.' }),
        confirmToken: ConfirmToken,
      }),
      output: z.object({ ...Confirmation, object: z.string(), dryRun: z.boolean(), report: Report.optional() }),
      async run(ctx, { confirmToken, ...args }) {
        const { object, rows, mapping, writeMode, matchFields, dryRun } = args
        const call = { tool: 'import_records', args }
        const write = (isTrial: boolean) =>
          transfers.runFor(ctx, {
            object,
            columns: [...new Set(rows.flatMap((row) => Object.keys(row)))],
            rows,
            mapping,
            writeMode,
            matchFields,
            dryRun: isTrial,
            runAutomations: true,
            trimWhitespace: true,
            nullValues: [],
            createMissingOptions: false,
            skipBlankMatchKey: true,
            fromSheet: false,
          })
        if (dryRun) return { status: 'done' as const, object, dryRun, report: reportOf(await write(true)) }
        if (confirmToken === undefined && (rows.length > maxUnasked || writeMode !== 'insert')) {
          const report = reportOf(await write(true))
          const plan = { action: `${writeMode} ${rows.length} rows into ${object}`, ...report }
          return { ...confirmations.ask(ctx, call, plan, null), object, dryRun }
        }
        if (confirmToken !== undefined) confirmations.redeem(ctx, call, confirmToken)
        return { status: 'done' as const, object, dryRun, report: reportOf(await write(false)) }
      },
    }),
    defineTool({
      name: 'export_records',
      title: 'Export records',
      description: 'Answers records of an object as the text of a CSV, JSON or NDJSON file.',
      hints: looks,
      showsRecords: true,
      input: z.strictObject({
        object: ObjectName,
        format: z.enum(['csv', 'json', 'ndjson']).default('csv'),
        filter: Filter,
        select: z.array(z.string()).optional(),
        sort: Sort,
        limit: z.int().min(1).max(5_000).default(1_000),
      }),
      output: z.object({
        object: z.string(),
        fileName: z.string(),
        contentType: z.string(),
        content: z.string(),
      }),
      async run(ctx, { object, format, limit, filter, select, sort }) {
        const file = await transfers.exportFor(ctx, {
          object,
          format,
          query: {
            top: limit,
            ...(filter === undefined ? {} : { filter }),
            ...(select === undefined ? {} : { select }),
            ...(sort === undefined ? {} : { sort }),
          },
          cells: 'values',
          delimiter: ',',
          bom: false,
          header: true,
        })
        const { fileName, contentType } = file
        return { object, fileName, contentType, content: await textOf(file.content) }
      },
    }),
  ]
}

/** @throws validation_error for a text that is too long for an answer */
async function textOf(content: AsyncIterable<string | Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of content) {
    text += typeof part === 'string' ? part : decoder.decode(part, { stream: true })
    if (text.length > maxCharacters) {
      const message = `The export is longer than ${maxCharacters} characters. Select fewer fields or a smaller limit.`
      throw validationError([{ field: 'limit', code: 'max_value', message }])
    }
  }
  return text + decoder.decode()
}

function reportOf({ object: _object, dryRun: _dryRun, errors, ...counts }: ImportReport): z.input<typeof Report> {
  return { ...counts, errors: errors.slice(0, 100) }
}
