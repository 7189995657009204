// The door of the activity feature.
export { ActivityPanel } from './activity-panel.tsx'
export { HistoryPanel } from './history-panel.tsx'
