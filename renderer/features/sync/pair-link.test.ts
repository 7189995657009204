import { describe, expect, it } from 'vitest'
import { isAddress, isMailbox, isRelayUrl, readCode, readPairLink, readPort } from './pair-link.ts'

const fingerprint = 'ab'.repeat(32)

describe('what a person types to join', () => {
  it('takes a code with spaces and dashes, and nothing else for one', () => {
    expect(['4093127', '409 3127', '409-3127', ' 4 0 9 3 1 2 7 '].map(readCode)).toEqual(Array(4).fill('4093127'))
    expect(['409312', '40931270', '409312a', ''].map(readCode)).toEqual(Array(4).fill(undefined))
  })

  it('takes a link apart into where it leads and whose it is', () => {
    const link = `cairn://pair?a=192.168.1.20%3A7421&a=%5Bfd12%3A%3A20%5D%3A7421#c=4093127&f=${fingerprint}`
    expect(readPairLink(` ${link}\n`)).toEqual({
      addresses: ['192.168.1.20:7421', '[fd12::20]:7421'],
      fingerprint,
    })
  })

  it('says over which relay a link works as well, and takes nothing else for one', () => {
    const link = (relay: string): string => `cairn://pair?r=${encodeURIComponent(relay)}#c=4093127&f=${fingerprint}&m=x`
    const relay = 'wss://relay.example.org:7422'
    expect(readPairLink(link(relay))).toEqual({ addresses: [], fingerprint, relay })
    expect(readPairLink(link('javascript:1'))).toEqual({ addresses: [], fingerprint })
  })

  it('knows a relay with the name of a mailbox', () => {
    const name = 'k7qf-2m9x-4tzd-81ab'
    expect([`relay:7422/${name}`, `wss://relay:7422/${name.toUpperCase()}`].every(isMailbox)).toBe(true)
    const others = ['relay:7422', `relay/${name}`, `https://relay:7422/${name}`, 'relay:7422/k7qf', `relay:0/${name}`]
    expect(others.some(isMailbox)).toBe(false)
  })

  it('takes nothing that only looks like a link', () => {
    const others = [
      `https://pair?a=x#c=4093127&f=${fingerprint}`,
      `cairn://pairs?a=x#c=4093127&f=${fingerprint}`,
      `cairn://pair?a=x#c=409&f=${fingerprint}`,
      'cairn://pair?a=x#c=4093127&f=ab',
      'cairn://pair?a=x',
      `cairn://pair?a=${'x'.repeat(2_000)}#c=4093127&f=${fingerprint}`,
      `x cairn://pair?a=x#c=4093127&f=${fingerprint}`,
    ]
    expect(others.map(readPairLink)).toEqual(others.map(() => undefined))
  })

  it('knows a host with a port, a relay and a port', () => {
    expect(['192.168.1.20:7421', 'desk.local:1', '[fe80::1]:65535', 'desk:7421'].every(isAddress)).toBe(true)
    expect(['192.168.1.20', 'desk:', 'desk:0', 'desk:65536', 'http://desk:80', 'a b:80', ''].some(isAddress)).toBe(
      false,
    )
    expect(isRelayUrl('wss://relay.example.org:7422')).toBe(true)
    expect(['ws://relay:7422', 'wss://relay', 'wss://relay:7422/x', 'relay:7422'].some(isRelayUrl)).toBe(false)
    expect([' 7421 ', '', '0', '65536', '7.5', '-1'].map(readPort)).toEqual([7_421, null, ...Array(4).fill(undefined)])
  })
})
