// Decides what follows when the page's process ends by itself. Pure.

/** What to do: load the page again after a pause, or stop and ask. */
export type AfterCrash = { readonly kind: 'reload'; readonly delayMs: number } | { readonly kind: 'ask' }

const windowMs = 60_000
const pausesMs = [0, 1_000, 2_500]

/** A planner of one window; the host goes on meanwhile, so nothing that was saved is at stake. */
export function createCrashPlan(now: () => number): () => AfterCrash {
  let recent: number[] = []
  return () => {
    const at = now()
    recent = [...recent.filter((time) => at - time < windowMs), at]
    const delayMs = pausesMs[recent.length - 1]
    if (delayMs !== undefined) return { kind: 'reload', delayMs }
    recent = []
    return { kind: 'ask' }
  }
}
