// Remarks as plain text.
import { describe, expect, it } from 'vitest'
import { plainWords } from './plain-words.ts'

describe('a remark without its marks', () => {
  it.each([
    ['could you **check** the *pages*?', 'could you check the pages?'],
    ['***both*** and __bold _inside_ it__ and ~~gone~~', 'both and bold inside it and gone'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['# A title\n\n> quoted\n> > deeper', 'A title\n\nquoted\ndeeper'],
    ['* one\n+ two\n- [x] three', '- one\n- two\n- three'],
    ['see [a link](https://example.org "t") and ![a cat](cat.png)', 'see a link and a cat'],
    ['<https://example.org/a_b_c>', 'https://example.org/a_b_c'],
    ['`a*b*c` and \\*not this\\*', 'a*b*c and *not this*'],
    ['```js\nlet a = 1\n```\nafter', 'let a = 1\nafter'],
    ['hello @[Cleo *C*](user:1)', 'hello @Cleo C'],
    ['one\n\n---\n\n\n\ntwo', 'one\n\ntwo'],
    ['', ''],
  ])('%j is %j', (markdown, plain) => {
    expect(plainWords(markdown)).toBe(plain)
  })

  it('is made in time, whatever is written', () => {
    for (const part of ['*', '**a', '_a', '`', '[', '![', '> ', '\\', '<http:', '~~*_']) {
      const started = performance.now()
      plainWords(part.repeat(50_000))
      expect(performance.now() - started, part).toBeLessThan(200)
    }
  })
})
