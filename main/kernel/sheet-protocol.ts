// The messages between the host and the spreadsheet process, and what a spreadsheet may be. Types and limits only.

/** Limits of one spreadsheet; rows and columns are those of the format. @source D-68, ECMA-376 part 1, 18.3.1.73 */
export const sheetLimits = {
  entries: 2_000,
  unpackedBytes: 200_000_000,
  /** Times its size that a file may become, once that is more than `ratioFromBytes`. */
  ratio: 100,
  ratioFromBytes: 10_000_000,
  rows: 1_048_576,
  columns: 16_384,
  /** From the first to the last row and column in use, empty ones in between included. */
  cells: 20_000_000,
  /** Characters between two tags; programs stop at 32,767 in a cell. The parser's time grows with their square. */
  textLength: 100_000,
  /** Characters of one row: a record is limited to 5 MB. */
  rowLength: 6_000_000,
  /** Characters of all rows: a text may be used by every cell. */
  outputLength: 500_000_000,
  /** The process ends beyond this. */
  heapMb: 1_024,
  memoryBytes: 1_600_000_000,
} as const

/** Host to process: one task in its life. */
export type SheetTask =
  | {
      readonly kind: 'read'
      readonly file: string
      /** Name or number (from 1) of the sheet; the first one when absent. */
      readonly sheet?: string | number | undefined
      /** Where the rows go, one JSON array per line, the header first; must not exist. */
      readonly target: string
    }
  | {
      readonly kind: 'write'
      /** One JSON array per line, the header first. */
      readonly file: string
      readonly sheet: string
      readonly target: string
    }

/** Process to host: how the task ended. */
export type SheetReply =
  | { readonly kind: 'done'; readonly lines: number }
  | {
      readonly kind: 'error'
      readonly reason: 'sheet_not_found' | 'invalid' | 'too_large' | 'failed'
      readonly message: string
    }
