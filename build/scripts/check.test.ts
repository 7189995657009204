import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECK_STEPS, runSteps } from './check.ts'

let root: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-check-'))
  writeFileSync(join(root, 'good.mjs'), "console.log('fine')")
  writeFileSync(join(root, 'bad.mjs'), "console.error('broken'); process.exitCode = 1")
})

afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

describe('check runner', () => {
  it('goes on after a failure and keeps what it printed', async () => {
    const seen: string[] = []
    const steps = ['bad', 'good'].map((name) => ({ name, program: `${name}.mjs`, args: [] }))
    const outcomes = await runSteps(root, steps, 1, (outcome) => seen.push(outcome.name))
    expect(outcomes.map(({ name, ok, output }) => ({ name, ok, output }))).toEqual([
      { name: 'bad', ok: false, output: 'broken\n' },
      { name: 'good', ok: true, output: 'fine\n' },
    ])
    expect(seen).toEqual(['bad', 'good'])
  })

  it('counts a program that does not exist as failed', async () => {
    const outcomes = await runSteps(root, [{ name: 'lost', program: 'lost.mjs', args: [] }], 2, () => undefined)
    expect(outcomes).toEqual([{ name: 'lost', ok: false, seconds: 0, output: 'lost.mjs does not exist\n' }])
  })

  it('names every check of the project once', () => {
    const names = CHECK_STEPS.map((step) => step.name)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(['format', 'lint', 'boundaries', 'unused', 'openapi']))
  })
})
