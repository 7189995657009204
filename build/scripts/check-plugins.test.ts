import { describe, expect, it } from 'vitest'
import { checkPlugins } from './check-plugins.ts'
import type { PluginFile } from './plugin-sources.ts'

const host =
  "import { tasksPlugin } from '#main/plugins/tasks/index.ts'\nimport { dataPlugin } from '#main/plugins/data/index.ts'\n"

/** A pair of plugins without a problem; `changes` replaces or adds files of `tasks` (undefined removes one). */
function problemsOf(changes: Readonly<Record<string, string | undefined>> = {}, hostSource = host): string[] {
  const tasks: Record<string, string | undefined> = {
    'index.ts': "export const tasksPlugin = definePlugin({ id: 'tasks', requires: ['data'], optional: [] })\n",
    'README.md': '# tasks\n',
    'store.ts': "export const list = 'SELECT id FROM tasks_entry'\n",
    'migrations/index.ts': "import { entry } from './0001-entry.ts'\n",
    'migrations/0001-entry.ts': "export const entry = { number: 1, sql: 'CREATE TABLE tasks_entry (id TEXT)' }\n",
    ...changes,
  }
  const files = Object.entries(tasks).flatMap(([path, text]): PluginFile[] =>
    text === undefined ? [] : [{ path, text }],
  )
  const data = [
    { path: 'index.ts', text: "definePlugin({ id: 'data', requires: [] })" },
    { path: 'README.md', text: '# data' },
  ]
  const plugins = new Map<string, readonly PluginFile[]>([
    ['tasks', files],
    ['data', data],
  ])
  return checkPlugins(plugins, hostSource).map(({ file, problem }) => `${file}: ${problem}`)
}

describe('plugins check', () => {
  it('accepts a plugin of the right shape', () => {
    expect(problemsOf()).toEqual([])
  })

  it.each([
    ['a file outside the vocabulary', { 'thing.ts': 'x' }, 'thing.ts: is not in the file vocabulary'],
    ['a folder that is no registry', { 'stuff/a.ts': 'x' }, 'the folder stuff/ is neither'],
    ['a folder within a folder', { 'migrations/deep/a.ts': 'x' }, 'only service/ has folders'],
    ['a folder within a group', { 'service/rules/deep/a.ts': 'x' }, 'only service/ has folders'],
    ['a name that is not kebab-case', { 'nodes/FooBar.ts': 'x' }, 'is not kebab-case'],
    ['an empty file', { 'jobs.ts': ' \n' }, 'is empty'],
    ['a missing README', { 'README.md': undefined }, 'has no README.md'],
    ['a README of another plugin', { 'README.md': '# copy\n' }, 'does not start with "# tasks"'],
    ['an index without a plugin', { 'index.ts': 'export const a = 1' }, 'declares no plugin'],
    ['a gap in the migrations', { 'migrations/0003-x.ts': 'number: 3' }, 'breaks the numbering: expected 2'],
    [
      'a migration that the list leaves out',
      { 'migrations/0002-x.ts': 'number: 2' },
      'does not list migrations/0002-x.ts',
    ],
    ['a number that differs from its file', { 'migrations/0001-entry.ts': 'number: 2' }, 'declares number 2'],
    [
      'a table without the prefix',
      { 'migrations/0001-entry.ts': "number: 1, sql: 'create virtual table if not exists entry using fts5'" },
      'creates the table entry',
    ],
    ['a service that requires does not name', { 'jobs.ts': "host.service('mail')" }, "asks host.service('mail')"],
    ['an optional service that is not named', { 'jobs.ts': "host.optionalService('mail')" }, 'naming it in optional'],
    [
      'the type of a plugin that is not named',
      { 'service.ts': "import type { Mail } from '../mail/api.ts'" },
      'imports the api.ts of mail',
    ],
    [
      'a required plugin that does not exist',
      { 'index.ts': "definePlugin({ id: 'tasks', requires: ['nowhere'] })" },
      'requires nowhere, which is not a plugin',
    ],
    ['an id that is not the folder', { 'index.ts': "definePlugin({ id: 'task' })" }, 'declares the id task'],
  ])('refuses %s', (_, changes, expected) => {
    const problems = problemsOf(changes)
    expect(problems.join('\n')).toContain(expected)
  })

  it('refuses a circle of required plugins', () => {
    const plugins = new Map([
      ['a', [{ path: 'index.ts', text: "definePlugin({ id: 'a', requires: ['b'] })" }]],
      ['b', [{ path: 'index.ts', text: "definePlugin({ id: 'b', requires: ['a'] })" }]],
    ])
    const problems = checkPlugins(plugins, undefined).map(({ problem }) => problem)
    expect(problems).toContain('requires itself in a circle: a -> b -> a')
  })

  it('refuses a plugin that host.ts does not name', () => {
    expect(problemsOf({}, "'#main/plugins/data/index.ts'")).toEqual(['main/host.ts: does not name the plugin tasks'])
  })

  it('does not read tables out of comments', () => {
    expect(problemsOf({ 'migrations/0001-entry.ts': 'number: 1, // CREATE TABLE entry\n' })).toEqual([])
  })
})
