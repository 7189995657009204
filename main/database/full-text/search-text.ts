// Turns text into what is indexed and searched: the same folding on both sides, so that case, diacritics and width do
// not matter, and scripts without word spaces become one token per character. Pure.
import { withoutCrowds } from '#shared/normal-form.ts'

const beyondAscii = /[^\x00-\x7f]/
/** Marks that are dropped: accents, Hebrew points, Arabic vowels, variation selectors. Kana and Thai marks stay. */
const diacritics = /[[\p{Mn}&&[\p{Script=Inherited}\p{Script=Hebrew}]]--\p{scx=Katakana}]/gv
/** Letters that are a plain letter with a stroke or without a dot; Unicode does not take them apart. */
const strokes: Readonly<Record<string, string>> = {
  ø: 'o',
  đ: 'd',
  ħ: 'h',
  ł: 'l',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
}
const unspaced =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]'
/** A character that is a word of its own. */
const single = new RegExp(`[[[${unspaced}&&[\\p{L}\\p{N}\\p{M}]]\\p{Extended_Pictographic}]--[\\x00-\\x7f]]`, 'v')
const singles = new RegExp(single.source, 'gv')
/** What separates words: everything but letters, digits, marks and the characters above. */
const separators = /[[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]--[\x00-\x7f]]/gv

/**
 * Folds text for the index. ASCII separators stay: the index's tokenizer splits at them and folds ASCII case.
 * Plain ASCII text, by far the most common, is answered as it is.
 */
export function searchText(text: string): string {
  if (!beyondAscii.test(text)) return text
  return withoutCrowds(text)
    .normalize('NFKD')
    .replace(diacritics, '')
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replace(/[øđħłŧıςæœ]/g, (letter) => strokes[letter]!)
    .replace(separators, ' ')
    .replace(singles, ' $& ')
}

/** The tokens of a text as the index's tokenizer makes them. */
export function searchTokens(text: string): string[] {
  return searchText(text)
    .toLowerCase()
    .split(/[\x00-\x2f\x3a-\x60\x7b-\x7f]+/)
    .filter((token) => token !== '')
}

/** Whether a token is one character of a script without word spaces, or a pictograph. */
export function isSingleCharacter(token: string): boolean {
  return single.test(token)
}

/**
 * The text of a document of which only documents with the same mark are ever looked for together: every word carries the
 * mark, so that a search touches the words of that mark alone, however large the index is.
 * @param mark lower-case letters and digits, all marks of one index equally long
 */
export function markedText(text: string, mark: string): string {
  return searchTokens(text)
    .map((token) => mark + token)
    .join(' ')
}
