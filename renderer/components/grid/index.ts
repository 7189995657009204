// The public door of the grid engine.

export type { BlockCache, BlockRequest } from './blocks.ts'
export { DataGrid } from './data-grid.tsx'
export type { DataGridHandle, GridColumn, GridEdit, GridRecord } from './grid-types.ts'
export { isSingleCell, rangeOf } from './selection.ts'
export type { GridSelection } from './selection.ts'
export { useBlockRows } from './use-block-rows.ts'
export type { BlockRows } from './use-block-rows.ts'
