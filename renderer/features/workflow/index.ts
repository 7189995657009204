// The door of the workflow feature: what the page of a record and the settings of an object may use. Screens are loaded by
// the router.
export { WorkflowPart } from './workflow-diagram.tsx'
export { WorkflowPanel } from './workflow-panel.tsx'
export { useIsHeld, useWorkflows } from './workflow-queries.ts'
