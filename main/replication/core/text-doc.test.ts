import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { inspectUpdate } from './inspect-update.ts'
import {
  applyTextDiff,
  countLetters,
  decodeText,
  encodeText,
  firstTexts,
  keepTexts,
  lettersBeyond,
  lettersIn,
  readFirstText,
  readText,
  seedText,
} from './text-doc.ts'
import { sized } from '../../../test/support/test-size.ts'

function pair(text: string): [Y.Doc, Y.Doc] {
  const [a, b] = [new Y.Doc(), new Y.Doc()]
  seedText(a, text)
  Y.applyUpdate(b, Y.encodeStateAsUpdate(a))
  return [a, b]
}

function exchange(a: Y.Doc, b: Y.Doc): void {
  Y.applyUpdate(b, Y.encodeStateAsUpdate(a))
  Y.applyUpdate(a, Y.encodeStateAsUpdate(b))
}

describe('seedText', () => {
  it('puts in the first text only', () => {
    const doc = new Y.Doc()
    expect(seedText(doc, 'hello')).toBe(true)
    expect(seedText(doc, 'hello')).toBe(false)
    expect(readText(doc)).toBe('hello')
  })

  it('leaves a text alone that was emptied', () => {
    const doc = new Y.Doc()
    seedText(doc, 'hello')
    applyTextDiff(doc, '')
    expect(seedText(doc, 'hello')).toBe(false)
    expect(readText(doc)).toBe('')
  })
})

describe('lettersBeyond', () => {
  it('has what was put in since, wherever it stands, and who put in most of it', () => {
    const doc = new Y.Doc()
    doc.clientID = 1
    applyTextDiff(doc, 'One two')
    const counts = countLetters(lettersIn(doc))
    doc.clientID = 2
    applyTextDiff(doc, 'One new two')
    doc.clientID = 1
    applyTextDiff(doc, 'One new two!')
    expect(lettersBeyond(lettersIn(doc), counts)).toEqual({ inc: 2, text: 'new !' })
    for (const nonsense of [{}, { 1: '7' }, { 1: null }])
      expect(lettersBeyond(lettersIn(doc), nonsense)?.text).toBe('One new two!')
    applyTextDiff(doc, 'One')
    expect(lettersBeyond(lettersIn(doc), counts)).toBeNull()
  })
})

describe('applyTextDiff', () => {
  it('keeps what others typed meanwhile', () => {
    const [a, b] = pair('The plan is good. We start on Monday.')
    applyTextDiff(a, 'The new plan is good. We start on Tuesday.')
    applyTextDiff(b, 'The plan is very good. We start on Monday. Bring tea.')
    exchange(a, b)
    expect(readText(a)).toBe('The new plan is very good. We start on Tuesday. Bring tea.')
    expect(readText(b)).toBe(readText(a))
  })

  it('keeps both texts that two people put into an empty one', () => {
    const [a, b] = pair('')
    applyTextDiff(a, 'mine')
    applyTextDiff(b, 'yours')
    exchange(a, b)
    expect(['mineyours', 'yoursmine']).toContain(readText(a))
    expect(readText(b)).toBe(readText(a))
  })

  it('writes nothing when nothing changes', () => {
    const [a] = pair('same')
    const before = Y.encodeStateAsUpdate(a)
    expect(applyTextDiff(a, 'same')).toBe(false)
    expect(Y.encodeStateAsUpdate(a)).toEqual(before)
  })

  it('replaces lone surrogates, which cannot travel, at once', () => {
    const doc = new Y.Doc()
    applyTextDiff(doc, 'a\ud800b')
    expect(readText(doc)).toBe('a\ufffdb')
    expect(applyTextDiff(doc, 'a\ud800b')).toBe(false)
  })

  it('heals a text that something else than characters got into', () => {
    const doc = new Y.Doc()
    doc.getText('t').insert(0, 'abc')
    doc.getText('t').insertEmbed(1, { image: 1 })
    expect(applyTextDiff(doc, 'abcd')).toBe(true)
    expect(readText(doc)).toBe('abcd')
    expect(doc.getText('t').length).toBe(4)
  })

  it('converges and never leaves half a character, whatever is written concurrently', () => {
    const text = fc.array(fc.constantFrom('a', 'b ', '\u{1f600}', '\u{1f601}', '\u{1fa00} ', 'word '), {
      maxLength: 12,
    })
    const texts = text.map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, fc.array(fc.tuple(texts, texts), { minLength: 1, maxLength: 3 }), (start, rounds) => {
        const [a, b] = pair(start)
        for (const [mine, yours] of rounds) {
          applyTextDiff(a, mine)
          applyTextDiff(b, yours)
          expect([readText(a), readText(b)]).toEqual([mine, yours])
          exchange(a, b)
          expect(readText(b)).toBe(readText(a))
          expect(readText(a)).not.toContain('\ufffd')
          expect(readText(a).isWellFormed()).toBe(true)
        }
      }),
      { numRuns: sized(100, 500) },
    )
  })
})

describe('firstTexts', () => {
  /** Documents that began the same empty text, each by itself. */
  const begun = (...texts: readonly string[]): Y.Doc[] =>
    texts.map((text) => {
      const doc = new Y.Doc()
      applyTextDiff(doc, text)
      return doc
    })
  const wordsOf = (doc: Y.Doc): string[] =>
    firstTexts(doc)
      .map(({ text }) => text)
      .toSorted()

  it('are all that were begun, until they were seen', () => {
    const [a, b] = begun('one', 'two') as [Y.Doc, Y.Doc]
    expect(wordsOf(a)).toEqual(['one'])
    exchange(a, b)
    expect(wordsOf(a)).toEqual(['one', 'two'])
    const before = readText(a)
    keepTexts(a)
    exchange(a, b)
    for (const doc of [a, b]) {
      expect(wordsOf(doc)).toEqual([])
      expect(readText(doc)).toBe(before)
    }
  })

  it('are told of again when another one comes', () => {
    const [a, b, c] = begun('one', 'two', 'three') as [Y.Doc, Y.Doc, Y.Doc]
    exchange(a, b)
    for (const doc of [a, b]) keepTexts(doc)
    exchange(a, b)
    exchange(a, c)
    expect(wordsOf(a)).toEqual(['one', 'three', 'two'])
    expect(wordsOf(c)).toEqual(['one', 'three', 'two'])
  })

  it('are told of again, with the text as it is, where two people chose different ones at once', () => {
    const [a, b] = begun('text of one', 'text of two') as [Y.Doc, Y.Doc]
    exchange(a, b)
    applyTextDiff(a, 'text of one')
    applyTextDiff(b, 'text of two')
    expect([readText(a), wordsOf(a), readText(b), wordsOf(b)]).toEqual([
      ...['text of one', ['text of one']],
      ...['text of two', ['text of two']],
    ])
    exchange(a, b)
    for (const doc of [a, b]) {
      expect(readText(doc)).toBe('')
      expect(firstTexts(doc)[0]!.text).toBe('')
      expect(wordsOf(doc)).toEqual(['', 'text of one', 'text of two'])
    }
    applyTextDiff(a, 'text of two')
    exchange(a, b)
    for (const doc of [a, b]) expect([readText(doc), wordsOf(doc).length < 2]).toEqual(['text of two', true])
  })

  it('are chosen alike by two people without a word, and another one that comes later is chosen anew', () => {
    const [a, b, c] = begun('one', 'two', 'three') as [Y.Doc, Y.Doc, Y.Doc]
    exchange(a, b)
    for (const doc of [a, b]) applyTextDiff(doc, 'two')
    exchange(a, b)
    expect([readText(a), wordsOf(b)]).toEqual(['two', ['two']])
    exchange(a, c)
    expect(wordsOf(c)).toEqual(['three', 'two'])
    applyTextDiff(c, 'three')
    exchange(a, c)
    expect([readText(a), wordsOf(a)]).toEqual(['three', ['three']])
    applyTextDiff(a, '')
    expect(Buffer.from(Y.encodeStateAsUpdate(a)).includes('three')).toBe(false)
  })

  it('are whole texts, however their words were corrected before they met', () => {
    const next = ['one big two', 'zzz', 'so one two', 'one', 'two']
    for (const text of next) {
      const [a, b] = begun('one two', 'x') as [Y.Doc, Y.Doc]
      applyTextDiff(a, text)
      exchange(a, b)
      for (const doc of [a, b]) expect(wordsOf(doc)).toEqual([text, 'x'].toSorted())
      // They follow from what is stored, whatever came first.
      for (const updates of [[a, b], [b]].map((docs) => docs.map((doc) => Y.encodeStateAsUpdate(doc)))) {
        const loaded = new Y.Doc()
        for (const update of updates) Y.applyUpdate(loaded, update)
        expect(firstTexts(loaded)).toEqual(firstTexts(a))
      }
    }
  })

  it('are not there any more once all of one was deleted', () => {
    const [a, b] = begun('one two', 'x') as [Y.Doc, Y.Doc]
    applyTextDiff(a, '')
    exchange(a, b)
    for (const doc of [a, b]) expect(wordsOf(doc)).toEqual(['x'])
  })

  it('are chosen whole, wherever their letters stand', () => {
    // What a third machine put before a beginning may stand apart from it.
    for (const ids of [
      [2, 3, 1],
      [3, 2, 1],
      [1, 2, 3],
      [3, 1, 2],
    ]) {
      const docs = ids.map((id) => Object.assign(new Y.Doc(), { clientID: id }))
      const [a, b, c] = docs as [Y.Doc, Y.Doc, Y.Doc]
      applyTextDiff(a, 'one two')
      applyTextDiff(b, 'minutes')
      applyTextDiff(a, 'one big two')
      applyTextDiff(b, 'final minutes')
      Y.applyUpdate(c, Y.encodeStateAsUpdate(a))
      applyTextDiff(c, 'now one big two')
      exchange(b, c)
      exchange(a, b)
      for (const doc of docs.slice(0, 2)) expect(wordsOf(doc)).toEqual(['final minutes', 'now one big two'])
      const before = Y.encodeStateAsUpdate(a)
      for (const text of ['final minutes', 'now one big two']) {
        const chooser = new Y.Doc()
        Y.applyUpdate(chooser, before)
        applyTextDiff(chooser, text)
        expect([readText(chooser), wordsOf(chooser)]).toEqual([text, [text]])
      }
    }
  })

  it('stay chosen, whatever is typed beside the letters of the other one', () => {
    for (const [kept, next] of [
      ['one', 'one and more'],
      ['two', 'more and two'],
      ['one', 'more and one'],
      ['two', 'two and more'],
    ] as const) {
      const [a, b] = begun('one', 'two') as [Y.Doc, Y.Doc]
      exchange(a, b)
      applyTextDiff(a, kept)
      applyTextDiff(a, next)
      exchange(a, b)
      for (const doc of [a, b]) expect([readText(doc), wordsOf(doc).length < 2]).toEqual([next, true])
      const [c] = begun('draft') as [Y.Doc]
      applyTextDiff(c, 'three')
      exchange(a, c)
      for (const doc of [a, c]) expect(wordsOf(doc)).toContain('three')
    }
  })

  it('stay seen where somebody left letters of one of them', () => {
    const [a, b] = begun('one', 'two') as [Y.Doc, Y.Doc]
    exchange(a, b)
    const rest = readText(a).slice(0, 2)
    applyTextDiff(a, rest)
    keepTexts(a)
    applyTextDiff(a, `${rest} and more`)
    exchange(a, b)
    for (const doc of [a, b]) expect([readText(doc), wordsOf(doc)]).toEqual([`${rest} and more`, []])
  })

  it('stay chosen where the document says nothing of the one that was left out', () => {
    const [a, b] = begun('one', 'two') as [Y.Doc, Y.Doc]
    exchange(a, b)
    const text = a.getText('t')
    const isFirst = readText(a) === 'onetwo'
    text.delete(isFirst ? 3 : 0, 3)
    text.setAttribute(`chosen.${a.clientID}.0`, 'one')
    applyTextDiff(a, 'one and more')
    applyTextDiff(a, 'see one and more')
    exchange(a, b)
    for (const doc of [a, b]) expect(wordsOf(doc).length).toBeLessThan(2)
  })

  it('leave a text with one beginning unmarked', () => {
    const [a] = begun('one') as [Y.Doc]
    const before = Y.encodeStateVector(a)
    keepTexts(a)
    expect(Y.encodeStateVector(a)).toEqual(before)
  })
})

describe('a first text that is only encoded', () => {
  it('is what Yjs makes of it, byte for byte', () => {
    const texts = fc.string({ minLength: 1, unit: 'binary' })
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 2 ** 32 - 1 }), (text, inc) => {
        const doc = new Y.Doc()
        doc.clientID = inc
        seedText(doc, text)
        expect(encodeText(text, inc)).toEqual(Y.encodeStateAsUpdate(doc))
      }),
    )
    expect(decodeText(inspectUpdate(encodeText('a\ud800b', 7)))).toEqual({ inc: 7, text: 'a\ufffdb' })
  })
})

describe('a text that is only decoded', () => {
  const stateOf = (write: (doc: Y.Doc) => void): Uint8Array => {
    const doc = new Y.Doc()
    write(doc)
    return Y.encodeStateAsUpdate(doc)
  }

  it('is the one that was put in first', () => {
    for (const text of ['hello', 'a €😀\n\nb', 'x'.repeat(100_000)]) {
      const state = stateOf((doc) => seedText(doc, text))
      expect(decodeText(inspectUpdate(state))?.text).toBe(text)
      expect(readFirstText(state)?.text).toBe(text)
    }
  })

  it('is left to loading once somebody has edited it, or where it is another thing', () => {
    const states = [
      stateOf((doc) => {
        seedText(doc, 'hello')
        applyTextDiff(doc, 'hell')
      }),
      stateOf((doc) => {
        seedText(doc, 'hello')
        doc.clientID = 7
        applyTextDiff(doc, 'hello you')
      }),
      stateOf((doc) => doc.getText('other').insert(0, 'x')),
      stateOf((doc) => doc.getArray('t').push(['x'])),
      stateOf((doc) => doc.getMap('t').set('x', 'y')),
      stateOf(() => undefined),
    ]
    for (const state of states) {
      expect(decodeText(inspectUpdate(state))).toBeNull()
      expect(readFirstText(state)).toBeNull()
    }
  })
})
