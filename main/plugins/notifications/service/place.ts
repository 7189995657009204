// Cursors of the inbox: sealed, bound to the user and the list they came from. Knows no SQL.
import { validationError } from '#shared/errors.ts'
import type { CursorKey } from '#main/database/query/cursor.ts'
import { openCursor, sealCursor } from '#main/database/query/cursor.ts'
import type { InboxFilter, InboxScope } from '../store.ts'

/** Seals and opens places in lists. */
export interface Places {
  seal(scope: InboxScope, filter: InboxFilter, seq: number): string
  /** @throws validation_error for a cursor of another list or a damaged one (D-14) */
  open(scope: InboxScope, filter: InboxFilter, cursor: string): number
}

/** Makes the places. */
export function createPlaces(key: CursorKey): Places {
  const bindingOf = ({ userId, organizationId }: InboxScope, { read, type }: InboxFilter): string =>
    JSON.stringify(['notifications', userId, organizationId, read ?? null, type ?? null])
  return {
    seal: (scope, filter, seq) => sealCursor(key, bindingOf(scope, filter), JSON.stringify([seq])),
    open(scope, filter, cursor) {
      try {
        return Number(openCursor(key, bindingOf(scope, filter), cursor)[0])
      } catch {
        // It throws for nothing else; lists outside of records name the parameter (D-14).
        const message = 'The cursor does not belong to this list.'
        throw validationError([{ field: 'cursor', code: 'invalid_format', message }])
      }
    },
  }
}
