// Owns which records and fields of an object have open conflicts, for marks on pages and in tables. Asks nothing where sync
// is off or no conflict is open.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useConflictCount } from '../../lib/conflict-count.ts'
import { openConflictsQuery } from './conflict-queries.ts'
import type { Conflict } from './conflict-queries.ts'

const none: readonly Conflict[] = []

/** The open conflicts of an object, or of one of its records. */
export function useOpenConflicts(object: string, recordId?: string): readonly Conflict[] {
  const any = (useConflictCount() ?? 0) > 0
  const { data } = useQuery({ ...openConflictsQuery(object, recordId), enabled: any })
  return any ? (data ?? none) : none
}

/** Names of the marked fields by id of their record; an empty name marks the record as a whole. */
export function useMarkedCells(object: string): ReadonlyMap<string, ReadonlySet<string>> {
  const conflicts = useOpenConflicts(object)
  return useMemo(() => {
    const cells = new Map<string, Set<string>>()
    for (const { recordId, field = '' } of conflicts) {
      cells.set(recordId, (cells.get(recordId) ?? new Set()).add(field))
    }
    return cells
  }, [conflicts])
}
