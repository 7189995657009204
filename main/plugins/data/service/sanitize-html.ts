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
 * @source D-94
 */
export function sanitizeHtml(html: string): string {
  // Most texts have no markup and no entity, and stay as they are.
  let clean = html
  for (let pass = 0; pass < maxPasses && /[<&>]/.test(clean); pass++) {
    library ??= load('sanitize-html') as typeof sanitize
    const next = library(clean, options)
    if (next === clean) break
    clean = next
  }
  return clean
}
