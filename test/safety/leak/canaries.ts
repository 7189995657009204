// Canaries: values that stand in hidden places only, and the search for them in everything that leaves the host, in
// whatever way it is written: as it is, in another case, as base64, hex, percent or JSON escapes, inside of archives.
import { inflateRawSync } from 'node:zlib'

/** From whom a canary is hidden; everybody but administrators, unless the caller manages what it stands in. */
export type CanaryGroup =
  /** Values of rows that are hidden. */
  | 'row'
  /** Values of hidden fields in rows that are seen. */
  | 'field'
  /** Names, labels and options of hidden fields, and what mentions them; open to those who manage metadata. */
  | 'name'
  /** Labels and fields of an object that is closed; open to those who manage metadata. */
  | 'object'
  /** Views and overlays of another person; open to those who manage metadata. */
  | 'person'
  /** Code and rights; open to those who manage metadata. */
  | 'guarded'
  /** Everything of another organization. */
  | 'organization'

/** A canary that was found. */
export interface Sighting {
  readonly canary: string
  readonly group: CanaryGroup
}

/** Makes canaries and finds them. */
export interface CanaryBook {
  /** A word of letters; the seed makes it the same every time. */
  word(group: CanaryGroup): string
  /** Two words that are one value cut in two. */
  halves(group: CanaryGroup): [string, string]
  number(group: CanaryGroup): number
  /** A day of the 24th century. */
  date(group: CanaryGroup): string
  /** Everything made so far. */
  all(): ReadonlyMap<string, CanaryGroup>
  /** What of it is in the bytes, but for what is in `sent`: an answer may repeat what was asked. */
  find(bytes: Uint8Array, sent?: string): Sighting[]
}

const start = 'qzk'
const words = /qzk[a-z]{9}/gi
const numbers = /7319[0-9]{6}/g
const dates = /23[5-9][0-9]-[01][0-9]-[0-3][0-9]/g

/** Makes a book; books of different seeds have no canary in common. */
export function createCanaryBook(seed: number): CanaryBook {
  const known = new Map<string, CanaryGroup>()
  let made = seed * 4_000
  const keep = (canary: string, group: CanaryGroup): string => {
    known.set(canary, group)
    return canary
  }
  const word = (group: CanaryGroup): string => keep(start + letters((made += 1)), group)
  return {
    word,
    halves: (group) => [word(group), word(group)],
    number: (group) => Number(keep(`7319${String((made += 1)).padStart(6, '0')}`, group)),
    date(group) {
      const day = (made += 1)
      const year = 2350 + (Math.floor(day / 336) % 50)
      const month = 1 + (Math.floor(day / 28) % 12)
      return keep(`${year}-${String(month).padStart(2, '0')}-${String(1 + (day % 28)).padStart(2, '0')}`, group)
    },
    all: () => known,
    find(bytes, sent = '') {
      const own = new Set(sightings(sent))
      const seen = new Set(textsIn(bytes).flatMap(sightings))
      return [...seen].flatMap((canary) => {
        const group = known.get(canary)
        return group === undefined || own.has(canary) ? [] : [{ canary, group }]
      })
    },
  }
}

/** Nine letters that no other number has, far apart for neighbours. */
function letters(number: number): string {
  let rest = (number * 2_654_435_761 + 97) % 5_429_503_678_976
  let text = ''
  for (let at = 0; at < 9; at += 1) {
    text += String.fromCodePoint(97 + (rest % 26))
    rest = Math.floor(rest / 26)
  }
  return text
}

function sightings(text: string): string[] {
  const found = (text.match(words) ?? []).map((word) => word.toLowerCase())
  return [...found, ...(text.match(numbers) ?? []), ...(text.match(dates) ?? [])]
}

/** The bytes as text, and everything that can be read out of that text. */
function textsIn(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const texts = [buffer.toString('utf8'), ...archiveEntries(buffer)]
  return [...new Set(texts.flatMap((text) => [text, ...decoded(text)]))]
}

/** How canaries of words and numbers begin in base64, by where in a group of three bytes they stand. */
const begins = [start, '7319'].flatMap((text) =>
  [0, 1, 2].map((before) => {
    const whole = Buffer.from('\0'.repeat(before) + text).toString('base64')
    return whole.slice(before === 0 ? 0 : before + 1, Math.floor(((before + text.length) * 8) / 6))
  }),
)
const based = new RegExp(begins.join('|'))
const hexed = /(?:[57]1)(?:[57]a)(?:[46]b)|37333139/i

function decoded(text: string): string[] {
  const found: string[] = []
  if (text.includes('%')) found.push(text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => fromHex(hex)))
  if (text.includes('\\u')) found.push(text.replaceAll(/\\u00([0-9a-f]{2})/gi, (_, hex: string) => fromHex(hex)))
  if (hexed.test(text)) for (const [token] of text.matchAll(/(?:[0-9a-f]{2}){8,}/gi)) found.push(fromHex(token))
  if (!based.test(text)) return found
  // A token may begin in the middle of a value, so every alignment is read.
  for (const [token] of text.matchAll(/[A-Za-z0-9+/_-]{12,}/g))
    for (let skip = 0; skip < 4; skip += 1) found.push(Buffer.from(token.slice(skip), 'base64').toString('latin1'))
  return found
}

function fromHex(hex: string): string {
  return Buffer.from(hex, 'hex').toString('latin1')
}

/** The files of a ZIP archive (XLSX); none for anything else. */
export function archiveEntries(buffer: Buffer): string[] {
  if (buffer.length < 22 || buffer.readUInt32LE(0) !== 0x04_03_4b_50) return []
  const texts: string[] = []
  const directory = buffer.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  let at = buffer.readUInt32LE(directory + 16)
  while (buffer.readUInt32LE(at) === 0x02_01_4b_50) {
    const [method, size] = [buffer.readUInt16LE(at + 10), buffer.readUInt32LE(at + 20)]
    const header = buffer.readUInt32LE(at + 42)
    const begin = header + 30 + buffer.readUInt16LE(header + 26) + buffer.readUInt16LE(header + 28)
    const content = buffer.subarray(begin, begin + size)
    texts.push((method === 0 ? content : inflateRawSync(content)).toString('utf8'))
    at += 46 + buffer.readUInt16LE(at + 28) + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32)
  }
  return texts
}
