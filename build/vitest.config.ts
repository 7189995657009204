// The test projects (one per place of the test table in ARCHITECTURE.md). Paths only; no test knows this file.
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { SummaryReporter } from '../test/support/vitest-summary-reporter.ts'

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(
    `tests need Node 24 or newer, this is ${process.versions.node}: use "npm test" or put node_modules/.bin first on PATH`,
  )
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** A project over one folder of black-box tests. */
function folder(name: string, test: TestProjectInlineConfiguration['test'] = {}): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      environment: 'node',
      testTimeout: 20_000,
      hookTimeout: 60_000,
      ...test,
    },
  }
}

export default defineConfig({
  root,
  plugins: [react()],
  cacheDir: 'node_modules/.vite',
  test: {
    root,
    pool: 'forks',
    reporters: ['default', new SummaryReporter()],
    unstubGlobals: true,
    restoreMocks: true,
    setupFiles: ['test/support/vitest-random-seed.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          include: [
            'shared/**/*.test.ts',
            'main/**/*.test.ts',
            'build/**/*.test.ts',
            'electron/**/*.test.ts',
            'test/support/**/*.test.ts',
          ],
          testTimeout: 10_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['renderer/**/*.test.{ts,tsx}'],
          testTimeout: 10_000,
        },
      },
      folder('api'),
      folder('plugins'),
      folder('sync'),
      folder('migrations'),
      folder('desktop', { testTimeout: 60_000 }),
      // Kill, disk and clock checks measure the machine: they run after the others, one file at a time.
      folder('safety', {
        testTimeout: 300_000,
        hookTimeout: 120_000,
        fileParallelism: false,
        sequence: { groupOrder: 1 },
      }),
      folder('e2e', {
        testTimeout: 60_000,
        hookTimeout: 120_000,
        fileParallelism: false,
        // Two pages at a time where a file says so: more only wait for each other.
        maxConcurrency: 2,
        sequence: { groupOrder: 2 },
        globalSetup: ['test/support/vitest-chromium-setup.ts'],
        runner: 'test/support/vitest-chromium-runner.ts',
      }),
    ],
  },
})
