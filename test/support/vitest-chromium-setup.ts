// Global setup of the e2e project: proves a Chromium and the built screens exist before the first browser test.
// Knows no test; what it finds reaches the workers through `provide`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { chromiumInstallHint, findChromium, installChromium } from './find-chromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the browser to drive; '' when there is none. */
    chromiumPath: string
    /** Why browser tests are skipped; '' when they are not. */
    chromiumMissing: string
  }
}

/**
 * Finds or installs a Chromium and builds stale screens.
 * @throws Error with CI=true and no Chromium: a pipeline that skips its browser tests must not look green.
 */
export function setup(project: TestProject): void {
  let path = findChromium()
  let reason = ''
  if (!path) {
    reason = installChromium() ?? ''
    path = findChromium()
  }
  if (!path) {
    const sentence = `no Chromium (${reason || 'installed, yet not found'}); get one: ${chromiumInstallHint()}`
    if (process.env.CI === 'true') throw new Error(sentence)
    process.stderr.write(`browser tests are skipped: ${sentence}\n`)
    project.provide('chromiumPath', '')
    project.provide('chromiumMissing', sentence)
    return
  }
  project.provide('chromiumPath', path)
  project.provide('chromiumMissing', '')
  buildScreens()
}

function buildScreens(): void {
  const launcher = fileURLToPath(new URL('../../build/launch.mjs', import.meta.url))
  const run = spawnSync(process.execPath, [launcher, 'build-screens'], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (run.status !== 0) throw new Error('the screens could not be built; see the lines above')
}
