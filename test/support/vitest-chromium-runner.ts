// The runner of the e2e project: when the setup found no browser, every collected test is skipped, hooks included, with
// the reason as its note, so that no test file needs a guard of its own. With a browser it changes nothing.
import { inject, TestRunner } from 'vitest'
import type { RunnerTask, RunnerTestCase, RunnerTestFile } from 'vitest'

/** Vitest loads a runner by default export. */
export default class ChromiumRunner extends TestRunner {
  // Vitest assigns this before it runs anything; the class only names it.
  declare onTaskUpdate: (results: unknown[], events: unknown[]) => Promise<void>

  async onCollected(files: RunnerTestFile[]): Promise<void> {
    const reason = inject('browserMissing')
    if (!reason) return
    const skipped = files.flatMap((file) => skipAll(file, reason))
    if (inject('browserMissingFails')) {
      for (const file of files) file.result = { state: 'fail', errors: [{ name: 'Error', message: reason }] }
    }
    // A skipped suite is not visited, so its tests would stay "pending" in the report without this.
    await this.onTaskUpdate(
      skipped.map((test) => [test.id, test.result, test.meta]),
      skipped.flatMap((test) => [
        [test.id, 'test-prepare', undefined],
        [test.id, 'test-finished', undefined],
      ]),
    )
  }
}

function skipAll(task: RunnerTask, reason: string): RunnerTestCase[] {
  task.mode = 'skip'
  if (task.type === 'suite') return task.tasks.flatMap((child) => skipAll(child, reason))
  // `note` is what ctx.skip(note) sets; the public type does not name it.
  task.result = Object.assign({ state: 'skip' as const }, { note: reason })
  return [task]
}
