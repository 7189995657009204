// Cursors of lists of flows and runs: sealed, bound to the caller and the list they came from (D-14).
import { validationError } from '#shared/errors.ts'
import type { CursorKey } from '#main/database/query/cursor.ts'
import { openCursor, sealCursor } from '#main/database/query/cursor.ts'

/** Seals and opens places in lists. */
export interface Cursors {
  seal(list: readonly unknown[], place: string): string
  /** Undefined for no cursor. @throws validation_error for one of another list or a damaged one */
  open(list: readonly unknown[], cursor: string | undefined): string | undefined
}

/** Makes the cursors. */
export function createCursors(key: CursorKey): Cursors {
  const bindingOf = (list: readonly unknown[]): string => JSON.stringify(['automation', ...list])
  return {
    seal: (list, place) => sealCursor(key, bindingOf(list), JSON.stringify([place])),
    open(list, cursor) {
      if (cursor === undefined) return undefined
      try {
        return String(openCursor(key, bindingOf(list), cursor)[0])
      } catch {
        // It throws for nothing else; lists outside of records name the parameter (D-14).
        const message = 'The cursor does not belong to this list.'
        throw validationError([{ field: 'cursor', code: 'invalid_format', message }])
      }
    },
  }
}
