import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repositoryRoot } from './script.ts'

let tools: string

beforeEach(() => {
  tools = mkdtempSync(join(tmpdir(), 'cairn-ci-'))
  for (const name of ['chromium', 'initdb', 'strace']) writeFileSync(join(tools, name), '#!/bin/sh\n', { mode: 0o755 })
})

afterEach(() => {
  rmSync(tools, { recursive: true, force: true })
})

/** Runs the pipeline with an npm that only prints: what it does with the lines and exit codes is what is tested. */
function runPipeline(npm: { ci?: number; test: [string, number]; check: [string, number] }) {
  writeFileSync(
    join(tools, 'npm'),
    `#!/bin/sh
case "$1" in
  ci) exit ${npm.ci ?? 0} ;;
  test) printf '${npm.test[0]}\\n'; exit ${npm.test[1]} ;;
  run) printf '${npm.check[0]}\\n'; exit ${npm.check[1]} ;;
esac
`,
    { mode: 0o755 },
  )
  const run = spawnSync('bash', [join(repositoryRoot(), '.ci/run')], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${tools}:${process.env.PATH}` },
  })
  return { status: run.status, last: run.stdout.trimEnd().split('\n').at(-1) }
}

describe.skipIf(process.platform === 'win32')('pipeline script', () => {
  it('ends with the sum of tests and checks', () => {
    const result = runPipeline({
      test: ['40 passed, 0 failed, 2 skipped', 0],
      check: ['9 passed, 0 failed, 0 skipped', 0],
    })
    expect(result).toEqual({ status: 0, last: '49 passed, 0 failed, 2 skipped' })
  })

  it('fails when a test or a check failed', () => {
    const result = runPipeline({
      test: ['40 passed, 1 failed, 0 skipped', 1],
      check: ['7 passed, 2 failed, 0 skipped', 1],
    })
    expect(result).toEqual({ status: 1, last: '47 passed, 3 failed, 0 skipped' })
  })

  it('counts a command that ends without totals, or badly after good totals, as a failure', () => {
    const result = runPipeline({ test: ['killed', 137], check: ['9 passed, 0 failed, 0 skipped', 1] })
    expect(result).toEqual({ status: 1, last: '9 passed, 2 failed, 0 skipped' })
  })

  it('fails when the packages cannot be installed', () => {
    const result = runPipeline({ ci: 1, test: ['1 passed, 0 failed, 0 skipped', 0], check: ['', 0] })
    expect(result).toEqual({ status: 1, last: '0 passed, 1 failed, 0 skipped' })
  })
})
