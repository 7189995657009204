// The door of the workflow feature: what the page of a record may use. Screens are loaded by the router.
export { useIsHeld } from './use-is-held.ts'
export { WorkflowPanel } from './workflow-panel.tsx'
export { WorkflowPart } from './workflow-part.tsx'
export { useWorkflows } from './workflow-queries.ts'
