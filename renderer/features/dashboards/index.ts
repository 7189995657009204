// The door of the dashboards feature: what the frame may use. Screens are loaded by the router.
export { dashboardPath, dashboardsPath } from './dashboard-places.ts'
export { dashboardsQuery } from './dashboard-queries.ts'
