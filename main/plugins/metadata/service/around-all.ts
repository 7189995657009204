// Gives the hooks of a write their time before and after it (D-101). Knows no rule of a hook.
import type { RequestContext } from '#main/kernel/context.ts'
import type { SchemaWork } from './schema-work.ts'
import { hookTarget } from './schema-work.ts'

/**
 * Runs `commit` inside of what every hook does around it, one inside of the other. A hook is asked once per item: of an
 * item that changes twice in one write, the second change stands on tables that are not there yet.
 */
export async function aroundAll(
  ctx: RequestContext,
  work: readonly SchemaWork[],
  commit: () => Promise<void>,
): Promise<void> {
  const seen = new Set<string>()
  let whole = commit
  for (const one of work) {
    const { hook, previous } = one
    const { uid } = (previous ?? one.next)!
    if (hook.around === undefined || seen.has(uid)) continue
    seen.add(uid)
    const inner = whole
    whole = () => hook.around!(ctx, previous, hookTarget(one), inner)
  }
  await whole()
}
