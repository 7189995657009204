// Owns the addresses of the screens of automation inside the window.

/** Where flows are listed. */
export const automationPath = '/automation'

/** Where schedules are listed. */
export const schedulesPath = '/automation/schedules'

/** Where one flow is; `part` is one of its tabs. */
export function flowPath(name: string, part?: string): string {
  return `/automation/flow/${name}${part === undefined ? '' : `/${part}`}`
}

/** Where one run of a flow is. */
export function runPath(name: string, runId: string): string {
  return `${flowPath(name, 'runs')}/${runId}`
}
