// Owns naming people in a text: finding the name being typed after an @, putting a chosen one in, and the form in which
// mentions are stored. People see `@Ada`; stored is `@[Ada](user:<id>)`. Pure. @source D-137

/** A name that is being typed. */
export interface MentionQuery {
  /** Place of the @. */
  start: number
  /** What stands behind it so far. */
  text: string
}

/** Ids of mentioned people by the name they stand with in the text. */
export type MentionedPeople = ReadonlyMap<string, string>

const typed = /(?:^|[\s([{>])@([\p{L}\p{N}._'-]*(?: [\p{L}\p{N}._'-]*)?)$/u
const stored = /@\[([^\]\n]{1,200})\]\(user:([^)\s]{1,200})\)/g

/** Longest name that is put in; the stored form takes 200 signs. */
const maxName = 150

/** The name being typed before the caret; undefined when none is. */
export function mentionAt(text: string, caret: number): MentionQuery | undefined {
  const found = typed.exec(text.slice(0, caret))
  if (!found) return undefined
  const [, name = ''] = found
  return { start: caret - name.length - 1, text: name }
}

/** The text with a name in place of what was typed, and where the caret belongs then. */
export function insertMention(text: string, query: MentionQuery, name: string): { text: string; caret: number } {
  const end = query.start + 1 + query.text.length
  const rest = text.slice(end)
  const space = rest.startsWith(' ') ? '' : ' '
  return { text: `${text.slice(0, query.start)}@${name}${space}${rest}`, caret: query.start + name.length + 2 }
}

/** A name under which nobody else stands in the text. */
export function freeName(name: string, id: string, people: MentionedPeople): string {
  // The marks of the stored form cannot be part of a name.
  const plain =
    name
      .replace(/[[\]()\n]/g, ' ')
      .replace(/\s+/g, ' ')
      .slice(0, maxName)
      .trim() || id
  let free = plain
  for (let count = 2; people.has(free) && people.get(free) !== id; count++) free = `${plain} ${count}`
  return free
}

/** The text as it is stored. */
export function encodeMentions(text: string, people: MentionedPeople): string {
  const names = [...people.keys()].toSorted((one, other) => other.length - one.length)
  if (names.length === 0) return text
  const words = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
  return text.replace(new RegExp(`@(${words})(?![\\p{L}\\p{N}])`, 'gu'), (whole, name: string) => {
    const id = people.get(name)
    return id === undefined ? whole : `@[${name}](user:${id})`
  })
}

/** Ids of the people a stored text names, in their order. */
function namedIn(body: string): string {
  return JSON.stringify(Array.from(body.matchAll(stored), ([, , id]) => id))
}

/**
 * A stored text as it is edited, and who is named in it. Where short names would not lead back to the same people
 * (`@[Ada](user:1) Lovelace` beside an Ada Lovelace, or letters right behind a name) the text stays in the stored form.
 */
export function decodeMentions(body: string): { text: string; people: Map<string, string> } {
  const people = new Map<string, string>()
  const text = body.replace(stored, (_, name: string, id: string) => {
    const free = freeName(name, id, people)
    people.set(free, id)
    return `@${free}`
  })
  const same = namedIn(encodeMentions(text, people)) === namedIn(body)
  return same ? { text, people } : { text: body, people: new Map() }
}

/** A mention by its place in a text. */
export interface PlacedMention {
  type: string
  id: string
  offset: number
  length: number
}

/** The text with mentions that are known by their place only in the stored form, so that all are shown alike. */
export function markMentions(body: string, mentions: readonly PlacedMention[]): string {
  let marked = body
  for (const { type, id, offset, length } of mentions.toSorted((one, other) => other.offset - one.offset)) {
    const words = body.slice(offset, offset + length)
    if (!/^@[^[\]()\n]+$/.test(words) || /[)\s]/.test(id)) continue
    marked = `${marked.slice(0, offset)}@[${words.slice(1)}](${type}:${id})${marked.slice(offset + length)}`
  }
  return marked
}
