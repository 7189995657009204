// A paired machine of somebody else that is hostile about files (D-323): it asks for what its person may not read, sends other
// bytes, too many, or unasked, and says things of files of others. Nothing of it is given, kept or believed.
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { localOwnerId } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type { ByteWord, ByteWordOf } from '#main/plugins/sync/files/byte-words.ts'
import { decodeByteWord, encodeByteWord, pieceBytes } from '#main/plugins/sync/files/byte-words.ts'
import { setEntries } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import { encodeFrame } from '#main/replication/wire/frame-codec.ts'
import { heldMemory } from '../support/held-memory.ts'
import type { HostileDevice } from '../support/hostile-device.ts'
import { pairHostileDevice } from '../support/hostile-device.ts'
import type { RawPeer } from '../support/raw-peer.ts'
import { fetchBytes, filesOnDisk, upload } from '../support/storage-calls.ts'
import { listen, until, withoutBackups } from '../support/synced-hosts.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import type { PeopledHost } from '../support/test-identities.ts'

const ann = testUserId(0)
const content = randomBytes(3 * pieceBytes + 10)
const checksum = hash('sha256', content, 'buffer')
let host: PeopledHost
let deskId: string
let hostile: HostileDevice
let raw: RawPeer

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}] }, withoutBackups)
  await host.saveItem('profile', 'readonly', { label: 'Look only', objects: { '*': { allowRead: true } } })
  await host.assign(0, { profile: 'readonly' })
  await listen(host)
  await host.post('/sync/enable', { deviceName: 'Desk' })
  deskId = (await host.get('/sync/status')).body.device.id
  hostile = await pairHostileDevice(host, 'member', ann)
  await enter()
}, 60_000)

afterAll(() => host?.stop())

/** Connects, also after the host has paused the device. */
async function enter(): Promise<void> {
  await host.post(`/sync/peers/${hostile.device}/reconnect`)
  raw = await hostile.connect()
  await until('the host greets', () => raw.of('AUTH').length > 0)
  await until('the host is done', () => raw.of('DONE').length > 0)
}

const say = (file: string, word: ByteWord): void =>
  raw.say({ kind: 'LIVE', doc: `b/${file}`, update: encodeByteWord(word) })
const words = (file: string): ByteWord[] =>
  raw.of('LIVE').flatMap(({ doc, update }) => (doc === `b/${file}` ? [decodeByteWord(update)] : []))
const want = (file: string, id: number, from = 0, length = pieceBytes): void =>
  say(file, { kind: 'want', to: deskId, id, from, length, sha256: checksum })
const answerTo = (file: string, id: number) => until('an answer', () => words(file).find((word) => word.id === id))

/** Writes entries into the document of a file; answers what became of the envelope. */
async function write(file: string, values: Readonly<Record<string, Json>>, author = ann): Promise<string | undefined> {
  const doc = `b/${file}`
  const stored = host.host.database.read.get<{ state: Uint8Array }>(
    statement('SELECT state FROM sync_doc WHERE name = ?', [doc]),
  )
  const loaded = new Y.Doc()
  if (stored !== undefined) Y.applyUpdate(loaded, stored.state)
  loaded.clientID = hostile.inc
  const before = Y.encodeStateVector(loaded)
  setEntries(loaded, values, { ms: Date.now(), ctr: 1 }, hostile.inc)
  raw.say(...hostile.write([{ doc, author, update: Y.encodeStateAsUpdate(loaded, before) }]))
  const seq = hostile.seq()
  const sql = 'SELECT applied_seq AS seq FROM sync_inc WHERE inc = ?'
  const applied = () => host.host.database.read.get<{ seq: number }>(statement(sql, [hostile.inc]))?.seq ?? 0
  await until('the host has dealt with it', () => applied() >= seq)
  return host.host.database.read.get<{ reason: string }>(
    statement('SELECT reason FROM sync_problem WHERE inc = ? AND seq = ?', [hostile.inc, seq]),
  )?.reason
}

const entry = (more: Record<string, Json> = {}): Json => ({
  ...{ organizationId: null, scope: 'public', bucket: 'default', name: 'gift.bin', extension: 'bin' },
  ...{ mimeType: 'application/octet-stream', size: content.length, sha256: checksum.toString('hex'), metadata: {} },
  ...{ createdBy: ann, createdAt: Date.now(), home: hostile.device },
  ...more,
})
const read = (file: string) =>
  fetchBytes(`${host.host.url}/api/v1/storage/${file}`, { authorization: `Bearer ${host.host.token}` })
const told = async (file: string) => (await host.get(`/storage/files/${file}/metadata`)).body.data
const blamed = (): string[] => raw.of('ERR').map(({ code }) => code)

/** Has the host open a file of the device, which answers each question. */
async function opened(answer: (asked: ByteWordOf<'want'>) => Uint8Array): Promise<number> {
  const file = randomUUID()
  expect(await write(file, { file: entry() })).toBeUndefined()
  const reading = read(file)
  const answered = new Set<number>()
  const timer = setInterval(() => {
    for (const word of words(file)) {
      if (word.kind !== 'want' || answered.has(word.from)) continue
      answered.add(word.from)
      const bytes = answer(word)
      say(file, {
        kind: 'piece',
        to: deskId,
        id: word.id,
        from: word.from,
        bytes,
        hash: hash('sha256', bytes, 'buffer'),
      })
    }
  }, 5)
  try {
    const { status, bytes } = await reading
    if (status === 200) expect(bytes.equals(content)).toBe(true)
    else expect((await told(file)).place.here).toBe(false)
    return status
  } finally {
    clearInterval(timer)
  }
}

const rightPart = ({ from, length }: ByteWordOf<'want'>): Uint8Array => content.subarray(from, from + length)

describe('a hostile machine', { timeout: 60_000 }, () => {
  it('gets the bytes its person may read and no others', async () => {
    const open = (await upload(host, content, { name: 'open.bin', scope: 'public' })).fileId
    const secrets = ['user', 'private', 'system'].map(async (scope) => upload(host, content, { name: 'x.bin', scope }))
    want(open, 1)
    const piece = await answerTo(open, 1)
    expect(piece.kind === 'piece' && content.subarray(0, pieceBytes).equals(piece.bytes)).toBe(true)
    want(open, 2, content.length - 5, 6)
    expect(await answerTo(open, 2)).toMatchObject({ kind: 'no', code: 'absent' })
    for (const { fileId } of await Promise.all(secrets)) {
      want(fileId, 3)
      const refusal = await answerTo(fileId, 3)
      expect(refusal.kind === 'no' && refusal.code).toBe('forbidden')
    }
    const none = randomUUID()
    want(none, 4)
    const refusal = await answerTo(none, 4)
    expect(refusal.kind === 'no' && refusal.code).toBe('forbidden')
  })

  it('says nothing of the files of others, and nothing new of its own', async () => {
    const own = randomUUID()
    expect(await write(own, { file: entry() })).toBeUndefined()
    expect(await write(own, { file: entry({ scope: 'user' }) })).toBe('forbidden')
    const theirs = (await upload(host, content, { name: 'theirs.bin', scope: 'public' })).fileId
    expect(await write(theirs, { gone: { at: new Date().toISOString(), force: true } })).toBe('forbidden')
    // Said before the file is here, it waits for it.
    expect(await write(randomUUID(), { gone: { at: new Date().toISOString(), force: true } })).toBe('newer_schema')
    expect(await write(randomUUID(), { file: 'anything' })).toBe('newer_schema')
    expect(await write(theirs, { file: entry() })).toBe('forbidden')
    expect(await write(randomUUID(), { file: entry({ createdBy: localOwnerId }) })).toBe('forbidden')
    expect(await write(randomUUID(), { file: entry({ scope: 'system' }) })).toBe('forbidden')
    expect(await told(theirs)).toMatchObject({ name: 'theirs.bin', scope: 'public' })
    // Whoever knows the checksum of a file has not shown that they have its bytes.
    expect((await told(own)).place.here).toBe(false)
    want(own, 5)
    expect(await answerTo(own, 5)).toMatchObject({ kind: 'no', code: 'absent' })
  })

  it('has what it sends kept only where it is what was announced', async () => {
    const before = filesOnDisk(host.dataDir)
    expect(await opened((asked) => randomBytes(asked.length))).toBe(503)
    expect(await opened((asked) => rightPart(asked).subarray(1))).toBe(503)
    expect(await opened((asked) => (asked.from === 0 ? rightPart(asked) : randomBytes(asked.length)))).toBe(503)
    expect(blamed()).toEqual(expect.arrayContaining(['file_mismatch', 'file_misbehaved']))
    expect(filesOnDisk(host.dataDir)).toEqual(before)
    expect(await opened(rightPart)).toBe(200)
  })

  it('is held to what it was asked, and to a few questions at a time', async () => {
    const open = (await upload(host, content, { name: 'wanted.bin', scope: 'public' })).fileId
    for (let id = 100; id < 160; id += 1) want(open, id)
    await until('all are answered', () => words(open).length === 60)
    expect(words(open).filter(({ kind }) => kind === 'piece').length).toBeLessThan(60)
    const before = heldMemory()
    const file = randomUUID()
    const bytes = randomBytes(pieceBytes)
    const digest = hash('sha256', bytes, 'buffer')
    const pieceOf = (id: number): ByteWord => ({ kind: 'piece', to: deskId, id, from: 0, bytes, hash: digest })
    let sent = 0
    // Until the host ends the link.
    while (sent < 400) {
      const update = encodeByteWord(pieceOf(sent + 1))
      if (!(await raw.link.send(encodeFrame({ kind: 'LIVE', doc: `b/${file}`, update })))) break
      sent += 1
    }
    expect(sent).toBeLessThan(400)
    const isPaused = async () => {
      const { peers } = (await host.get('/sync/peers')).body
      return peers.find(({ id }: { id: string }) => id === hostile.device)?.state === 'paused'
    }
    await until('the host hears it no more', isPaused)
    expect(blamed()).toContain('file_unasked')
    // Both ends of the link are in this process: what was on its way is held until their sockets are gone.
    const grown = (): number => {
      const after = heldMemory()
      return after.heap + after.external - before.heap - before.external
    }
    await expect.poll(grown, { timeout: 20_000, interval: 500 }).toBeLessThan(8 * 1024 * 1024)
  })
})
