// The merge of customizations against what it promises, over trees nobody thought of (D-133).
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyMergePatch, isSameJson, mergePatchBetween } from '#shared/merge-patch.ts'
import { sized } from '../../../../test/support/test-size.ts'
import { mergeThreeWay } from './three-way.ts'

type Tree = { [key: string]: string | number | readonly number[] | Tree }

const key = fc.constantFrom('a', 'b', 'c')
const leaf = fc.oneof(fc.constantFrom('x', 'y', 1, 2), fc.array(fc.constantFrom(1, 2), { maxLength: 2 }))
const { tree } = fc.letrec<{ tree: Tree; value: Tree[string] }>((tie) => ({
  tree: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  value: fc.oneof({ maxDepth: 2 }, leaf, tie('tree')),
}))

const numRuns = sized(300, 10_000)
const merge = (base: Tree, custom: Tree, incoming: Tree, strategy: Parameters<typeof mergeThreeWay>[0]['strategy']) => {
  const patch = mergePatchBetween(base, custom)
  const merged = mergeThreeWay({ base, incoming, patch, strategy, fieldUids: {} })
  return { ...merged, result: applyMergePatch(incoming, merged.patch) }
}

const leavesOf = (value: unknown, path = ''): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, member]) => leavesOf(member, `${path}/${name}`))
    : [[path, value]]

describe('a three-way merge', () => {
  it('is the new version where nobody changed anything, and the customization where the package did not', () => {
    fc.assert(
      fc.property(tree, tree, (base, other) => {
        expect(merge(base, base, other, 'three-way-merge')).toMatchObject({ result: other, conflicts: [], patch: {} })
        const kept = merge(base, other, base, 'three-way-merge')
        expect(isSameJson(kept.result, applyMergePatch(base, mergePatchBetween(base, other)))).toBe(true)
        expect(kept.conflicts).toEqual([])
      }),
      { numRuns },
    )
  })

  it('leaves nothing of what both changed alike', () => {
    fc.assert(
      fc.property(tree, tree, (base, other) => {
        const { result, conflicts } = merge(base, other, other, 'three-way-merge')
        expect(conflicts).toEqual([])
        expect(isSameJson(result, other)).toBe(true)
      }),
      { numRuns },
    )
  })

  it('loses no value that people set, and reports each that the package set differently', () => {
    fc.assert(
      fc.property(tree, tree, tree, (base, custom, incoming) => {
        const { result, conflicts } = merge(base, custom, incoming, 'three-way-merge')
        const before = new Map(leavesOf(base))
        const after = new Map(leavesOf(result))
        const next = new Map(leavesOf(incoming))
        const told = conflicts.map(({ path }) => path)
        for (const [path, value] of leavesOf(custom)) {
          if (path === '' || isSameJson(before.get(path), value)) continue
          expect(isSameJson(after.get(path), value), path).toBe(true)
          const isTheirs =
            next.has(path) && !isSameJson(next.get(path), value) && !isSameJson(next.get(path), before.get(path))
          if (isTheirs)
            expect(
              told.some((one) => path === one || path.startsWith(`${one}/`)),
              path,
            ).toBe(true)
        }
      }),
      { numRuns },
    )
  })

  it('takes the new version where it is to win', () => {
    fc.assert(
      fc.property(tree, tree, tree, (base, custom, incoming) => {
        const { result, conflicts } = merge(base, custom, incoming, 'accept-incoming')
        for (const { path, incomingValue } of conflicts) {
          const at = path.split('/').slice(1)
          const value = at.reduce<unknown>((one, name) => (one as Record<string, unknown> | undefined)?.[name], result)
          expect(isSameJson(value, incomingValue)).toBe(true)
        }
      }),
      { numRuns },
    )
  })
})
