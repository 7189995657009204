// The door of conflicts: marks on records and in tables. The screen is loaded by its own address.
export { ConflictMark } from './lazy-mark.tsx'
export { useMarkedCells, useOpenConflicts } from './use-open-conflicts.ts'
