// A mailbox as it is typed and as it stands in a link: there and back, with what people mistake for each other.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatBox, formatMailbox, parseBox, parseMailbox } from './mailbox-place.ts'
import { formatPairLink, parsePairLink } from './pair-link.ts'

const boxes = fc.uint8Array({ minLength: 10, maxLength: 10 })
const relay = { host: 'relay.example', port: 7000 }

describe('the name of a mailbox', () => {
  it('is read as written, in any case and with any spaces', () => {
    fc.assert(
      fc.property(boxes, (box) => {
        const name = formatBox(box)
        expect(name).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
        expect(parseBox(name)).toEqual(box)
        expect(parseBox(` ${name.toUpperCase().replaceAll('-', ' ')}`)).toEqual(box)
        expect(parseBox(name.replaceAll('0', 'O').replaceAll('1', 'l'))).toEqual(box)
      }),
    )
  })

  it.each(['', 'k7qf-2m9x-4tzd', 'k7qf-2m9x-4tzd-81ab-1', 'k7qf-2m9x-4tzd-81a!', 'uuuu-uuuu-uuuu-uuuu'])(
    'is not %j',
    (text) => {
      expect(parseBox(text)).toBeUndefined()
    },
  )
})

describe('a mailbox of a relay', () => {
  const box = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])

  it('is read with and without its scheme', () => {
    const text = formatMailbox({ relay, box })
    expect(text).toMatch(/^wss:\/\/relay\.example:7000\//)
    expect(parseMailbox(text)).toEqual({ relay, box })
    expect(parseMailbox(text.slice('wss://'.length))).toEqual({ relay, box })
    const six = { relay: { host: '2001:db8::1', port: 1 }, box }
    expect(parseMailbox(formatMailbox(six))).toEqual(six)
  })

  it.each(['relay.example:7000', 'wss://relay.example:7000/', 'https://relay.example:7000/k7qf-2m9x-4tzd-81ab', 'a/b'])(
    'is not %j',
    (text) => {
      expect(parseMailbox(text)).toBeUndefined()
    },
  )

  it('stands in a link with its name and the fingerprint of the relay behind the #', () => {
    const link = {
      code: '0123456',
      fingerprint: 'ab'.repeat(32),
      addresses: [],
      mailbox: { relay, box, fingerprint: 'cd'.repeat(32) },
    }
    const text = formatPairLink(link)
    expect(parsePairLink(text)).toEqual(link)
    expect(text.split('#')[0]).toBe('cairn://pair?r=wss%3A%2F%2Frelay.example%3A7000')
    // An older or a cut link is good for its addresses.
    expect(parsePairLink(text.replace(/&p=.*/, ''))).toEqual({ ...link, mailbox: undefined })
  })
})
