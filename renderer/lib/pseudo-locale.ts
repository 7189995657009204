// Owns the words of the pseudo-locales: English with accents, two fifths longer, in brackets. What is not in them on a
// screen was never looked up; what they break has no room for another language. Pure.

const accents: Readonly<Record<string, string>> = Object.fromEntries(
  [...'aábƀcćdďeéfƒgǧhĥiíjĵkķlļmḿnńoópṕqɋrŕsśtťuúvṽwŵxẋyýzž', ...'AÁBƁCĆDĎEÉFƑGǦHĤIÍJĴKĶLĻMḾNŃOÓPṔQɊRŔSŚTŤUÚVṼWŴXẊYÝZŽ']
    .join('')
    .match(/../gu)!
    .map(([plain, accented]) => [plain!, accented!]),
)

/** The text in the pseudo-locale; parameters in braces stay as they are. */
export function pseudoText(text: string): string {
  if (text === '') return ''
  const words = text.replace(/\{[^}]*\}|[a-zA-Z]/g, (part) => accents[part] ?? part)
  // In pieces no longer than words are: what is longer than a line has somewhere to break, as it has in a language.
  const padding = '~'.repeat(Math.ceil(text.length * 0.4)).replace(/~{8}(?=~)/g, '$& ')
  return `[${words}${padding}]`
}
