import { describe, expect, it } from 'vitest'
import { BOUNDARY_PLANTS, WORD_PLANTS } from './boundary-plants.ts'
import { cruiseWithPlants, describeViolation, findSilentWordRules, ruleFixes, ruleNames } from './check-boundaries.ts'
import { repositoryRoot } from './script.ts'
import { wordRules } from './word-rules.ts'
import { onlyInLongRun } from '../../test/support/test-size.ts'

const root = repositoryRoot()

describe('boundaries check', () => {
  // That every rule fires on its plant, and that modules are read at all, is part of each `npm run check`.
  it('has a planted violation for every rule', () => {
    expect(BOUNDARY_PLANTS.map((plant) => plant.rule).toSorted()).toEqual(ruleNames(root).toSorted())
    expect(Object.keys(WORD_PLANTS).toSorted()).toEqual(Object.keys(wordRules).toSorted())
  })

  it('names a rule that has no plant, and one whose plant breaks nothing', async (test) => {
    onlyInLongRun(test)
    const harmless = { rule: 'no-cycle', file: 'main/kernel/zz-plant-harmless.ts', source: 'export const value = 1\n' }
    const { silent } = await cruiseWithPlants(root, ['no-cycle', 'no-orphan'], [harmless])
    expect(silent).toEqual([
      'no-cycle: silent on its planted violation main/kernel/zz-plant-harmless.ts',
      'no-orphan: no planted violation in build/scripts/boundary-plants.ts',
    ])
  }, 60_000)

  it('names a rule on words whose plant breaks nothing', () => {
    // Without the migration of settings, nobody owns the table that the plant names.
    expect(findSilentWordRules([{ path: 'main/plugins/auth/service.ts', text: "type: 'auth.signed_in'" }])).toEqual([
      'own-tables-only: silent on its planted violation main/plugins/zz-plant/store.ts',
    ])
  })

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
