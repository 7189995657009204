// The test projects (one per place of the test table in ARCHITECTURE.md). Paths only; no test knows this file.
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { filesBesideDoor } from '../test/support/door-exceptions.ts'
import { longFiles } from '../test/support/long-run.ts'
import { DoorReporter } from '../test/support/vitest-door-reporter.ts'
import { SummaryReporter } from '../test/support/vitest-summary-reporter.ts'
import { TwinReporter } from '../test/support/vitest-twin-reporter.ts'
import { SlowFirst } from './slow-first.ts'

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(
    `tests need Node 24 or newer, this is ${process.versions.node}: use "npm test" or put node_modules/.bin first on PATH`,
  )
}

const root = fileURLToPath(new URL('..', import.meta.url))

// What the processes that tests start have compiled once is kept for the next ones, as the program itself does it.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))

// Memory that is asked for by the megabyte (a hash of a password takes 32) comes in large pages where the machine has them
// (glibc; else nothing reads it): a tenth of the processor time of tests of the API, two thirds of that of a hash.
process.env['GLIBC_TUNABLES'] ??= 'glibc.malloc.hugetlb=1'

/** Files that measure time, memory or the event loop: they run one at a time, after all others. */
const timed = [
  'shared/expression/hostile-expressions.test.ts',
  'test/api/{live-text-faults,query-cost}.test.ts',
  // What one person does the other sees within a second: 10 to 330 ms on a quiet machine.
  'test/e2e/{activity,transports.long}.test.ts',
  'test/e2e/scroll.probe.test.ts',
  'test/safety/limits.test.ts',
]

/** Those whose limits of time are in a long run: what they prove at a commit are counts. */
const timedInLongRun = [
  'test/api/{analytics-sql,graphql-time}.test.ts',
  'test/safety/{backup,durability,process,sameness,schema,scripts,socket-load}.test.ts',
]

/** Files that replace modules, each in a process of its own. */
const isolated = ['main/hub/hub-mutants.long.test.ts', 'test/sync/model-mutants.long.test.ts']

/** Files for `npm run test:long` and `npm run test:release` alone. */
const longOnly = '**/*.long.test.{ts,tsx}'

export default defineConfig(({ mode }) => {
  const isRelease = mode === 'release' || process.env['CAIRN_LONG'] === 'release'
  const isLong = isRelease || mode === 'long' || process.env['CAIRN_LONG'] === '1'
  // Each host of a test is two nodes and a PostgreSQL.
  const isThroughDoor = process.env['CAIRN_DOOR'] !== undefined
  const isPatient = isLong || isThroughDoor
  const besideDoor = isThroughDoor ? Object.keys(filesBesideDoor) : []
  const left = isLong ? [] : [longOnly, ...longFiles]
  const measured = isLong ? [...timed, ...timedInLongRun] : timed

  /** A project: its place in the order, its files, its limits. Files share a process, one per processor. */
  function project(
    name: string,
    groupOrder: number,
    include: string[],
    test: TestProjectInlineConfiguration['test'] = {},
  ): TestProjectInlineConfiguration {
    return {
      extends: true,
      test: {
        name,
        include,
        exclude: ['**/node_modules/**', ...measured, ...isolated, ...left, ...besideDoor],
        environment: 'node',
        // Full sizes take a sixth of this on a quiet machine.
        testTimeout: isLong ? 600_000 : isPatient ? 180_000 : 40_000,
        hookTimeout: isPatient ? 180_000 : 60_000,
        isolate: false,
        // Files share a process: what one of them leaves would be looked at again in every short collection, and in a
        // long one each time that a small heap has grown a little (an eighth of the processor time).
        execArgv: ['--max-semi-space-size=64', '--initial-old-space-size=1024'],
        // At full size most of them wait: for clocks, for kills, for each other.
        maxWorkers: isLong ? 4 : 3,
        // A long run has units that take as long as what comes after them.
        sequence: { groupOrder: isLong && groupOrder < 5 ? 0 : groupOrder },
        ...test,
      },
    }
  }

  // They start hosts as processes of their own, bundled as people start them.
  const hosts = { globalSetup: ['test/support/vitest-host-setup.ts'] }
  const safety = { testTimeout: isLong ? 1_800_000 : 300_000, hookTimeout: 120_000, ...hosts }
  const browser = {
    // Two pages at a time where a file says so: more only wait for each other.
    maxConcurrency: 2,
    testTimeout: isLong ? 180_000 : 60_000,
    hookTimeout: 120_000,
    globalSetup: ['test/support/vitest-chromium-setup.ts', ...hosts.globalSetup],
    runner: 'test/support/vitest-chromium-runner.ts',
  }

  return {
    root,
    plugins: [react()],
    cacheDir: 'node_modules/.vite',
    test: {
      root,
      pool: 'forks',
      // Projects have the same modules made ready once, and later runs find them.
      fsModuleCache: true,
      env: isLong ? { CAIRN_LONG: isRelease ? 'release' : '1' } : {},
      reporters: ['default', new SummaryReporter(), new TwinReporter(), ...(isThroughDoor ? [new DoorReporter()] : [])],
      unstubGlobals: true,
      restoreMocks: true,
      setupFiles: [
        'test/support/vitest-random-seed.ts',
        'test/support/vitest-long-run.ts',
        ...(isThroughDoor ? ['test/support/vitest-door-tests.ts'] : []),
      ],
      // What shows a mistake soonest runs first, what takes long or measures the machine last; within a group what
      // takes longest.
      sequence: { sequencer: SlowFirst },
      projects: [
        project('unit', 0, ['{shared,main,build,electron,test/support}/**/*.test.ts']),
        // The few that need a page say so: making one takes longer than most files.
        project('renderer', 1, ['renderer/**/*.test.{ts,tsx}'], {
          setupFiles: ['test/support/vitest-words.ts'],
        }),
        // One group: who waits for a kill or for a clock leaves its processor to the others.
        project('api', 2, ['test/api/**/*.test.ts'], {
          globalSetup: ['test/support/vitest-door-setup.ts', ...hosts.globalSetup],
        }),
        project('plugins', 2, ['test/plugins/**/*.test.ts']),
        project('desktop', 2, ['test/desktop/**/*.test.ts'], { testTimeout: 60_000 }),
        project('sync', 2, ['test/sync/**/*.test.ts'], hosts),
        project('safety', 2, ['test/safety/**/*.test.ts'], safety),
        project('e2e', 5, ['test/e2e/**/*.test.ts'], { ...browser, maxWorkers: 2 }),
        project('isolated', 6, isolated, { exclude: left, isolate: true }),
        // The limits of safety last: what is measured at full size takes longer than a page.
        project('measured', 7, measured, {
          ...safety,
          ...browser,
          testTimeout: safety.testTimeout,
          execArgv: [],
          env: { CAIRN_MEASURED: '1' },
          exclude: left,
          maxWorkers: 1,
        }),
      ],
    },
  }
})
