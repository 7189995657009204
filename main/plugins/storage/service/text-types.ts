// What kind of text some bytes are. Pure; texts have no mark, so names and announcements decide among harmless kinds, and
// what a browser would run is told by its beginning.

/** Kinds of texts by the ending of their names. */
const byEnding: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  md: 'text/markdown',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  xml: 'application/xml',
  yaml: 'application/yaml',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  css: 'text/css',
  js: 'text/javascript',
  html: 'text/html',
  svg: 'image/svg+xml',
  sql: 'application/sql',
}

const otherEndings: Readonly<Record<string, string>> = {
  log: 'txt',
  markdown: 'md',
  jsonl: 'ndjson',
  yml: 'yaml',
  mjs: 'js',
  htm: 'html',
  xhtml: 'html',
}

const endings = new Map(Object.entries(byEnding).map(([ending, type]) => [type, ending]))

/** The ending of files of a kind of text; undefined for other types. */
export function textEnding(mimeType: string): string | undefined {
  return endings.get(mimeType)
}

/** Whether a media type is one of texts, whatever kind; pictures made of text are pictures. */
export function isTextType(mimeType: string): boolean {
  if (mimeType === 'image/svg+xml') return false
  return (
    mimeType.startsWith('text/') ||
    endings.has(mimeType) ||
    /^application\/(javascript|ecmascript|x-yaml|x-sh|toml|graphql|x-httpd-php|xhtml\+xml)$/.test(mimeType) ||
    /^application\/.*\+(json|xml|yaml)$/.test(mimeType)
  )
}

/** Whether the beginning of a file is text: UTF-8 or, with its mark, UTF-16, without control characters. */
export function isText(beginning: Uint8Array): boolean {
  const [first, second] = beginning
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  let text: string
  try {
    // What is cut in the middle of a character stays out.
    text = new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true })
  } catch {
    return false
  }
  return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text)
}

/** The kind of text, from its beginning, else from what was announced or the name says. */
export function textTypeOf(beginning: Uint8Array, announced: string | null, ending: string): string {
  const named = byEnding[otherEndings[ending] ?? ending]
  const text = new TextDecoder('utf-8').decode(beginning.subarray(0, 4_096)).replace(/^\u{feff}/u, '')
  const root = text.replace(/^(\s+|<\?xml[^>]*>|<!--[\s\S]*?-->|<!doctype\s+svg[^>[]*(\[[\s\S]*?\])?\s*>)*/i, '')
  if (/^<svg[\s>/]/i.test(root)) return 'image/svg+xml'
  if (announced !== 'text/markdown' && named !== 'text/markdown' && markup.test(root)) return 'text/html'
  if (/^\s*<\?xml\s/.test(text)) return 'application/xml'
  const kind = announced !== null && announced !== 'text/plain' && endings.has(announced) ? announced : named
  if (kind === undefined || kind === 'image/svg+xml') return 'text/plain'
  if (kind === 'application/json' && !/^\s*["{[\d\-tfn]/.test(text)) return 'text/plain'
  return kind
}

/** What browsers take for a page. @source WHATWG MIME sniffing, section 7.1 */
const markup =
  /^<(!doctype\s+html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|link|object|embed|form|img)[\s/>]/i
