import { expect, it } from 'vitest'
import { isSlug, slugFromName } from './slug.ts'

it('makes a short name of a name', () => {
  expect(slugFromName('Müller & Sons')).toBe('muller-sons')
  expect(slugFromName('  ACME  ')).toBe('acme')
  expect(slugFromName('日本')).toBe('')
})

it('knows short names', () => {
  expect(['acme', 'acme-2', '2'].filter(isSlug)).toHaveLength(3)
  expect(['', '-a', 'Acme', 'a b', 'a/b', 'a'.repeat(101)].filter(isSlug)).toEqual([])
})
