// The public door of the grid engine.

export { BLOCK_ROWS, createBlockCache } from './blocks.ts'
export type { BlockAnswer, BlockCache, BlockCacheOptions, BlockLoader, BlockRequest, BlockSnapshot } from './blocks.ts'
export { parseHtmlTable, parseTsv, writeHtmlTable, writeTsv } from './clipboard.ts'
export type { CellTable } from './clipboard.ts'
export { DataGrid } from './data-grid.tsx'
export { gridLabels } from './grid-labels.ts'
export type { GridLabels } from './grid-labels.ts'
export type {
  DataGridHandle,
  DataGridProps,
  GridColumn,
  GridEdit,
  GridRecord,
  GridRowHeight,
  GridSort,
  GridUnsaved,
} from './grid-types.ts'
export { activeCell, isSingleCell, rangeOf, selectedCount } from './selection.ts'
export type { CellPosition, CellRange, GridSelection } from './selection.ts'
export { useBlockRows } from './use-block-rows.ts'
export type { BlockRows } from './use-block-rows.ts'
