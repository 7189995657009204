// What other plugins may ask of imports and exports. Types only.
import type { ImportJob, ImportRowResult } from '#shared/contracts/import.ts'
import type { EffectKey, RequestContext } from '#main/kernel/context.ts'
import type { RecordQuery } from '#main/plugins/data/api.ts'

/** The options of every import, with every default applied (D-68). */
export interface ImportOptions {
  /** Column to field; '' leaves a column out. Columns that are not named go to the field of their name. */
  readonly mapping: Readonly<Record<string, string>>
  readonly dryRun: boolean
  readonly writeMode: 'insert' | 'update' | 'upsert'
  readonly matchFields: readonly string[]
  /** False: record-triggered automations do not start for the changes. */
  readonly runAutomations: boolean
  readonly trimWhitespace: boolean
  /** Cell texts that mean "no value", beside the empty one. */
  readonly nullValues: readonly string[]
  readonly createMissingOptions: boolean
  readonly skipBlankMatchKey: boolean
}

/** An import of rows that are in memory. */
export interface ImportInput extends ImportOptions {
  readonly object: string
  readonly columns: readonly string[]
  /** Cells in the order of the columns, or cells by column name. Text cells are read by the field's type. */
  readonly rows: readonly (readonly unknown[] | Readonly<Record<string, unknown>>)[]
  /** Whether the cells come from a spreadsheet, where dates are numbers. */
  readonly fromSheet: boolean
}

/** A row that was not written, or one of its problems. */
export interface ImportError {
  /** From 1; the header does not count. */
  row: number
  field?: string
  code: string
  message: string
}

/** What an import did. */
export interface ImportReport {
  object: string
  total: number
  created: number
  updated: number
  skipped: number
  failed: number
  /** At most {@link maxReportedErrors} entries; `failed` counts every row. */
  errors: ImportError[]
  dryRun: boolean
}

/** The rows of a job, staged in a file of the data folder, and what to do with them. */
export interface ImportJobInput extends ImportOptions {
  readonly jobId: string
  readonly object: string
  readonly columns: readonly string[]
  readonly format: ImportJob['format']
  readonly fileName?: string | undefined
  readonly total: number
}

/** Which jobs a list names. */
export interface ImportJobFilter {
  readonly object?: string | undefined
  readonly status?: ImportJob['status'] | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** One page of results. */
export interface ImportResultPage {
  jobId: string
  results: ImportRowResult[]
  nextCursor?: string
  hasMore: boolean
}

/** Which rows a page of results names. */
export interface ImportResultFilter {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly only?: 'failed' | 'created' | 'updated' | 'skipped' | 'kept' | undefined
}

/** The jobs of imports (D-68). Callers see their own jobs; who may do everything sees all. */
export interface ImportJobs {
  /** @throws resource_not_found, permission_denied, validation_error for columns that fit no field */
  create(ctx: RequestContext, input: ImportJobInput): Promise<ImportJob>
  list(ctx: RequestContext, filter: ImportJobFilter): { jobs: ImportJob[]; total: number }
  /** @throws resource_not_found */
  get(ctx: RequestContext, jobId: string): ImportJob
  /** @throws resource_not_found, validation_error for a foreign cursor */
  results(ctx: RequestContext, jobId: string, filter: ImportResultFilter): ImportResultPage
  /** Each waits a moment for the effect. @throws resource_not_found, conflict when the state does not allow it */
  cancel(ctx: RequestContext, jobId: string): Promise<ImportJob>
  pause(ctx: RequestContext, jobId: string): Promise<ImportJob>
  resume(ctx: RequestContext, jobId: string): Promise<ImportJob>
  undo(ctx: RequestContext, jobId: string): Promise<ImportJob>
}

/** A file under way to a client. */
export interface ExportFile {
  readonly contentType: string
  readonly fileName: string
  readonly content: AsyncIterable<string | Uint8Array>
}

/** An export as a request asks for it. */
export interface ExportRequest {
  readonly object: string
  readonly format: 'csv' | 'json' | 'ndjson' | 'xlsx'
  readonly query: RecordQuery
  /** `labels` writes choices as people read them; `values` as they are stored, which an import takes back. */
  readonly cells: 'values' | 'labels'
  readonly delimiter: string
  /** Whether a CSV file begins with a byte order mark, which some spreadsheets want. */
  readonly bom: boolean
  /** Whether a CSV file begins with the names of its columns. */
  readonly header: boolean
}

/** The import service. */
export interface ImportService {
  /**
   * Writes rows through the data service; rows that fail are reported, the others stay.
   * @param key where an interrupted call of it had come to is where this one goes on
   * @throws validation_error for unknown columns or match fields, resource_not_found for an unknown object
   */
  run(ctx: RequestContext, input: ImportInput, key?: EffectKey): Promise<ImportReport>
  readonly jobs: ImportJobs
  /** @throws resource_not_found, invalid_query, permission_denied, method_not_allowed */
  export(ctx: RequestContext, request: ExportRequest): Promise<ExportFile>
  /**
   * {@link run} for a caller at another door than the routes: asks for the right to import and leaves the entry of the audit.
   * @throws permission_denied and what `run` throws
   */
  runFor(ctx: RequestContext, input: ImportInput): Promise<ImportReport>
  /**
   * {@link export} for a caller at another door than the routes: asks for the right to export and leaves the entry of the audit.
   * @throws permission_denied and what `export` throws
   */
  exportFor(ctx: RequestContext, request: ExportRequest): Promise<ExportFile>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    import: ImportService
  }
}
