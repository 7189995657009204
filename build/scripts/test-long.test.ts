// Which test files a long run takes: made-up repositories, and this one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { filesInTurns } from '../../test/support/long-run.ts'
import { repositoryRoot } from './script.ts'
import { filesOfLongRun, namesFiles } from './test-long.ts'

/** The long run of a repository of these files, or that of a release. */
function longRunOf(files: Record<string, string>, run?: 'release'): string[] {
  const root = mkdtempSync(join(tmpdir(), 'cairn-long-'))
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    return filesOfLongRun(root, run)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const sizes = {
  'test/support/test-size.ts': "import { isRelease } from './release-size.ts'\n",
  'test/support/release-size.ts': 'export const isRelease = false\n',
}

it('takes tests that have two sizes themselves, by their helpers, and by helpers that import each other', () => {
  expect(
    longRunOf({
      ...sizes,
      'main/a.test.ts': "import { sized } from '../test/support/test-size.ts'\n",
      'test/support/rounds.ts': "import {\n  sized,\n} from './test-size.ts'\n",
      'test/api/b.test.ts': "import { rounds } from '../support/rounds.ts'\n",
      'test/api/c.test.tsx': "const { rounds } = await import('../support/rounds.ts')\n",
      'test/support/one.ts': "import './two.ts'\n",
      'test/support/two.ts': "import './one.ts'\nimport './rounds.ts'\n",
      'test/sync/d.test.ts': "import '../support/one.ts'\n",
      'test/sync/e.test.ts': "import '../support/two.ts'\n",
    }),
  ).toEqual([
    'main/a.test.ts',
    'test/api/b.test.ts',
    'test/api/c.test.tsx',
    'test/sync/d.test.ts',
    'test/sync/e.test.ts',
  ])
})

it('takes tests for a long run alone, and leaves those that show the same at a commit', () => {
  const alike = "import { expect } from 'vitest'\n"
  const files = { 'main/a.test.ts': alike, 'main/b.long.test.ts': alike, 'main/relay/relay-kill.test.ts': alike }
  expect(longRunOf({ ...sizes, ...files })).toEqual(['main/b.long.test.ts', 'main/relay/relay-kill.test.ts'])
})

it('takes what only a release has another size of in that run alone', () => {
  const files = {
    ...sizes,
    'main/a.test.ts': "import { isRelease } from '../test/support/release-size.ts'\n",
    'main/b.test.ts': "import { sized } from '../test/support/test-size.ts'\n",
  }
  expect(longRunOf(files)).toEqual(['main/b.test.ts'])
  expect(longRunOf(files, 'release')).toEqual(['main/a.test.ts', 'main/b.test.ts'])
})

it('takes the safety checks, processes and screens of this repository, and not its small units', () => {
  const files = filesOfLongRun(repositoryRoot())
  for (const file of ['test/safety/leak.test.ts', 'test/sync/processes.test.ts', 'test/e2e/screens.test.ts'])
    expect(files).toContain(file)
  expect(files).not.toContain('shared/merge-patch.test.ts')
})

it('takes the longest files by turns of the day, and all of them before a release', () => {
  const isTaken = new Set(filesOfLongRun(repositoryRoot()))
  expect(filesInTurns.filter((file) => isTaken.has(file))).toHaveLength(filesInTurns.length / 2)
  expect(filesOfLongRun(repositoryRoot(), 'release')).toEqual(expect.arrayContaining([...filesInTurns]))
})

it('lets names of files, and parts of them, take the place of the list, and nothing else', () => {
  for (const given of [['hub'], ['main/hub', '-t', 'kills'], ['-t', 'kills', 'main/hub/bytes.test.ts']])
    expect(namesFiles(given)).toBe(true)
  for (const given of [[], ['-t', 'hub'], ['--shard=1/4'], ['--project', 'api']]) expect(namesFiles(given)).toBe(false)
})
