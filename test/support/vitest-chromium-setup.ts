// Global setup of the e2e project: looks for a Chromium and builds stale screens before the first browser test.
// Knows no test. It never throws, because that would end the other projects too: what is missing reaches the runner
// of the project through `provide`, which skips or fails the browser tests alone.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { chromiumInstallHint, findHeadlessChromium, installChromium } from './find-chromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the browser to drive; '' when there is none. */
    chromiumPath: string
    /** Why the browser tests cannot run; '' when they can. */
    browserMissing: string
    /** Whether that reason is a failure instead of a skip. */
    browserMissingFails: boolean
  }
}

/**
 * Provides the browser or the reason why there is none. A missing Chromium is a skip on a person's machine and a failure
 * with CI=true: a pipeline that skips its browser tests must not look green. Screens that do not build always fail.
 */
export function setup(project: TestProject): void {
  const found = searchOrInstall()
  const reason = found.reason || buildScreens()
  const fails = found.reason === '' || process.env.CI === 'true'
  if (reason) process.stderr.write(`browser tests ${fails ? 'fail' : 'are skipped'}: ${reason}\n`)
  project.provide('chromiumPath', found.path)
  project.provide('browserMissing', reason)
  project.provide('browserMissingFails', fails)
}

function searchOrInstall(): { path: string; reason: string } {
  try {
    const present = findHeadlessChromium()
    if (present) return { path: present, reason: '' }
    const refused = installChromium()
    const installed = findHeadlessChromium()
    if (installed) return { path: installed, reason: '' }
    return {
      path: '',
      reason: `no Chromium (${refused ?? 'installed, yet not found'}); get one: ${chromiumInstallHint()}`,
    }
  } catch (error) {
    return { path: '', reason: error instanceof Error ? error.message : String(error) }
  }
}

function buildScreens(): string {
  const launcher = fileURLToPath(new URL('../../build/launch.mjs', import.meta.url))
  const run = spawnSync(process.execPath, [launcher, 'build-screens'], { stdio: ['ignore', 'inherit', 'inherit'] })
  return run.status === 0 ? '' : 'the screens could not be built; the output of the build is above'
}
