// What a node of a hub has loaded before it leads.
import { expect, it } from 'vitest'
import { preloadPlugins } from './host.ts'
import { loadModules } from './plugins/auth/service/library.ts'

it('loads what the first sign-in needs before anybody signs in', { timeout: 60_000 }, async () => {
  await preloadPlugins()
  const began = performance.now()
  await loadModules()
  expect(performance.now() - began).toBeLessThan(100)
})
