// A copy of a machine's data folder that is put in the place of the folder: what was written before it was put back and
// what is written afterwards are there on all machines, and the person is told.
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { pair, startFounder, until, withoutBackups } from '../support/synced-hosts.ts'
import { sized } from '../support/test-size.ts'

const base = mkdtempSync(join(tmpdir(), 'cairn-copies-'))
const dataDir = join(base, 'laptop')
const copyDir = join(base, 'copy')
let desk: TestHost
let laptop: TestHost

/** Writes a copy over the files there are, as `cp -r` does: each stays the file it was. */
function copyOver(from: string, to: string, keepsTimes: boolean): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      copyOver(source, target, keepsTimes)
      continue
    }
    copyFileSync(source, target)
    const { atime, mtime } = statSync(source)
    if (keepsTimes) utimesSync(target, atime, mtime)
  }
}

/** Makes a database that was put back the one that was closed, as in a snapshot of a whole machine. */
function asClosed(database: string, stateFile: string): void {
  const { mtimeNs, ctimeNs } = statSync(database, { bigint: true })
  const state = JSON.parse(readFileSync(stateFile, 'utf8')) as object
  const text = JSON.stringify({ ...state, modified: String(mtimeNs), changed: String(ctimeNs) })
  writeFileSync(stateFile, `${text.padEnd(2_047)}\n`)
}

const start = async (): Promise<void> => {
  laptop = await createTestHost({ dataDir, plugins: withoutBackups([...corePlugins, ...optionalPlugins]) })
}

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('part', { title: { type: 'text' }, note: { type: 'text' } })
  await start()
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
  rmSync(base, { recursive: true, force: true })
})

/** Keeps the laptop apart from the desk, or lets it meet it again. */
async function pause(paused: boolean): Promise<void> {
  expect((await laptop.patch('/sync/settings', { paused })).status).toBe(200)
}

async function agree(): Promise<void> {
  for (const host of [desk, laptop])
    await until('the other one has it on disk', async () => {
      const { body } = await host.post('/sync/barrier', { on: 'all', timeoutMs: 10_000 })
      return body.reached === true
    })
  await until('both hold the same', async () => {
    const [here, there] = await Promise.all([desk, laptop].map(async (host) => host.get('/sync/diagnostics')))
    return here!.body.digest !== null && here!.body.digest === there!.body.digest
  })
}

async function made(host: TestHost, title: string): Promise<string> {
  const { status, body } = await host.post('/data/part', { title })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

async function changed(host: TestHost, id: string, data: object): Promise<void> {
  expect((await host.patch(`/data/part/${id}`, data)).status).toBe(200)
}

const recordOf = async (host: TestHost, id: string) => (await host.get(`/data/part/${id}`)).body.record

describe('a copy of the data folder that is put back', { timeout: 60_000 }, () => {
  it.each([
    ['copied', 1, 8],
    ['moved', 1, 8],
    ['copied', 8, 1],
    ['moved', 3, 0],
    ...sized([], [['copied over', 8, 1] as const]),
    ['copied over', 1, 8],
    ['copied over, with its times', 3, 2],
  ] as const)(
    'has what it lacks and what is written to it: %s, lacks %i, then writes %i',
    async (way, lacks, writes) => {
      const shared = await made(laptop, 'Shared')
      await agree()
      const { inc } = (await laptop.get('/sync/status')).body.device
      await pause(true)
      await laptop.stop()
      cpSync(dataDir, copyDir, { recursive: true })
      await start()
      expect((await laptop.get('/sync/status')).body.device.inc).toBe(inc)
      await pause(false)
      const before: string[] = []
      for (let index = 0; index < lacks; index += 1) before.push(await made(laptop, `Before ${index}`))
      await changed(laptop, shared, { title: 'Shared, changed before' })
      await agree()
      await laptop.stop()
      const isOver = way !== 'copied' && way !== 'moved'
      if (!isOver) rmSync(dataDir, { recursive: true })
      if (isOver) copyOver(copyDir, dataDir, way !== 'copied over')
      else if (way === 'moved') renameSync(copyDir, dataDir)
      else cpSync(copyDir, dataDir, { recursive: true })
      rmSync(copyDir, { recursive: true, force: true })
      await start()
      expect((await laptop.get('/sync/status')).body.device.inc).not.toBe(inc)
      const after: string[] = []
      for (let index = 0; index < writes; index += 1) after.push(await made(laptop, `After ${index}`))
      if (writes > 0) await changed(laptop, shared, { note: 'Changed after' })
      await pause(false)
      await agree()
      for (const host of [desk, laptop]) {
        for (const [index, id] of before.entries())
          expect(await recordOf(host, id)).toMatchObject({ title: `Before ${index}` })
        for (const [index, id] of after.entries())
          expect(await recordOf(host, id)).toMatchObject({ title: `After ${index}` })
        const note = writes > 0 ? 'Changed after' : null
        expect(await recordOf(host, shared)).toMatchObject({ title: 'Shared, changed before', note })
        await until('both say so', async () => (await host.get('/sync/status')).body.state === 'up_to_date')
        expect((await host.get('/sync/conflicts')).body.conflicts).toEqual([])
      }
      const status = (await laptop.get('/sync/status')).body
      // Its times kept, it may as well be the file itself, of which somebody changed the rights: nobody is told.
      if (way !== 'copied over, with its times') expect(Date.now() - Date.parse(status.putBackAt)).toBeLessThan(60_000)
      expect((await desk.get('/sync/status')).body.putBackAt).toBeUndefined()
    },
  )

  it.each<readonly [number, number]>([
    [4, 4],
    ...sized<[number, number][]>(
      [],
      [
        [8, 1],
        [1, 8],
      ],
    ),
  ])('is found by what others have where nothing else tells: lacks %i, then writes %i', async (lacks, writes) => {
    await agree()
    const { inc } = (await laptop.get('/sync/status')).body.device
    await pause(true)
    await laptop.stop()
    cpSync(dataDir, copyDir, { recursive: true })
    await start()
    await pause(false)
    const titles = new Map<string, string>()
    for (let index = 0; index < lacks; index += 1) {
      const title = `Before the snapshot was put back ${index}`
      titles.set(await made(laptop, title), title)
    }
    await agree()
    await laptop.stop()
    copyOver(copyDir, dataDir, true)
    rmSync(copyDir, { recursive: true })
    asClosed(join(dataDir, 'cairn.db'), join(dataDir, 'cairn.state'))
    await start()
    expect((await laptop.get('/sync/status')).body.device.inc).toBe(inc)
    for (let index = 0; index < writes; index += 1) {
      const title = `After the snapshot was put back ${index}`
      titles.set(await made(laptop, title), title)
      // More ends of the log than the one the snapshot has.
      if (index === 1) await laptop.stop().then(start)
    }
    await pause(false)
    const underAnother = async (): Promise<boolean> => {
      const { device, state } = (await laptop.get('/sync/status')).body
      return state !== 'off' && device.inc !== inc
    }
    // Two logs of one length tell of themselves with the next change; until then documents are compared and repaired.
    if (lacks !== writes) await until('it writes under another number', underAnother)
    await agree()
    for (const host of [desk, laptop]) {
      for (const [id, title] of titles) expect(await recordOf(host, id)).toMatchObject({ title })
      await until('both say so', async () => (await host.get('/sync/status')).body.state === 'up_to_date')
    }
    const last = await made(laptop, 'Written later')
    await until('it goes on', async () => (await recordOf(desk, last))?.title === 'Written later')
    expect(await underAnother()).toBe(true)
    await agree()
  })

  it('goes on under its number where nothing was put back', async () => {
    const { device, putBackAt } = (await laptop.get('/sync/status')).body
    await laptop.stop()
    await start()
    expect((await laptop.get('/sync/status')).body).toMatchObject({ device: { inc: device.inc }, putBackAt })
    await agree()
  })
})

describe('a machine that is away', { timeout: 60_000 }, () => {
  it('is named beside those it is proved with', async () => {
    const tablet = await createTestHost({ plugins: withoutBackups([...corePlugins, ...optionalPlugins]) })
    try {
      await pair(desk, tablet, 'Tablet')
      await until('the desk is proved with both', async () => {
        const { proof } = (await desk.get('/sync/status')).body
        return proof?.with.length === 2 && proof.without.length === 0
      })
    } finally {
      await tablet.stop()
    }
    const { proof } = await until('the desk is proved with the laptop', async () => {
      const { body } = await desk.get('/sync/status')
      return body.proof?.with.length === 1 ? body : undefined
    })
    expect(proof.without).toMatchObject([{ name: 'Tablet', lastSeenAt: expect.any(String) }])
  })
})
