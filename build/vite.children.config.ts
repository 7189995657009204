// Bundles whole hosts that the safety checks start as processes of their own into dist/test, in the same way as the
// program itself. Paths only; nothing of the program knows of it.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { bundledChildren } from '../test/support/host-bundle.ts'
import host from './vite.host.config.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export default defineConfig(async (env) => {
  const { build, ...rest } = await host(env)
  const input = Object.fromEntries(Object.entries(bundledChildren).map(([name, path]) => [name, root + path]))
  return { ...rest, build: { ...build, rolldownOptions: { ...build?.rolldownOptions, input } } }
})
