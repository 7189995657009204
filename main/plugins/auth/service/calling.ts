// Who calls the library: its hooks tell of rows, and have no request of their own. Knows no hook.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'

const calling = new AsyncLocalStorage<RequestContext>()

/** Does some work in the name of a caller. */
export function inNameOf<T>(ctx: RequestContext, work: () => Promise<T>): Promise<T> {
  return calling.run(ctx, work)
}

/** The caller the library works for just now; the host itself when it works for nobody. */
export function presentCaller(): RequestContext {
  return calling.getStore() ?? internalContext('auth.library')
}
