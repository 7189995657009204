// What other plugins may ask of imports. Types only.
import type { RequestContext } from '#main/kernel/context.ts'

/** An import with every default applied (D-68). */
export interface ImportInput {
  readonly object: string
  /** Data rows: column name to cell. Text cells are read by the field's type, other values are taken as they are. */
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** Column to field; '' leaves a column out. Columns that are not named go to the field of their name. */
  readonly mapping: Readonly<Record<string, string>>
  readonly dryRun: boolean
  readonly writeMode: 'insert' | 'update' | 'upsert'
  readonly matchFields: readonly string[]
  readonly trimWhitespace: boolean
  /** Cell texts that mean "no value", beside the empty one. */
  readonly nullValues: readonly string[]
  readonly createMissingOptions: boolean
  readonly skipBlankMatchKey: boolean
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

/** The import service. */
export interface ImportService {
  /**
   * Writes rows through the data service; rows that fail are reported, the others stay.
   * @throws validation_error for unknown columns or match fields, resource_not_found for an unknown object
   */
  run(ctx: RequestContext, input: ImportInput): Promise<ImportReport>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    import: ImportService
  }
}
