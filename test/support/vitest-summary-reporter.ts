// What a test run says beside vitest's own lines: each failure as it happens; at the end the slowest files, every skip
// with its reason, the failures again, then one plain line of totals.
// Knows the reporter interface of vitest and no project of ours.
import { writeSync } from 'node:fs'
import { relative } from 'node:path'
import { inspect, stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/** The three totals of a run. `failed` counts failed tests, files that could not be loaded and unhandled errors. */
export interface RunTotals {
  passed: number
  failed: number
  skipped: number
}

/** The plain closing line; machines match it with `/^(\d+) passed, (\d+) failed, (\d+) skipped$/`. */
export function closingLine(totals: RunTotals): string {
  return `${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`
}

/** One line per skipped test: `skipped: <file> > <test>: <reason>`. */
export function skipLine(file: string, name: string, reason: string | undefined): string {
  return `skipped: ${file} > ${name}: ${reason ?? 'no reason given'}`
}

/** The files that took longest, a line each: `slowest: 12.3 s <file>`. */
export function slowestLines(files: readonly { readonly file: string; readonly ms: number }[], count = 10): string[] {
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, count)
  return slowest.map(({ file, ms }) => `slowest: ${(ms / 1000).toFixed(1)} s ${file}`)
}

/** Prints each failure at once, the slowest files, the skips and the failures again after the default reporter's summary and the totals when the process ends. */
export class SummaryReporter implements Reporter {
  #root = process.cwd()
  #totals: RunTotals | undefined
  #filtered = false
  readonly #failures: string[] = []

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root
    this.#filtered = vitest.config.testNamePattern !== undefined
    // At exit, because vitest prints its own lines after the last reporter event.
    process.once('exit', (code) => {
      const totals = this.#totals ?? { passed: 0, failed: 0, skipped: 0 }
      // A run that dies before its tests (a global setup that throws, no test found) has no failed test to count.
      if (code !== 0 && totals.failed === 0) totals.failed = 1
      writeLast(closingLine(totals) + '\n')
    })
  }

  // A run of an hour that is stopped has said what it found.
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    if (state !== 'failed') return
    const file = relative(this.#root, test.module.moduleId)
    for (const { message, stack, diff, cause } of errors ?? []) {
      const lines = (stack ?? message).split('\n').filter((line) => !line.includes('node_modules'))
      // "fetch failed" says nothing of why.
      if (cause?.message !== undefined) lines.push(`because: ${cause.message}`)
      // "expected [ Array(1) ]" says nothing of what was in it.
      if (diff !== undefined) lines.push(stripVTControlCharacters(diff).slice(0, 800))
      const told = `failed: ${file} > ${test.fullName}\n${lines.join('\n')}`
      console.error(told)
      this.#failures.push(told.slice(0, 2_000))
    }
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const totals: RunTotals = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const error of unhandledErrors) {
      this.#failures.push(`failed: outside of any test\n${inspect(error)}`)
    }
    const skips: string[] = []
    const files: { file: string; ms: number }[] = []
    for (const module of modules) {
      const { collectDuration, setupDuration, duration } = module.diagnostic()
      files.push({ file: relative(this.#root, module.moduleId), ms: collectDuration + setupDuration + duration })
      let failedHere = 0
      for (const test of module.children.allTests()) {
        const state = countedState(test)
        totals[state] += 1
        if (state === 'failed') failedHere += 1
        if (state === 'skipped')
          skips.push(skipLine(relative(this.#root, module.moduleId), test.fullName, reasonOf(test)))
      }
      // A file that cannot be loaded or a failing beforeAll has no failed test of its own.
      if (failedHere === 0 && !module.ok()) {
        totals.failed += 1
        const [error] = module.errors()
        this.#failures.push(`failed: ${relative(this.#root, module.moduleId)}\n${error?.message ?? 'no reason given'}`)
      }
    }
    for (const line of slowestLines(files)) console.log(line)
    if (this.#filtered && skips.length > 0) console.log(`${skips.length} tests are left out by the name filter`)
    else for (const line of skips) console.log(line)
    // Once more, and after the skips: where only the end of a log is kept, it says what failed.
    for (const failure of this.#failures) console.log(failure)
    this.#totals = totals
  }
}

function writeLast(line: string): void {
  try {
    writeSync(1, line)
  } catch {
    process.stdout.write(line) // a full pipe answers EAGAIN to the synchronous write
  }
}

function countedState(test: TestCase): keyof RunTotals {
  const { state } = test.result()
  // A test that never finished (its worker died, the run was stopped) has not passed.
  return state === 'pending' ? 'failed' : state
}

function reasonOf(test: TestCase): string | undefined {
  const result = test.result()
  if (result.state === 'skipped' && result.note) return result.note
  return test.options.mode === 'todo' ? 'not written yet (todo)' : undefined
}
