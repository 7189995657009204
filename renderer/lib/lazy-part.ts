// Owns parts of the screens that are loaded when they are first shown.
import { lazy } from 'react'
import { isServed } from './lost-parts.ts'

/** React's `lazy`; while no host answers the part waits for the page to be loaded anew, and what stands beside it stays. */
export const lazyPart: typeof lazy = (load) =>
  lazy(async () =>
    load().catch(async (error: unknown) => {
      if (await isServed()) throw error
      return new Promise<never>(() => undefined)
    }),
  )
