// What a run through the door of a hub says at its end: how many tests asked through it, what was left out and why, and what
// handovers made fail.
import type { Reporter, TestModule } from 'vitest/node'
import { filesBesideDoor, testsBeside } from './door-exceptions.ts'

/** Prints it, and lets the run fail where nothing was asked or a request failed that could be repeated. */
export class DoorReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const found = tests.flatMap((test) => test.meta().door ?? [])
    const sum = (of: 'asked' | 'handovers' | 'repeatable'): number => found.reduce((total, one) => total + one[of], 0)
    const through = found.filter(({ asked }) => asked > 0).length
    const failures = found.flatMap((one) => one.failures)
    for (const [file, reason] of Object.entries(filesBesideDoor)) console.log(`beside the door: ${file}: ${reason}`)
    for (const failure of failures) console.log(`failed at a handover: ${failure}`)
    const listed = testsBeside.flatMap(Object.values).flatMap(Object.keys).length
    console.log(
      `door: ${through} of ${tests.length} tests in ${modules.length} files asked ${sum('asked')} requests through it; ` +
        `beside it are ${Object.keys(filesBesideDoor).length} files and ${listed} tests; ` +
        `${sum('handovers')} handovers, ${failures.length} of ${sum('repeatable')} requests that may be repeated failed`,
    )
    if (through === 0 || failures.length > 0) process.exitCode = 1
  }
}
