import { describe, expect, it } from 'vitest'
import { stringProblems, useProblems } from './check-strings.ts'

describe('texts', () => {
  it('are named when they have no German, or German with other parameters', () => {
    const english = { 'a.fine': '{n} of {m}', 'a.missing': 'Save', 'a.other': 'Delete {name}' }
    const german = { 'a.fine': '{m}, davon {n}', 'a.other': 'Löschen' }
    expect(stringProblems('a.ts', english, german)).toEqual([
      'a.ts: a.missing has no German: Save',
      'a.ts: a.other has other parameters in German:  for {name}',
    ])
  })

  it('are named when a screen shows them without looking them up', () => {
    const shown = (source: string) => useProblems({}, [{ path: 'renderer/a.tsx', source }])
    expect(shown('const a = <p>Save all</p>')).toEqual([
      'renderer/a.tsx:1 shows a text that is not looked up: Save all',
    ])
    expect(shown('const a =\n <Button aria-label="Save">+</Button>')[0]).toContain('a.tsx:2')
    expect(shown('const a = <Button title={`Save ${name}`}>+</Button>')).toHaveLength(1)
    expect(shown("const a = { label: 'Save all', value: 'Save all' }")).toHaveLength(1)
    expect(shown("const a = <p className='a'>{t('a.b')}: 12 · {name}</p>")).toEqual([])
  })

  it('are named when nothing asks for them', () => {
    const english = { 'a.used': 'A', 'a.many.one': 'B', 'a.many.other': 'C', 'b.x.set': 'D', 'c.left': 'E' }
    const source = "t('a.used'); tn('a.many', 2); t(`b.x.${part}`)"
    expect(useProblems(english, [{ path: 'renderer/a.ts', source }])).toEqual(['c.left is asked for by no screen: E'])
  })
})
