// The messages between the host and the spreadsheet process. Types only.

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
