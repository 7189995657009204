// Owns the addresses of dashboards. Pure.

/** Path of the list. */
export const dashboardsPath = '/dashboards'

/** Path of a dashboard, or of its editor; `search` are its filters. */
export function dashboardPath(name: string, part?: 'edit', search = ''): string {
  const path = part === undefined ? `${dashboardsPath}/${name}` : `${dashboardsPath}/${name}/${part}`
  return search === '' ? path : `${path}?${search}`
}
