// The public door of the grid engine.

export { createBlockCache } from './blocks.ts'
export type { BlockAnswer, BlockCache, BlockRequest } from './blocks.ts'
export { DataGrid } from './data-grid.tsx'
export type {
  DataGridHandle,
  GridColumn,
  GridEdit,
  GridFigure,
  GridGroups,
  GridHeading,
  GridOther,
  GridOthers,
  GridProgress,
  GridRecord,
  GridTotals,
  GridUnsaved,
  GridWrite,
  GridWritten,
} from './grid-types.ts'
export { isSingleCell, rangeOf } from './selection.ts'
export type { GridSelection } from './selection.ts'
export { useBlockRows } from './use-block-rows.ts'
export type { BlockChanges } from './use-block-rows.ts'
