// What is kept of who may read everything: one answer for all frames of a moment, another one for the first frame after it.
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { KnownDevice } from '../engine/replica.ts'
import { createReaders } from './readers.ts'

const { publicKey } = generateKeyPairSync('ed25519')

function device(id: string): KnownDevice {
  return { device: id, user: `user of ${id}`, publicKey, role: 'member', isRevoked: false, seen: {} }
}

function world() {
  const devices = ['own', 'a', 'b'].map(device)
  const narrowed = new Set<string>()
  let epoch = 1
  let asked = 0
  const readers = createReaders({
    roster: {
      known: { all: () => devices, find: (id) => devices.find((one) => one.device === id), nameOf: () => undefined },
      isAdmin: () => false,
      isNarrowed: (id) => id === 'told',
      narrowedBy: () => new Set(),
    },
    device: 'own',
    mayReadAll(one) {
      asked += 1
      return !narrowed.has(one.device)
    },
    rights: () => String(epoch),
    put: () => Promise.resolve(),
  })
  return { readers, devices, narrowed, asked: () => asked, rightsChange: () => void (epoch += 1) }
}

describe('who may read everything', () => {
  it('is judged once for each machine, however many frames ask', () => {
    const { readers, asked } = world()
    for (let frame = 0; frame < 1_000; frame += 1) expect(readers.isNarrowed('a')).toBe(false)
    expect([...readers.narrowedHere()]).toEqual([])
    expect(asked()).toBe(2)
  })

  it('is judged anew by the next frame after rights, the roster or an account changed', () => {
    const { readers, devices, narrowed, rightsChange } = world()
    expect(readers.isNarrowed('a')).toBe(false)
    narrowed.add('a')
    rightsChange()
    expect([readers.isNarrowed('a'), readers.isNarrowed('b')]).toEqual([true, false])
    narrowed.add('b')
    readers.forget()
    expect([...readers.narrowedHere()]).toEqual(['a', 'b'])
    devices.pop()
    readers.forget()
    expect([...readers.narrowedHere()]).toEqual(['a'])
    expect(readers.isNarrowed('told')).toBe(true)
    narrowed.clear()
    rightsChange()
    expect(readers.isNarrowed('a')).toBe(false)
  })
})
