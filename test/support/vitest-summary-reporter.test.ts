import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
let folder: string

/** A project of its own in a temporary folder, run by the real vitest with the reporter and the browser runner. */
function runVitest(env: NodeJS.ProcessEnv = {}, ...args: string[]): { status: number | null; lines: string[] } {
  const run = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, CI: '', FORCE_COLOR: '', NO_COLOR: '1', ...env },
  })
  return { status: run.status, lines: run.stdout.trimEnd().split('\n') }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-summary-'))
  mkdirSync(join(folder, 'support'))
  for (const file of ['vitest-summary-reporter.ts', 'vitest-chromium-runner.ts']) {
    cpSync(join(root, 'test/support', file), join(folder, 'support', file))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import { SummaryReporter } from './support/vitest-summary-reporter.ts'
export default { test: { reporters: [new SummaryReporter()], projects: [
  { test: { name: 'plain', include: ['plain/*.test.ts'] } },
  { test: { name: 'browser', include: ['browser/*.test.ts'], globalSetup: ['setup.ts'], runner: 'support/vitest-chromium-runner.ts' } },
] } }
`,
  )
  writeFileSync(
    join(folder, 'setup.ts'),
    `export function setup(project) {
  project.provide('browserMissing', process.env.MISSING ?? '')
  project.provide('browserMissingFails', process.env.MISSING_FAILS === '1')
}
`,
  )
  mkdirSync(join(folder, 'plain'))
  mkdirSync(join(folder, 'browser'))
  writeFileSync(
    join(folder, 'plain/one.test.ts'),
    `import { expect, it } from 'vitest'
it('passes', () => { expect(1).toBe(1) })
it('waits', (test) => { test.skip('needs a printer') }) // reason: how the reporter tells of it is tested
`,
  )
  writeFileSync(
    join(folder, 'browser/two.test.ts'),
    `import { beforeAll, describe, expect, it } from 'vitest'
beforeAll(() => { if (process.env.MISSING) throw new Error('the hook ran without a browser') })
describe('page', () => { it('opens', () => { expect(2).toBe(2) }) })
`,
  )
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('summary of a test run', () => {
  it('lists the slowest files and each skip with its reason, and ends with the totals', () => {
    const { status, lines } = runVitest()
    expect(lines).toContain('skipped: plain/one.test.ts > waits: needs a printer')
    expect(lines.filter((line) => /^slowest: \d+\.\d s (plain|browser)\/\w+\.test\.ts$/.test(line))).toHaveLength(2)
    expect(lines.at(-1)).toBe('2 passed, 0 failed, 1 skipped')
    expect(status).toBe(0)
  }, 30_000)

  it('says after the skips what failed, and why', () => {
    const file = join(folder, 'plain/wrong.test.ts')
    writeFileSync(
      file,
      "import { expect, it } from 'vitest'\nit('adds', () => { expect([1 + 1, { of: 'page' }]).toEqual([]) })\n",
    )
    const { lines } = runVitest({}, '--project', 'plain')
    rmSync(file)
    const at = lines.lastIndexOf('failed: plain/wrong.test.ts > adds')
    expect(at).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('skipped: ')))
    expect(lines[at + 1]).toContain('to deeply equal []')
    expect(lines.slice(at).join('\n')).toContain('"of": "page"')
    expect(lines.at(-1)).toBe('1 passed, 1 failed, 1 skipped')
  }, 30_000)

  it('counts a file that cannot be loaded as one failure', () => {
    writeFileSync(join(folder, 'plain/broken.test.ts'), "import './nowhere.ts'\n")
    const { status, lines } = runVitest({}, '--project', 'plain')
    rmSync(join(folder, 'plain/broken.test.ts'))
    expect(lines.at(-3)).toBe('failed: plain/broken.test.ts')
    expect(lines.at(-1)).toBe('1 passed, 1 failed, 1 skipped')
    expect(status).toBe(1)
  }, 30_000)

  it('counts a run without any test as one failure', () => {
    const { status, lines } = runVitest({}, 'no-such-file')
    expect(lines.at(-1)).toBe('0 passed, 1 failed, 0 skipped')
    expect(status).toBe(1)
  }, 30_000)
})

describe('browser tests without a browser', () => {
  it('are skipped with the reason, hooks included', () => {
    const { status, lines } = runVitest({ MISSING: 'no Chromium' })
    expect(lines).toContain('skipped: browser/two.test.ts > page > opens: no Chromium')
    expect(lines.at(-1)).toBe('1 passed, 0 failed, 2 skipped')
    expect(status).toBe(0)
  }, 30_000)

  it('fail where a skip would hide them', () => {
    const { status, lines } = runVitest({ MISSING: 'no Chromium', MISSING_FAILS: '1' })
    expect(lines.at(-1)).toBe('1 passed, 1 failed, 2 skipped')
    expect(status).toBe(1)
  }, 30_000)
})
