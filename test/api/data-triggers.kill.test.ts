// What was acknowledged before kill -9: its triggers run after the next start, each once, and a repeated request with
// its Idempotency-Key has no second effect (D-42, D-98).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cairnEntry, startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { connectToDataDir, expectStatus } from '../support/api-call.ts'
import { sized } from '../support/test-size.ts'

const rounds = sized(1, 6)
const perRound = 12

const action = {
  type: 'create_record',
  config: { object: 'entry', data: { of: '{{ record.id }}' } },
}

it('keeps triggers and idempotency keys of acknowledged writes over kill -9', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-triggers-'))
  let server: ChildServer | undefined
  try {
    const acknowledged: { key: string; id: string }[] = []
    for (let round = 0; round < rounds; round += 1) {
      server = await startChildServer({ dataDir, entry: cairnEntry })
      const { url, token } = connection(dataDir)
      if (round === 0) await define(dataDir)
      const create = async (key: string): Promise<void> => {
        const response = await fetch(`${url}/api/v1/data/deal`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify({ name: key }),
        })
        const { id } = (await response.json()) as { id: string }
        expect(response.status).toBe(201)
        acknowledged.push({ key, id })
      }
      const writes = Array.from({ length: perRound }, (_, at) => create(`r${round}-${at}`).catch(() => undefined))
      // The kill falls between the acknowledgements and the end of their triggers.
      await Promise.race(writes.slice(perRound / 2))
      await server.end('SIGKILL')
      await Promise.all(writes)
    }
    server = await startChildServer({ dataDir, entry: cairnEntry })
    const call = connectToDataDir(dataDir)
    const list = async (object: string): Promise<Record<string, string>[]> => {
      const { records } = (await expectStatus(call, 200, 'GET', `/api/v1/data/${object}?top=1000`)) as {
        records: Record<string, string>[]
      }
      return records
    }
    let entries = await list('entry')
    for (let wait = 0; wait < 200 && entries.length < (await list('deal')).length; wait += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25))
      entries = await list('entry')
    }
    const { url, token } = connection(dataDir)
    expect(acknowledged.length).toBeGreaterThanOrEqual(rounds)
    for (const { key, id } of acknowledged) {
      expect(entries.filter((entry) => entry['of'] === id)).toHaveLength(1)
      const repeat = await fetch(`${url}/api/v1/data/deal`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ name: key }),
      })
      const body = (await repeat.json()) as { id?: string }
      expect([repeat.status, repeat.headers.get('idempotent-replay'), body.id]).toEqual([201, 'true', id])
    }
    const deals = await list('deal')
    expect(new Set(deals.map((deal) => deal['name'])).size).toBe(deals.length)
    expect(entries.length).toBe(deals.length)
  } finally {
    await server?.end('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 120_000)

async function define(dataDir: string): Promise<void> {
  const call = connectToDataDir(dataDir)
  const objects = {
    entry: { fields: { of: { type: 'text' } } },
    deal: { fields: { name: { type: 'text' } }, triggers: [{ name: 'log', events: ['create'], actions: [action] }] },
  }
  for (const [name, item] of Object.entries(objects)) {
    const body = { type: 'object', name, item: { name, ...item } }
    await expectStatus(call, 200, 'PUT', `/api/v1/meta/object/${name}`, body)
  }
}

function connection(dataDir: string): { url: string; token: string } {
  return JSON.parse(readFileSync(join(dataDir, 'connection.json'), 'utf8')) as { url: string; token: string }
}
