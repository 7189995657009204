// What may stay in the HTML of html and richtext fields: text, its structure, links and pictures. Nothing that runs, loads
// code, imitates the application or follows the reader.
import { createRequire } from 'node:module'
import type sanitize from 'sanitize-html'

const tags = (
  'a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del dfn div dl dt em figcaption ' +
  'figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q rb rp rt rtc ruby s samp section ' +
  'small span strong sub sup table tbody td tfoot th thead time tr u ul var wbr'
).split(' ')

const options: sanitize.IOptions = {
  allowedTags: tags,
  allowedAttributes: {
    '*': ['dir', 'lang', 'title'],
    a: ['href', 'name'],
    img: ['src', 'alt', 'width', 'height'],
    ol: ['start', 'type', 'reversed'],
    li: ['value'],
    col: ['span'],
    colgroup: ['span'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    time: ['datetime'],
    del: ['cite', 'datetime'],
    ins: ['cite', 'datetime'],
    blockquote: ['cite'],
    q: ['cite'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite'],
  allowProtocolRelative: false,
  // Deeper nesting is no document; it only costs those who show it.
  nestingLimit: 100,
}

/** Loaded with the first text that has markup: its parsers are seventy modules no start needs. */
const load = createRequire(import.meta.url)
let library: typeof sanitize | undefined

/** Passes after which even nested mistakes have settled; the second one nearly always changes nothing. */
const maxPasses = 5

/**
 * The HTML without everything that could run. Sanitising twice changes nothing more, so that a record written back as it
 * was read stays unchanged: what is left of removed elements is put in order until it rests.
 * Elements that are nested as no document nests them are kept as the text they are written in.
 * @source D-94
 */
export function sanitizeHtml(html: string): string {
  // Most texts have no markup and no entity, and stay as they are.
  let clean = nestsTooDeep(html) ? html.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : html
  for (let pass = 0; pass < maxPasses && /[<&>]/.test(clean); pass++) {
    library ??= load('sanitize-html') as typeof sanitize
    const next = library(clean, options)
    if (next === clean) break
    clean = next
  }
  return clean
}

/** Elements that may stay open within each other; beyond it every end tag costs the parser a look at each of them. */
const maxOpen = 250
const tag = /<(\/?)([a-z][^\s/>]*)/gi
const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Elements that the next one of their name ends. */
const ended = new Set('dd dt li option p rb rp rt td th tr'.split(' '))

function nestsTooDeep(html: string): boolean {
  const open: string[] = []
  const counts = new Map<string, number>()
  const close = (name: string): void => {
    const last = open.pop()!
    counts.set(last, counts.get(last)! - 1)
    if (last !== name) close(name)
  }
  for (const [, slash, written] of html.matchAll(tag)) {
    const name = written!.toLowerCase()
    const count = counts.get(name) ?? 0
    if (slash === '/') {
      if (count > 0) close(name)
      continue
    }
    if (empty.has(name)) continue
    if (ended.has(name) && open.at(-1) === name) continue
    if (open.length === maxOpen) return true
    open.push(name)
    counts.set(name, count + 1)
  }
  return false
}
