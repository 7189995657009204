import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync, cpSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findBareSuppressions } from './check-lint.ts'
import { repositoryRoot } from './script.ts'

// Assembled, so that this file holds no suppression of its own.
const word = ['oxlint', 'disable'].join('-')

describe('suppressions', () => {
  it('accepts a rule with a reason', () => {
    expect(findBareSuppressions(`// ${word}-next-line no-control-regex -- the whole range is meant\n`)).toEqual([])
  })

  it('refuses one without a reason, without a rule, or with too short a reason', () => {
    const source = `a\n// ${word}-next-line no-eval\n/* ${word} */\n// ${word}-line no-eval -- ok\n`
    expect(findBareSuppressions(source)).toEqual([
      { line: 2, problem: 'gives no reason after " -- "' },
      { line: 3, problem: 'names no rule' },
      { line: 4, problem: 'gives no reason after " -- "' },
    ])
  })
})

describe('lint rules', () => {
  it('fire on their planted violations, type-aware ones included', () => {
    const root = repositoryRoot()
    const copy = mkdtempSync(join(tmpdir(), 'cairn-lint-'))
    try {
      for (const path of [
        'package.json',
        '.oxlintrc.json',
        'build/oxlint.json',
        'build/tsconfig.base.json',
        'main/tsconfig.json',
        'shared/tsconfig.json',
      ]) {
        mkdirSync(join(copy, path, '..'), { recursive: true })
        cpSync(join(root, path), join(copy, path))
      }
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
      mkdirSync(join(copy, 'main/plugins/plant'), { recursive: true })
      writeFileSync(
        join(copy, 'main/plugins/plant/service.ts'),
        [
          "import { Readable } from 'node:stream'",
          'export async function work(stream?: Readable): Promise<number> {',
          '  return stream ? 0 : Date.now()',
          '}',
          'export function start(loose: any, unused: string): void {',
          '  work()',
          '  if (loose == 1) throw new Error(String(fetch))',
          '}',
          'export default start',
          "export const count: number = 'none'",
          '',
        ].join('\n'),
      )
      const run = spawnSync(
        process.execPath,
        [join(root, 'node_modules/oxlint/bin/oxlint'), '--type-aware', '--type-check', '-f', 'unix', 'main'],
        { cwd: copy, encoding: 'utf8' },
      )
      const fired = [...run.stdout.matchAll(/\[Error\/[a-z-]+\(([a-zA-Z0-9-]+)\)\]/g)].map((match) => match[1])
      expect(new Set(fired)).toEqual(
        new Set([
          'TS2322',
          'consistent-type-imports',
          'eqeqeq',
          'no-default-export',
          'no-explicit-any',
          'no-floating-promises',
          'no-restricted-globals',
          'no-restricted-properties',
          'no-unused-vars',
        ]),
      )
      expect(run.status).toBe(1)
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  }, 30_000)
})
