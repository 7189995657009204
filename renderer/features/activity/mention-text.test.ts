// Names of people in a text that is being written and in the stored one.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeMentions, encodeMentions, freeName, insertMention, markMentions, mentionAt } from './mention-text.ts'

describe('a name being typed', () => {
  it.each([
    ['@', 1, { start: 0, text: '' }],
    ['Hello @Ad', 9, { start: 6, text: 'Ad' }],
    ['Hello @Ada Lo', 13, { start: 6, text: 'Ada Lo' }],
    ['(@gr', 4, { start: 1, text: 'gr' }],
    ['@Ada later', 3, { start: 0, text: 'Ad' }],
    ['line\n@Żół', 9, { start: 5, text: 'Żół' }],
  ])('is found in %j at %i', (text, caret, found) => {
    expect(mentionAt(text, caret)).toEqual(found)
  })

  it.each([
    ['ada@example', 11],
    ['@Ada Lovelace said', 18],
    ['nothing', 7],
    ['@Ada\n', 5],
  ])('is not found in %j', (text, caret) => {
    expect(mentionAt(text, caret)).toBeUndefined()
  })

  it('is replaced by the chosen one, with the caret behind it', () => {
    expect(insertMention('Hi @gr there', { start: 3, text: 'gr' }, 'Grace Hopper')).toEqual({
      text: 'Hi @Grace Hopper there',
      caret: 17,
    })
    expect(insertMention('@g', { start: 0, text: 'g' }, 'Grace')).toEqual({ text: '@Grace ', caret: 7 })
  })
})

describe('mentions', () => {
  it('are stored with the id of their person, the longest name first', () => {
    const people = new Map([
      ['Ada', '1'],
      ['Ada Lovelace', '2'],
    ])
    expect(encodeMentions('@Ada Lovelace and @Ada, not @Adam', people)).toBe(
      '@[Ada Lovelace](user:2) and @[Ada](user:1), not @Adam',
    )
  })

  it('are stored also where a name has signs with a meaning elsewhere', () => {
    const people = new Map([
      ['Jean-Luc', '1'],
      ['A. (B) $', '2'],
    ])
    expect(encodeMentions('@Jean-Luc, @A. (B) $', people)).toBe('@[Jean-Luc](user:1), @[A. (B) $](user:2)')
  })

  it('tell people of one name apart', () => {
    const { text, people } = decodeMentions('@[Ada](user:1) @[Ada](user:2) @[Ada](user:1)')
    expect(text).toBe('@Ada @Ada 2 @Ada')
    expect([...people]).toEqual([
      ['Ada', '1'],
      ['Ada 2', '2'],
    ])
    expect(freeName('A [b](c)', '9', people)).toBe('A b c')
  })

  it.each([
    '@[5](user:1)! and @[5!](user:2)',
    '@[Ada](user:1) Lovelace, not @[Ada Lovelace](user:2)',
    '@[Ada](user:1)s book',
    '@[Ada](user:1), whom all call @Ada',
  ])('stay in the stored form where short names would lead to others: %j', (body) => {
    expect(decodeMentions(body)).toEqual({ text: body, people: new Map() })
  })

  it('name the same people after an edit, whatever their names are and whatever stands between', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.uuid(), fc.string()), { maxLength: 5 }), (entries) => {
        const people = new Map<string, string>()
        let body = ''
        for (const [name, id, rest] of entries) {
          const free = freeName(name, id, people)
          people.set(free, id)
          body += `@[${free}](user:${id})${rest}`
        }
        const decoded = decodeMentions(body)
        expect(encodeMentions(decoded.text, decoded.people)).toBe(body)
      }),
      {
        examples: [
          [
            [
              ['5', '00000000-0000-1000-8000-000000000001', '! '],
              ['5!', '00000000-0000-1000-8000-000000000002', ''],
            ],
          ],
        ],
      },
    )
  })

  it('are shown with short names where nothing is ambiguous', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.stringMatching(/^[A-Z][a-z]{1,8}$/), fc.uuid()), { maxLength: 5 }),
        (entries) => {
          const people = new Map<string, string>()
          for (const [name, id] of entries) people.set(freeName(name, id, people), id)
          const text = [...people.keys()].map((name) => `@${name}!`).join(' ')
          expect(decodeMentions(encodeMentions(text, people))).toEqual({ text, people })
        },
      ),
    )
  })

  it('known by their place are marked, those in the stored form stay', () => {
    const body = 'Hi @Ada and @[Bo](user:2)'
    expect(
      markMentions(body, [
        { type: 'user', id: '1', offset: 3, length: 4 },
        { type: 'user', id: '2', offset: 12, length: 13 },
      ]),
    ).toBe('Hi @[Ada](user:1) and @[Bo](user:2)')
  })
})
