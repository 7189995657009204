import { expect, it } from 'vitest'
import { stringProblems } from './check-strings.ts'

it('names texts without German and texts whose German has other parameters', () => {
  const english = { 'a.fine': '{n} of {m}', 'a.missing': 'Save', 'a.other': 'Delete {name}' }
  const german = { 'a.fine': '{m}, davon {n}', 'a.other': 'Löschen' }
  expect(stringProblems('a.ts', english, german)).toEqual([
    'a.ts: a.missing has no German: Save',
    'a.ts: a.other has other parameters in German:  for {name}',
  ])
})
