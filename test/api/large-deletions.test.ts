// Deletions that take many records along, or leave many without a reference (D-61): one transaction, beside which reads are
// answered. How many are answered is counted, not timed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { sized } from '../support/test-size.ts'

const count = sized(3_000, 4_000, 20_000)
/** More than are answered before the deletion has begun and after it has ended. */
const answeredMeanwhile = 3
const timeoutMs = sized(120_000, 600_000)

const objects: Readonly<Record<string, Record<string, unknown>>> = {
  firm: { name: { type: 'text' } },
  person: { name: { type: 'text' }, firm: { type: 'lookup', reference: 'firm' } },
  part: { name: { type: 'text' }, firm: { type: 'master_detail', reference: 'firm' } },
  friend: { name: { type: 'text' }, firms: { type: 'lookup', reference: 'firm', multiple: true } },
}

type Ask = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Answer['body'] }>

const define = async (ask: Ask): Promise<void> => {
  for (const [name, fields] of Object.entries(objects))
    expect((await ask('PUT', `/meta/object/${name}`, { type: 'object', name, item: { name, fields } })).status).toBe(
      200,
    )
}

/** A firm that many records of an object point at. */
const firmWith = async (ask: Ask, object: string, valueOf: (id: string) => unknown): Promise<string> => {
  const { id } = (await ask('POST', '/data/firm', { name: 'one' })).body
  for (let at = 0; at < count; at += 1_000) {
    const records = Array.from({ length: 1_000 }, (_, one) => ({ name: `n${at + one}`, ...(valueOf(id) as object) }))
    expect((await ask('POST', `/data/${object}/createMany`, { records })).status).toBe(201)
  }
  return id
}

const pointing = async (ask: Ask, object: string, filter: string): Promise<number> => {
  const { status, body } = await ask('GET', `/data/${object}?filter=${encodeURIComponent(filter)}&top=1&count=true`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.total
}

/** What reads answer until a call is answered, one after the other, and how many small ones beside them were answered. */
const during = async <T>(call: Promise<Answer>, read: () => Promise<T>, readSmall: () => Promise<unknown>) => {
  const seen: T[] = []
  let small = 0
  let isOver = false
  const answered = call.finally(() => (isOver = true))
  const beside = (async () => {
    for (; !isOver; small += 1) await readSmall()
  })()
  while (!isOver) seen.push(await read())
  await beside
  const { status, body } = await answered
  expect(status, JSON.stringify(body)).toBe(200)
  return { seen, small }
}

/** How records name what is deleted: a field's object, its value, the filter that finds them. */
const links = [
  ['lookup', 'person', (firm: string) => ({ firm }), (id: string) => `{"firm":"${id}"}`],
  ['master_detail', 'part', (firm: string) => ({ firm }), (id: string) => `{"firm":"${id}"}`],
  ['lookup of a list', 'friend', (id: string) => ({ firms: [id] }), (id: string) => `{"firms":{"$contains":"${id}"}}`],
] as const

describe('a large deletion', { timeout: timeoutMs }, () => {
  let host: TestHost
  const ask: Ask = (method, path, body) =>
    method === 'GET' ? host.get(path) : method === 'PUT' ? host.put(path, body) : host.post(path, body)

  beforeAll(async () => {
    host = await createTestHost()
    await define(ask)
  })
  afterAll(() => host.stop())

  it.each(links.slice(0, sized(1, links.length)))(
    'and its restore leave reads answered, which see all of it or nothing: %s',
    async (_, object, valueOf, filterOf) => {
      const id = await firmWith(ask, object, valueOf)
      const read = () => pointing(ask, object, filterOf(id))
      expect(await read()).toBe(count)
      for (const [call, after] of [
        [() => host.delete(`/data/firm/${id}`), 0],
        [() => host.post(`/data/firm/${id}/restore`), count],
        [() => host.post('/data/firm/deleteMany', { ids: [id], options: { atomic: true } }), 0],
        [() => host.post(`/data/firm/${id}/restore`), count],
        [() => host.delete(`/data/firm/${id}?purge=true`), 0],
      ] as const) {
        const { seen, small } = await during(call(), read, () => host.get(`/data/firm/${id}`))
        expect(small).toBeGreaterThanOrEqual(answeredMeanwhile)
        expect(seen.filter((total) => total !== 0 && total !== count)).toEqual([])
        expect(await read()).toBe(after)
      }
    },
  )

  it('waits for another one, and a restore waits for it', async () => {
    const [first, second] = [
      await firmWith(ask, 'person', (firm) => ({ firm })),
      await firmWith(ask, 'part', (firm) => ({ firm })),
    ]
    const back = (): Promise<Answer> => host.post(`/data/firm/${first}/restore`)
    const deletions = [host.delete(`/data/firm/${first}`), host.delete(`/data/firm/${second}`)] as const
    // By now the first one has begun.
    for (let turn = 0; turn < answeredMeanwhile; turn += 1) await pointing(ask, 'person', `{"firm":"${first}"}`)
    const restored = back()
    const again = host.delete(`/data/firm/${second}`)
    const answers = await Promise.all([...deletions, restored, again])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404])
    expect(await pointing(ask, 'person', `{"firm":"${first}"}`)).toBe(count)
    expect(await pointing(ask, 'part', `{"firm":"${second}"}`)).toBe(0)
  })

  it('writes nothing when one of many refuses', async () => {
    const id = await firmWith(ask, 'part', (firm) => ({ firm }))
    await host.defineObject('seal', { part: { type: 'lookup', reference: 'part', deleteBehavior: 'restrict' } })
    const last = (await host.get(`/data/part?filter=${encodeURIComponent(`{"firm":"${id}"}`)}&sort=-id&top=1`)).body
      .records[0]
    expect((await host.post('/data/seal', { part: last.id })).status).toBe(201)
    host.takeEvents()
    const { status, body } = await host.delete(`/data/firm/${id}`)
    expect([status, body.error.code]).toEqual([409, 'delete_restricted'])
    expect(await pointing(ask, 'part', `{"firm":"${id}"}`)).toBe(count)
    expect(host.takeEvents()).toEqual([])
  })
})

describe('a large deletion that a kill interrupts', { timeout: timeoutMs }, () => {
  it('has not begun after the restart, and can be done', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-deletion-kill-'))
    let server: ChildServer = await startChildServer({ dataDir })
    const ask: Ask = async (method, path, body) => {
      const { status, text } = await server.call(method, `/api/v1${path}`, body)
      return { status, body: JSON.parse(text) }
    }
    try {
      await define(ask)
      const id = await firmWith(ask, 'person', (firm) => ({ firm }))
      const read = () => pointing(ask, 'person', `{"firm":"${id}"}`)
      for (const path of [`/data/firm/${id}`, `/data/firm/${id}?purge=true`]) {
        let isAnswered = false
        const cut = ask('DELETE', path).then(
          () => (isAnswered = true),
          () => undefined,
        )
        for (let turn = 0; turn < answeredMeanwhile; turn += 1) await ask('GET', `/data/firm/${id}`)
        expect(isAnswered).toBe(false)
        await server.end('SIGKILL')
        await cut
        server = await startChildServer({ dataDir })
        expect(await read()).toBe(count)
        expect((await ask('GET', `/data/firm/${id}`)).status).toBe(200)
      }
      expect((await ask('DELETE', `/data/firm/${id}`)).status).toBe(200)
      expect(await read()).toBe(0)
      expect((await ask('POST', `/data/firm/${id}/restore`)).status).toBe(200)
      expect(await read()).toBe(count)
    } finally {
      await server.end('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
