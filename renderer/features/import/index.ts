// The door of the import feature: the first step of a new table, and the export of what a screen shows. The rest is
// loaded when a table was chosen.
export { ExportItems, ExportMenu, useExport } from './export-menu.tsx'
export type { ExportQuery } from './export-menu.tsx'
export { NewTableFlow } from './new-table-flow.tsx'
