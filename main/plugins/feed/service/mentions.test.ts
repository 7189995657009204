import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { completeMentions, maxMentions, mentionedUsers, parseMentions } from './mentions.ts'

const nobody = (): undefined => undefined

describe('parseMentions', () => {
  it('finds what a body spells out, wherever it stands', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !/[\]\n@[]/.test(text))
    const id = fc.stringMatching(/^[a-z0-9-]{1,12}$/)
    const part = fc.record({ text: fc.constantFrom('', 'see ', '😀\n', '@ ', '(x) '), name, id })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const body = parts.map((one) => `${one.text}@[${one.name}](user:${one.id})`).join('')
        const found = parseMentions(body)
        expect(found.map((one) => [one.name, one.id])).toEqual(parts.map((one) => [one.name, one.id]))
        for (const { offset, length, id: user } of found)
          expect(body.slice(offset, offset + length)).toMatch(new RegExp(`^@\\[.*\\]\\(user:${user}\\)$`, 's'))
      }),
    )
  })

  it.each(['@name', '@[name]', '@[](user:1)', '@[a](thing:1)', '@[a](user:)', '@[a\nb](user:1)', '[a](user:1)'])(
    'leaves %j alone',
    (body) => {
      expect(parseMentions(body)).toEqual([])
    },
  )

  it('stops at the most mentions of one body', () => {
    expect(parseMentions('@[a](user:1)'.repeat(maxMentions + 5))).toHaveLength(maxMentions)
  })
})

describe('completeMentions', () => {
  it('takes places in order when one is spelled out twice', () => {
    const body = '@[A](user:1) and @[A](user:1)'
    const twice = [{ type: 'user', id: '1' } as const, { type: 'user', id: '1' } as const]
    expect(completeMentions(twice, body, nobody).map(({ offset }) => offset)).toEqual([0, 17])
  })

  it('keeps what is given and names by id what nobody names', () => {
    const [kept, bare] = completeMentions(
      [
        { type: 'team', id: 't', name: 'T', offset: 3, length: 4 },
        { type: 'record', id: 'r', object: 'task' },
      ],
      'text',
      nobody,
    )
    expect(kept).toEqual({ type: 'team', id: 't', name: 'T', offset: 3, length: 4 })
    expect(bare).toEqual({ type: 'record', id: 'r', name: 'r', offset: 0, length: 0, object: 'task' })
  })
})

describe('mentionedUsers', () => {
  it('names each user once, and nothing else', () => {
    expect(mentionedUsers(parseMentions('@[A](user:1) @[A](user:1) @[T](team:2)'))).toEqual(['1'])
  })
})
