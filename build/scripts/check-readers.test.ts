import { beforeAll, describe, expect, it } from 'vitest'
import type { SourceText } from './check-readers.ts'
import { readSources, unreadNames } from './check-readers.ts'
import { declaredNames } from '../../test/support/declared-names.ts'
import type { DeclaredName, NameKind } from '../../test/support/declared-names.ts'
import { repositoryRoot } from './script.ts'

const named = (kind: NameKind, name = 'planted'): DeclaredName => ({ kind, name, path: `somewhere.${name}` })
const problem = (kind: NameKind): string => `${kind} somewhere.planted: nothing reads it`
const unread = (kind: NameKind, path: string, text: string): string[] =>
  unreadNames([named(kind)], [{ path, text }], {})

describe('readers check', () => {
  it.each<[NameKind, string]>([
    ['workspace option', "settings.get('planted')"],
    ['setting', 'const { planted } = config'],
    ['object flag', 'schema.enable.planted'],
    ['metadata key', "itemOf('somewhere').planted ?? 0"],
    ['permission', "requireSystemPermission(authorizer, ctx, 'planted')"],
    ['error', "throw platformError('planted')"],
    ['field error', "code: 'planted'"],
  ])('refuses a planted %s, and accepts it with a reader', (kind, reader) => {
    const path = 'main/plugins/data/service.ts'
    expect(unread(kind, path, 'planted: z.string(), const schema = { planted: 1 }')[0]).toContain(problem(kind))
    expect(unread(kind, path, reader)).toEqual([])
  })

  it.each<[string, NameKind, string, string]>([
    ['a contract', 'workspace option', 'shared/contracts/settings.ts', "'planted'"],
    ['the codes a contract lists', 'error', 'shared/contracts/data.ts', "errors: ['planted']"],
    ['a screen', 'permission', 'renderer/features/access/right-screen.tsx', "'planted'"],
    ['the check of a definition', 'metadata key', 'shared/object-definition/check-field.ts', 'field.planted'],
    ['whoever acts on other definitions', 'metadata key', 'main/plugins/mcp/service/call-tool.ts', 'other.planted'],
    ['the editor of a definition', 'metadata key', 'renderer/features/objects/field-settings.ts', "'planted'"],
  ])('does not take %s for a reader', (_, kind, path, text) => {
    expect(unread(kind, path, text)[0]).toContain(problem(kind))
  })

  it('takes the permission a contract asks for as read', () => {
    expect(unread('permission', 'shared/contracts/data.ts', "permission: { system: 'planted' }")).toEqual([])
  })

  it('lets a kept name pass, alone or below a path, and refuses one that is kept without need', () => {
    const declared = [named('metadata key')]
    for (const entry of ['metadata key somewhere.planted', 'metadata key somewhere.*'])
      expect(unreadNames(declared, [], { [entry]: 'a reason' })).toEqual([])
    const read = [{ path: 'main/host.ts', text: "itemOf('somewhere').planted" }]
    const kept = { 'metadata key somewhere.planted': 'a reason', 'error gone_for_long': 'a reason' }
    expect(unreadNames(declared, read, kept)).toEqual(
      Object.keys(kept).map((key) => expect.stringContaining(`${key}: is kept without need`) as string),
    )
  })
})

describe('the program', () => {
  let sources: SourceText[]
  beforeAll(() => {
    sources = readSources(repositoryRoot())
  })

  it('bites where a declared name loses its only reader', () => {
    const readers = /\/trash(-retention|-screen)?[.]tsx?$/
    const without = sources.filter(({ path }) => !readers.test(path))
    const declared = declaredNames().filter(({ name }) => name === 'trashRetentionDays')
    expect(unreadNames(declared, sources, {})).toEqual([])
    expect(unreadNames(declared, without, {})).toEqual([
      expect.stringContaining('workspace option trashRetentionDays: nothing reads it'),
      expect.stringContaining('metadata key object.trashRetentionDays: nothing reads it'),
    ])
  })

  it('finds what is declared in every place', () => {
    const kinds = new Set(declaredNames().map(({ kind }) => kind))
    expect(kinds.size).toBe(7)
    const paths = declaredNames().map(({ path }) => path)
    for (const path of ['auth.session.expiresIn', 'host.listen.port', 'object.enable.trash', 'field.deleteBehavior'])
      expect(paths).toContain(path)
  })
})
