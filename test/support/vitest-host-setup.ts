// Global setup of the projects that start hosts as processes of their own: bundles the program as `npm start` does, and
// the programs of the safety checks with it, when they are stale. A bundle starts in half the processor time of the sources.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childBundles, root } from './host-bundle.ts'

interface Launcher {
  buildStale(root: string, targets: readonly string[]): string
  listInputs(root: string, inputs: readonly string[]): string[]
  stampOf(lines: readonly string[]): string
}

/** What the programs of the checks are made of. */
const inputs = ['main', 'shared', 'build', 'test/safety', 'test/support', 'package-lock.json']

/** Builds what is stale. @throws Error with the reason when a build fails */
export async function setup(): Promise<void> {
  // Plain JavaScript without declarations, so it is named in a way the compiler does not follow.
  const launcher = (await import(new URL('../../build/launch.mjs', import.meta.url).href)) as Launcher
  const failure = launcher.buildStale(root, ['host'])
  if (failure !== '') throw new Error(failure)
  const stamp = launcher.stampOf(launcher.listInputs(root, inputs))
  const stampFile = join(childBundles, 'stamp')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  build('children', 'production')
  build('host', 'workers')
  writeFileSync(stampFile, stamp)
}

function build(config: string, mode: string): void {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const words = [
    'build',
    '--config',
    `build/vite.${config}.config.ts`,
    '--configLoader',
    'native',
    '--logLevel',
    'warn',
  ]
  const run = spawnSync(process.execPath, [vite, ...words, '--mode', mode, '--outDir', childBundles], {
    cwd: root,
    // The runner's own would make vite bundle development libraries.
    env: { ...process.env, NODE_ENV: 'production' },
    encoding: 'utf8',
  })
  if (run.status !== 0) throw new Error(`the programs of the checks could not be built: ${run.stdout}${run.stderr}`)
}
