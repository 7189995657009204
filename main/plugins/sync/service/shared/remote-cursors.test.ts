// Cursors of other machines: who may say them, when they go, and the counts screens go by.
import { expect, it } from 'vitest'
import { decodeAware, encodeAware } from './aware-codec.ts'
import { createRemoteCursors } from './remote-cursors.ts'

const at = (anchor: number) => ({ cursor: { anchor }, user: { id: 'u', name: 'Name' } })

it('are shown with rising counts, and fade after half a minute of silence', () => {
  let now = 0
  const cursors = createRemoteCursors(
    () => now,
    () => false,
  )
  expect(cursors.say('desk', [{ clientId: 7, clock: 5, state: at(1) }])).toEqual([
    { clientId: 7, clock: 1, state: at(1) },
  ])
  now = 29_000
  expect(cursors.fade()).toEqual([])
  expect(cursors.say('desk', [{ clientId: 7, clock: 4, state: at(2) }])).toEqual([])
  now = 31_000
  expect(cursors.fade()).toEqual([{ clientId: 7, clock: 2, state: null }])
  expect(cursors.all()).toEqual([])
  // Back with the count it had: screens take it only when theirs has risen.
  expect(cursors.say('desk', [{ clientId: 7, clock: 5, state: at(3) }])).toEqual([
    { clientId: 7, clock: 3, state: at(3) },
  ])
})

it('are said by their own machine alone, and by none for somebody here', () => {
  const cursors = createRemoteCursors(
    () => 0,
    (clientId) => clientId === 9,
  )
  expect(cursors.say('desk', [{ clientId: 9, clock: 1, state: at(1) }])).toEqual([])
  cursors.say('desk', [{ clientId: 7, clock: 1, state: at(1) }])
  expect(cursors.say('laptop', [{ clientId: 7, clock: 9, state: null }])).toEqual([])
  expect(cursors.leave('laptop')).toEqual([])
  expect(cursors.leave('desk')).toEqual([{ clientId: 7, clock: 2, state: null }])
  const many = Array.from({ length: 200 }, (_, clientId) => ({ clientId: 1_000 + clientId, clock: 1, state: at(0) }))
  expect(cursors.say('desk', many)).toHaveLength(64)
})

it('travel within the size of a frame, without what is no cursor', () => {
  const vector = new Uint8Array(300).fill(1)
  const word = { isOpen: true, epoch: 12, vector, cursors: [{ clientId: 7, clock: 5, state: at(1) }] }
  expect(decodeAware(encodeAware(word))).toEqual(word)
  const long = { cursor: { anchor: 'x'.repeat(1_500) }, user: { id: 'u', name: 'Name' } }
  const cursors = Array.from({ length: 10 }, (_, clientId) => ({ clientId, clock: 1, state: long }))
  const bytes = encodeAware({ ...word, cursors })
  expect(bytes.byteLength).toBeLessThanOrEqual(4 * 1024)
  expect(decodeAware(bytes)).toMatchObject({ vector, cursors: [{ clientId: 0 }, { clientId: 1 }] })
  const huge = encodeAware({ isOpen: true, epoch: 12, vector: new Uint8Array(5_000), cursors: [] })
  expect(decodeAware(huge)).toEqual({ isOpen: true, epoch: 12, cursors: [] })
  const sly = { cursor: 'none', user: { id: 5, name: 'n'.repeat(500) }, more: 'x' }
  const said = encodeAware({ isOpen: true, epoch: 1, cursors: [{ clientId: 1, clock: 1, state: sly }] })
  expect(decodeAware(said)!.cursors[0]!.state).toEqual({ cursor: null, user: { id: '', name: 'n'.repeat(100) } })
  for (const garbage of [[], [255, 255, 255, 255, 255, 255], [1, 1, 200], [...bytes, 0]])
    expect(decodeAware(Uint8Array.from(garbage))).toBe(null)
})
