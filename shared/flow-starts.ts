// Which flows start by themselves with rights of their own: what the host asks of whoever starts one by hand, and what the
// screen offers.

/** Types of flows that something else starts than a person. */
const selfStarting: ReadonlySet<string> = new Set(['record_change', 'schedule'])

/**
 * Whether a flow acts as the system for what happens, not for whoever starts it: by hand only those who manage flows do.
 * @source D-156
 */
export function isSelfStarting({ runAs, type }: { readonly runAs: string; readonly type: string }): boolean {
  return runAs === 'system' && selfStarting.has(type)
}
