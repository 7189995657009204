// The door of the import feature: the first step of a new table. The rest is loaded when a table was chosen.
export { NewTableFlow } from './new-table-flow.tsx'
