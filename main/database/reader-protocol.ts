// The messages between the host and a reader process. Types only.
import type { ComparedTable, TableComparison } from './compare-files.ts'
import type { ClosedFile } from './state-file.ts'

/** A task for a reader process. */
export type ReaderTask =
  | {
      readonly kind: 'query'
      readonly sql: string
      readonly parameters: readonly unknown[]
      readonly maxRows: number | null
    }
  | {
      /** As `query`, but no further slice is sent before the host has asked for `more` of them. */
      readonly kind: 'stream'
      readonly sql: string
      readonly parameters: readonly unknown[]
      readonly slicesAhead: number
    }
  | { readonly kind: 'check'; readonly file: string }
  | {
      /** Checks the database of the host while it is open. */
      readonly kind: 'inspect'
      readonly closed: ClosedFile | null
    }
  | { readonly kind: 'copy'; readonly target: string }
  | {
      /** Compares the database of the host with a closed file. */
      readonly kind: 'compare'
      readonly file: string
      readonly tables: readonly ComparedTable[]
    }

/** Host to reader, during a stream: one slice was taken. */
export interface ReaderDemand {
  readonly id: number
  readonly kind: 'more'
}

/** Host to reader: one task at a time. */
export type ReaderRequest = ReaderTask & { readonly id: number }

/** Reader to host: any number of slices of rows, then the end; or one report; or one failure. */
export type ReaderReply =
  | { readonly id: number; readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly id: number; readonly kind: 'rows'; readonly rows: readonly (readonly unknown[])[] }
  | {
      readonly id: number
      readonly kind: 'end'
      /** Milliseconds the statement took, without what the messages did; absent where nobody asks. */
      readonly tookMs?: number
    }
  | { readonly id: number; readonly kind: 'report'; readonly report: FileReport }
  | { readonly id: number; readonly kind: 'comparison'; readonly tables: readonly TableComparison[] }
  | { readonly id: number; readonly kind: 'error'; readonly code: string | null; readonly message: string }

/** What a check of a database file found. */
export interface FileReport {
  readonly sizeBytes: number
  /** Lower-case hexadecimal. */
  readonly sha256: string
  /** Findings of `PRAGMA integrity_check` and `foreign_key_check`; empty when the file is sound. */
  readonly problems: readonly string[]
}

/** Code of the failure when a query has more rows than the task allows. */
export const tooManyRows = 'TOO_MANY_ROWS'
