// A remark without the marks of Markdown, for notices that are shown as plain text. Pure; knows no length but its own bound.

/** Longer texts are cut before they are read: notices quote beginnings only. */
const maxChars = 2_000

const mention = /@\[([^\]\n]{1,200})\]\([^)\s]{1,220}\)/g
const image = /!\[([^\]\n]*)\]\([^)\n]*\)/g
const link = /\[([^\]\n]+)\]\([^)\n]*\)/g
const address = /<((?:https?:|mailto:)[^\s<>]+)>/g
const code = /(`+)([^`\n]+)\1/g
const escaped = /\\([\\`*_{}[\]()#+\-.!~>|])/g
const strong = /(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g
const starred = /\*(?=[^\s*])([^*\n]*[^\s*])\*/g
const underlined = /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu

/** What a person would read aloud of a text. */
export function plainWords(markdown: string): string {
  // What stands in code or behind a backslash is no mark; it waits in a place of its own until the marks are gone.
  const kept: string[] = []
  const keep = (text: string): string => `\uE000${kept.push(text) - 1}\uE001`
  const text = markdown
    .slice(0, maxChars)
    .replaceAll(/[\uE000\uE001]/g, '')
    .split('\n')
    .filter((line) => !/^ {0,3}(?:`{3,}|~{3,})/.test(line) && !/^ {0,3}(?:[-*_] *){3,}$/.test(line))
    .map(plainLine)
    .join('\n')
    .replaceAll(code, (_, _marks, words: string) => keep(words.trim()))
    .replaceAll(escaped, (_, sign: string) => keep(sign))
    .replaceAll(mention, '@$1')
    .replaceAll(image, '$1')
    .replaceAll(link, '$1')
    .replaceAll(address, '$1')
  return withoutEmphasis(text)
    .replaceAll(/\uE000(\d+)\uE001/g, (_, at: string) => kept[Number(at)] ?? '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** Without the signs of headings, quotes and lists at its beginning; a list keeps one dash. */
function plainLine(line: string): string {
  return line
    .replace(/^(?: {0,3}> ?)+/, '')
    .replace(/^ {0,3}#{1,6}(?:\s+|$)/, '')
    .replace(/^(\s*)[*+-]\s+(?:\[[ xX]\]\s+)?/, '$1- ')
}

/** Marks may stand inside of marks: from the outside in, as long as there are some. */
function withoutEmphasis(text: string): string {
  const next = text.replaceAll(strong, '$2').replaceAll(starred, '$1').replaceAll(underlined, '$1')
  return next === text ? text : withoutEmphasis(next)
}
