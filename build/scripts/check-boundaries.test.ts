import { describe, expect, it } from 'vitest'
import { BOUNDARY_PLANTS } from './boundary-plants.ts'
import { cruiseSources, describeViolation, findSilentRules, ruleFixes, ruleNames } from './check-boundaries.ts'
import { repositoryRoot } from './script.ts'

const root = repositoryRoot()

describe('boundaries check', () => {
  it('reads modules of every source folder', async () => {
    const report = await cruiseSources(root)
    expect(report.modules).toBeGreaterThan(50)
    expect(report.dependencies).toBeGreaterThan(50)
  }, 60_000)

  it('has a planted violation for every rule, and every rule fires on it', async () => {
    expect(BOUNDARY_PLANTS.map((plant) => plant.rule).toSorted()).toEqual(ruleNames(root).toSorted())
    expect(await findSilentRules(root, ruleNames(root), BOUNDARY_PLANTS)).toEqual([])
  }, 60_000)

  it('names a rule that has no plant, and one whose plant breaks nothing', async () => {
    const harmless = { rule: 'no-cycle', file: 'main/kernel/zz-plant-harmless.ts', source: 'export const value = 1\n' }
    const silent = await findSilentRules(root, ['no-cycle', 'no-orphan'], [harmless])
    expect(silent).toEqual([
      'no-cycle: silent on its planted violation main/kernel/zz-plant-harmless.ts',
      'no-orphan: no planted violation in build/scripts/boundary-plants.ts',
    ])
  }, 60_000)

  it('prints the rule and the fix of a violation', () => {
    const text = describeViolation(
      {
        type: 'dependency',
        from: 'shared/a.ts',
        to: 'fs',
        unresolvedTo: 'node:fs',
        rule: { name: 'shared-imports-pure-packages-only', severity: 'error' },
      },
      ruleFixes(root),
    )
    expect(text).toMatch(/^shared-imports-pure-packages-only: shared\/a\.ts -> fs\n {4}fix: shared\/ is isomorphic/)
  })
})
