import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSearch } from './search-query.ts'
import { markedText, searchText, searchTokens } from './search-text.ts'

describe('searchTokens', () => {
  it.each([
    ['Crème brûlée', ['creme', 'brulee']],
    ['STRASSE Straße', ['strasse', 'strasse']],
    ['ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['Łódź Ærø İzmir ılık', ['lodz', 'aero', 'izmir', 'ilik']],
    ['ﬁle Ｆｕｌｌ ｗｉｄｔｈ', ['file', 'full', 'width']],
    ['anna@example.com, +49-170', ['anna', 'example', 'com', '49', '170']],
    ['東京タワー', ['東', '京', 'タ', 'ワ', 'ー']],
    ['ｶﾞｷﾞ がぎ', ['ガ', 'ギ', 'が', 'ぎ']],
    ['한국어 문서', ['한', '국', '어', '문', '서']],
    ['iPhone手机pro', ['iphone', '手', '机', 'pro']],
    ['ที่นี่', ['ท', 'ี', '่', 'น', 'ี', '่']],
    ['done 🎉🎉 ok', ['done', '🎉', '🎉', 'ok']],
    ['“quoted” — dash…', ['quoted', 'dash']],
    ['«» ¿? ', []],
  ])('folds %s', (text, tokens) => {
    expect(searchTokens(text)).toEqual(tokens)
  })

  it('answers the same for a text and its folded form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(searchTokens(searchText(text))).toEqual(searchTokens(text))
      }),
    )
  })
})

describe('parseSearch', () => {
  it.each([
    ['', null],
    [' \t\n', null],
    ['plan', { match: '"plan"*', exclude: null }],
    ['Big plan', { match: '"big"* AND "plan"*', exclude: null }],
    ['"Big plan"', { match: '"big plan"', exclude: null }],
    ['"Big plan', { match: '"big"* AND "plan"*', exclude: null }],
    ['e-mail', { match: '"e mail"*', exclude: null }],
    ['plan -draft', { match: '("plan"*) NOT ("draft"*)', exclude: null }],
    ['plan -"old draft" -x', { match: '("plan"*) NOT ("old draft" OR "x"*)', exclude: null }],
    ['-draft', { match: null, exclude: '"draft"*' }],
    ['Tom & Jerry', { match: '"tom"* AND "jerry"*', exclude: null }],
    ['+++ - --', { match: null, exclude: null }],
    ['東京', { match: '"東 京"', exclude: null }],
    ['東京x', { match: '"東 京 x"*', exclude: null }],
    ['a OR b NEAR(c) {d}:e*', { match: '"a"* AND "or"* AND "b"* AND "near c"* AND "d e"*', exclude: null }],
  ])('reads %s', (text, query) => {
    expect(parseSearch(text)).toEqual(query)
  })

  it('marks every word on both sides', () => {
    expect(parseSearch('Big "old plan" -京x', 'and', 'k1')).toEqual({
      match: '("k1big"* AND "k1old k1plan") NOT ("k1京 k1x"*)',
      exclude: null,
    })
    expect(markedText('Big, old 京x!', 'k1')).toBe('k1big k1old k1京 k1x')
  })

  it('refuses more than 64 terms', () => {
    expect(() => parseSearch('a '.repeat(64))).not.toThrow()
    expect(() => parseSearch('a '.repeat(65))).toThrow('The query is malformed.')
  })
})
