import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkPlugins, readPluginFolders } from './check-plugins.ts'
import { checkFiles } from './check-sizes.ts'
import { planMigration } from './new-migration.ts'
import { planPlugin } from './new-plugin.ts'
import { addImport, appendToList, camelCase, pascalCase, requireId, writeFiles } from './scaffold.ts'
import { listFiles, repositoryRoot } from './script.ts'

describe('scaffold edits', () => {
  it('derives names from a kebab-case id and refuses any other', () => {
    expect([camelCase('audit-log'), pascalCase('audit-log')]).toEqual(['auditLog', 'AuditLog'])
    expect(() => requireId('AuditLog', 'the id')).toThrow('kebab-case')
    expect(() => requireId(undefined, 'the id')).toThrow('kebab-case')
  })

  it('adds an import below the last one, also below one over many lines', () => {
    expect(addImport("import a from 'a'\nimport {\n  b,\n} from 'b'\nrest", 'import new')).toBe(
      "import a from 'a'\nimport {\n  b,\n} from 'b'\nimport new\nrest",
    )
    expect(addImport('// what it is\nrest', 'import new')).toBe('// what it is\nimport new\nrest')
  })

  it('appends to an empty list, to a list of one line and to one of many', () => {
    expect(appendToList('const all: T[] = []', 'all', 'b')).toBe('const all: T[] = [b]')
    expect(appendToList('const all: T[] = [a]', 'all', 'b')).toBe('const all: T[] = [a, b]')
    expect(appendToList('const all = [\n  a,\n]', 'all', 'b')).toBe('const all = [a, b]')
    expect(() => appendToList('const other = []', 'all', 'b')).toThrow('no array all')
  })
})

describe('generators', () => {
  const source = repositoryRoot()
  let root: string

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'cairn-scaffold-'))
    for (const path of ['main', 'shared', 'build', 'package.json', '.oxfmtrc.json']) {
      cpSync(join(source, path), join(root, path), { recursive: true })
    }
    symlinkSync(join(source, 'node_modules'), join(root, 'node_modules'), 'junction')
    writeFiles(root, planPlugin(root, 'zz-planted'))
    writeFiles(root, planMigration(root, 'zz-planted', 'entry'))
    writeFiles(root, planMigration(root, 'zz-planted', 'chain-head'))
  }, 60_000)

  afterAll(() => {
    rmSync(root, { recursive: true, force: true })
  })

  const generated = (): string[] => listFiles(root, 'main/plugins/zz-planted')

  it('make a plugin that the plugin check and the size check accept', () => {
    const problems = checkPlugins(readPluginFolders(root), readFileSync(join(root, 'main/host.ts'), 'utf8'))
    expect(
      problems.filter((problem) => problem.file.includes('zz-planted') || problem.problem.includes('zz-planted')),
    ).toEqual([])
    const sources = generated().filter((path) => path.endsWith('.ts'))
    expect(
      checkFiles(sources.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))).problems,
    ).toEqual([])
  })

  it('number migrations in order and list them', () => {
    expect(generated()).toContain('main/plugins/zz-planted/migrations/0002-chain-head.ts')
    const list = readFileSync(join(root, 'main/plugins/zz-planted/migrations/index.ts'), 'utf8')
    expect(list).toContain('zzPlantedMigrations: readonly Migration[] = [entry, chainHead]')
    const index = readFileSync(join(root, 'main/plugins/zz-planted/index.ts'), 'utf8')
    expect(index.match(/migrations: zzPlantedMigrations/g)).toHaveLength(1)
  })

  it('write files that are formatted and that the compiler accepts', () => {
    const oxfmt = join(source, 'node_modules/oxfmt/bin/oxfmt')
    const files = [...generated().filter((path) => path.endsWith('.ts')), 'main/host.ts']
    const format = spawnSync(process.execPath, [oxfmt, '--check', ...files], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(format.stdout).toContain('All matched files use the correct format.')
    writeFileSync(
      join(root, 'tsconfig.plant.json'),
      JSON.stringify({
        extends: './build/tsconfig.base.json',
        compilerOptions: {
          composite: false,
          emitDeclarationOnly: false,
          noEmit: true,
          lib: ['es2024'],
          types: ['node'],
        },
        include: ['main/plugins/zz-planted'],
      }),
    )
    const tsc = join(source, 'node_modules/typescript7/bin/tsc')
    const types = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.plant.json'], { cwd: root, encoding: 'utf8' })
    expect(types.stdout).toBe('')
  }, 120_000)

  it('refuse a plugin that exists and a migration of one that does not', () => {
    expect(() => planPlugin(root, 'zz-planted')).toThrow('exists')
    expect(() => planMigration(root, 'nowhere', 'entry')).toThrow('no plugin nowhere')
  })
})
