// The runner of the e2e project: without a Chromium every collected test is skipped, hooks included, with the reason
// as its note, so that no test file needs a guard of its own. With one it changes nothing.
import { inject, TestRunner } from 'vitest'
import type { RunnerTask, RunnerTestFile } from 'vitest'

/** Vitest loads a runner by default export. */
export default class ChromiumRunner extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    const reason = inject('chromiumMissing')
    if (reason) for (const file of files) skipWithReason(file, reason)
  }
}

function skipWithReason(task: RunnerTask, reason: string): void {
  if (task.type === 'test' && task.mode !== 'run') return
  task.mode = 'skip'
  task.result = { state: 'skip', note: reason }
  if (task.type === 'suite') for (const child of task.tasks) skipWithReason(child, reason)
}
