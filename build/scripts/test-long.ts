// `npm run test:long`, an hour, and `npm run test:release`, as long as it takes: run every test file whose size they change
// at that size; of the longest of these the long run takes every other one, by turns of the day. The others have nothing to
// add to what `npm test` shows. What is given after `--` goes to vitest; names of files, or parts of them, before any flag
// take the place of the list.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { filesInTurns, longFiles, longTests } from '../../test/support/long-run.ts'
import { isOnTurn } from '../../test/support/test-size.ts'
import { isProgram, listFiles, repositoryRoot } from './script.ts'

const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file)
const folders = ['shared', 'main', 'build', 'electron', 'renderer', 'test']
/** What says how much a run takes: whoever imports it, at whatever distance, has another size in that run. */
const sizes = { long: 'test/support/test-size.ts', release: 'test/support/release-size.ts' }

/** Paths, from the root, of the modules that a file imports from this repository. */
function importsOf(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return Array.from(text.matchAll(/\b(?:from|import)\s*\(?\s*'([.#][^']+)'/g), ([, path = '']) =>
    path.startsWith('#') ? path.slice(1) : posix.join(posix.dirname(file), path),
  ).filter((path) => existsSync(join(root, path)))
}

/** The test files that a long run, or that of a release, takes otherwise than `npm test`, as sorted paths from the root. */
export function filesOfLongRun(root: string, run: keyof typeof sizes = 'long'): string[] {
  const files = folders.flatMap((folder) => listFiles(root, folder)).filter((file) => /\.tsx?$/.test(file))
  const importers = new Map<string, string[]>()
  for (const file of files)
    for (const path of importsOf(root, file)) importers.set(path, [...(importers.get(path) ?? []), file])
  const sized = new Set([sizes[run]])
  // A set grows while it is walked.
  for (const file of sized) for (const importer of importers.get(file) ?? []) sized.add(importer)
  const listed = new Set([...longFiles, ...Object.keys(longTests)])
  const rests = new Set(run === 'release' ? [] : filesInTurns.filter((_, at) => !isOnTurn(at, 2)))
  return files.filter(
    (file) => isTest(file) && !rests.has(file) && (file.includes('.long.test.') || listed.has(file) || sized.has(file)),
  )
}

/** Whether arguments begin with names of files, or with parts of them. What follows a flag may be its value. */
export function namesFiles(given: readonly string[]): boolean {
  return given.some(isTest) || given[0]?.startsWith('-') === false
}

if (isProgram(import.meta.url)) {
  const root = repositoryRoot()
  const given = process.argv.slice(2)
  const isRelease = given.includes('--release')
  const rest = given.filter((one) => one !== '--release')
  const files = namesFiles(rest) ? [] : filesOfLongRun(root, isRelease ? 'release' : 'long')
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const flags = ['run', '--config', 'build/vitest.config.ts', '--mode', isRelease ? 'release' : 'long']
  const { status } = spawnSync(process.execPath, [vitest, ...flags, ...rest, ...files], {
    cwd: root,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
}
