// Runs the linter with its type-aware rules and the compiler's diagnostics (both need every type: one reading does for
// both), and refuses a suppression that gives no reason. Knows no rule; they are data in build/oxlint.json (the dot file
// at the root only points there: the linter resolves folders against it).
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProgram, listFiles, repositoryRoot } from './script.ts'

const SOURCE = /[.](ts|tsx|mjs|cjs)$/
// Assembled, so that this file does not name a suppression itself.
const DIRECTIVE = new RegExp(`(?:oxlint|eslint)-${'disable'}(?:-next-line|-line)?(?<rest>[^\\n]*)`, 'g')
const SHORTEST_REASON = 8

/** A suppression without rule names or without `-- <reason>` on its own line. */
export interface BareSuppression {
  line: number
  problem: string
}

/** Finds the suppressions of one source text that name no rule or give no reason. */
export function findBareSuppressions(source: string): BareSuppression[] {
  const found: BareSuppression[] = []
  for (const match of source.matchAll(DIRECTIVE)) {
    const [rules = '', reason = ''] = (match.groups?.rest ?? '').replace(/[*]\/.*$/, '').split(' -- ')
    const line = source.slice(0, match.index).split('\n').length
    if (!/[a-z]/.test(rules)) found.push({ line, problem: 'names no rule' })
    else if (reason.trim().length < SHORTEST_REASON) found.push({ line, problem: 'gives no reason after " -- "' })
  }
  return found
}

function main(): number {
  const root = repositoryRoot()
  const lint = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'oxlint', 'bin', 'oxlint'),
      '--type-aware',
      '--type-check',
      ...process.argv.slice(2),
      '.',
    ],
    { cwd: root, stdio: 'inherit' },
  )
  let bare = 0
  const files = ['shared', 'main', 'electron', 'renderer', 'test', 'build'].flatMap((folder) => listFiles(root, folder))
  for (const file of files.filter((name) => SOURCE.test(name))) {
    for (const { line, problem } of findBareSuppressions(readFileSync(join(root, file), 'utf8'))) {
      console.error(`${file}:${line}: the suppression ${problem}`)
      bare += 1
    }
  }
  return lint.status === 0 && bare === 0 ? 0 : 1
}

if (isProgram(import.meta.url)) process.exitCode = main()
