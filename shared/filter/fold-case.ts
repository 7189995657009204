// Unicode simple case folding (D-83): the same text on the host, in SQL and in the renderer.

const ascii = /^[\0-\x7f]*$/
const cache = new Map<string, string>()

/**
 * Folds every code point by its simple case folding; diacritics stay, and no text gets longer in code points.
 * @source Unicode Standard 3.13, rule toSimpleCasefold; D-83
 */
export function foldCase(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  let folded = ''
  for (const character of text) folded += character < '\x80' ? character.toLowerCase() : foldCodePoint(character)
  return folded
}

function foldCodePoint(character: string): string {
  let folded = cache.get(character)
  if (folded === undefined) {
    folded = foldOnce(character)
    cache.set(character, folded)
  }
  return folded
}

/** Dotless i has no simple folding although its capital is I; the same holds for the dotted capital. */
function foldOnce(character: string): string {
  if (character === '\u0131' || character === '\u0130') return character
  const upper = character.toUpperCase()
  const base = isOne(upper) ? upper : character
  const lower = base.toLowerCase()
  return isOne(lower) ? lower : character
}

function isOne(text: string): boolean {
  return text.length === (text.codePointAt(0)! > 0xffff ? 2 : 1)
}
