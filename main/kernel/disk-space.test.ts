import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeSmallDisk } from '../../test/support/small-disk.ts'
import { ballastBytes, openDiskSpace } from './disk-space.ts'
import type { DiskSpace } from './disk-space.ts'

const megabyte = 1024 * 1024
const noRoom = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })

describe('the ballast', () => {
  let dir: string
  let file: string
  let space: DiskSpace
  let told: boolean[]
  const sizeOf = (): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const open = (): DiskSpace => openDiskSpace({ file, bytes: 6 * megabyte, onChange: (isFull) => told.push(isFull) })

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'cairn-space-'))
    file = join(dir, 'cairn.ballast')
    told = []
    space = open()
  })

  afterEach(async () => {
    await space.close()
    rmSync(dir, { recursive: true })
  })

  it('is made once the host runs, and is private', async () => {
    expect(sizeOf()).toBe(0)
    space.started()
    await vi.waitFor(() => expect(sizeOf()).toBe(6 * megabyte), 10_000)
    expect(statSync(file).mode & 0o077).toBe(0)
    expect({ full: space.isFull(), told }).toEqual({ full: false, told: [] })
  })

  it('gives way in parts to writes without room, and comes back by itself', async () => {
    space.started()
    await vi.waitFor(() => expect(sizeOf()).toBe(6 * megabyte), 10_000)
    space.failed(noRoom)
    expect({ full: space.isFull(), refuses: space.refuses(), size: sizeOf() }).toEqual({
      full: true,
      refuses: true,
      size: 4 * megabyte,
    })
    for (let time = 0; time < 3; time += 1) space.failed(noRoom)
    // What is left is for the next start.
    expect(sizeOf()).toBe(2 * megabyte)
    await vi.waitFor(() => expect(space.isFull()).toBe(false), 10_000)
    expect({ size: sizeOf(), told }).toEqual({ size: 6 * megabyte, told: [true, false] })
  })

  it('is no matter of other failures', () => {
    space.failed(new Error('Something else.'))
    space.failed(Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' }))
    expect(told).toEqual([])
  })

  it('refuses nothing before the host runs', () => {
    space.failed(noRoom)
    expect({ full: space.isFull(), refuses: space.refuses() }).toEqual({ full: true, refuses: false })
  })

  it('is completed when a part of it is missing', async () => {
    await space.close()
    writeFileSync(file, '')
    truncateSync(file, megabyte)
    space = open()
    space.started()
    await vi.waitFor(() => expect(sizeOf()).toBe(6 * megabyte), 10_000)
  })
})

describe('the ballast on a full disk', () => {
  const disk = makeSmallDisk(32)
  const why = typeof disk === 'string' ? disk : ''

  it.skipIf(typeof disk === 'string')(`makes room for a start and is whole again with the space ${why}`, async () => {
    if (typeof disk === 'string') return
    const file = join(disk.path, 'cairn.ballast')
    const told: boolean[] = []
    const open = (): DiskSpace =>
      openDiskSpace({ file, bytes: ballastBytes, onChange: (isFull) => void told.push(isFull) })
    let space = open()
    try {
      space.started()
      await vi.waitFor(() => expect(statSync(file).size).toBe(ballastBytes), 10_000)
      await space.close()
      disk.fill()
      space = open()
      expect(told).toEqual([true])
      writeFileSync(join(disk.path, 'log'), Buffer.alloc(megabyte))
      space.makeRoom()
      expect(statSync(file).size).toBe(ballastBytes - 2 * megabyte)
      disk.fill()
      space.makeRoom()
      expect(statSync(file).size).toBe(ballastBytes - 4 * megabyte)
      disk.free()
      await vi.waitFor(() => expect(told).toEqual([true, false]), 10_000)
      expect(statSync(file).size).toBe(ballastBytes)
    } finally {
      await space.close()
      disk.remove()
    }
  })
})
