// Owns turning Markdown that people wrote into elements: markup in it stays text, what comes out is cleaned once more, and
// nothing leads or loads from where it must not. Knows no screen. Loaded when the first text is shown.
import createPurifier from 'dompurify'
import { Marked } from 'marked'

/** A mention as the text holds it: `@[Name](user:<id>)`. */
const mentionPattern = /^@\[([^\]\n]{1,200})\]\((user|team|record):([^)\s]{1,200})\)/
const linkSchemes = new Set(['http:', 'https:', 'mailto:'])

const allowedTags = [
  ...['p', 'br', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'hr', 'span', 'a', 'img'],
  ...['ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
]
const allowedAttributes = ['href', 'src', 'alt', 'title', 'start', 'align', 'data-mention', 'data-heading']

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    // Headings of a remark are no headings of the page.
    heading({ tokens }) {
      return `<p data-heading="">${this.parser.parseInline(tokens)}</p>`
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    image: ({ href, text }) =>
      isFromHost(href)
        ? `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`
        : `<a href="${escapeHtml(href)}">${escapeHtml(text === '' ? href : text)}</a>`,
  },
  extensions: [
    {
      name: 'mention',
      level: 'inline',
      start: (text) => {
        const at = text.indexOf('@[')
        return at < 0 ? undefined : at
      },
      tokenizer: (text) => {
        const found = mentionPattern.exec(text)
        return found ? { type: 'mention', raw: found[0], name: found[1], id: `${found[2]}:${found[3]}` } : undefined
      },
      renderer: ({ name, id }) => {
        const [mention, words] = [escapeHtml(String(id)), `@${escapeHtml(String(name))}`]
        const place = recordPlace(String(id))
        return place === undefined
          ? `<span data-mention="${mention}">${words}</span>`
          : `<a href="${place}" data-mention="${mention}">${words}</a>`
      },
    },
  ],
})

const purifier = createPurifier(window)
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A') {
    const href = node.getAttribute('href')
    if (href === null || !isAllowedLink(href)) node.removeAttribute('href')
    else if (!href.startsWith('#')) {
      node.setAttribute('target', '_blank')
      node.setAttribute('rel', 'noopener noreferrer nofollow')
    }
  } else if (node.hasAttribute('href')) node.removeAttribute('href')
  const source = node.getAttribute('src')
  if (source !== null && !(node.tagName === 'IMG' && isFromHost(source))) node.removeAttribute('src')
})

/** The elements of a text. */
export function renderMarkdown(text: string): DocumentFragment {
  return purifier.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: allowedAttributes,
    // Its value looks like an address, and is none.
    ADD_URI_SAFE_ATTR: ['data-mention'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
}

/** Where a mentioned record is shown; undefined for people, and for records whose object is not named. @source D-137 */
function recordPlace(id: string): string | undefined {
  const [, object, record] = /^record:([a-z][a-z0-9_]{0,62})\/([A-Za-z0-9-]{1,100})$/.exec(id) ?? []
  return object === undefined ? undefined : `#/o/${object}/record/${record}`
}

/** Web addresses, mail and places of this application; no scheme that runs, holds or opens anything on this computer. */
function isAllowedLink(href: string): boolean {
  if (href.startsWith('#/')) return true
  return URL.canParse(href) && linkSchemes.has(new URL(href).protocol)
}

/** Only files of the host itself are loaded: any other picture would tell its server who reads. */
function isFromHost(source: string): boolean {
  if (!source.startsWith('/') || !URL.canParse(source, window.location.href)) return false
  const { origin, protocol } = new URL(source, window.location.href)
  return origin === window.location.origin && protocol.startsWith('http')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`)
}
