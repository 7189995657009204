// Remembers which twins of the safety checks missed their target in this run (test/safety/twin-marks.ts). A pipeline keeps
// nothing: there the committed marks stand.
import type { Reporter, TestModule } from 'vitest/node'
import { writeTwinMarks } from '../safety/twin-marks.ts'

/** Writes the marks of the twins that ran and missed; the file is committed with what it proves. */
export class TwinReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env['CI'] === 'true') return
    const tests = modules.flatMap((module) => [...module.children.allTests('passed')])
    writeTwinMarks(
      Object.fromEntries(tests.flatMap((test) => (test.meta().twinMark === undefined ? [] : [test.meta().twinMark!]))),
    )
  }
}
