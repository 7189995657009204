// A restore from the running program that is killed at a random moment: the next start finds the present state or the backup,
// whole, with nothing half in place, and the present state is among the backups once the old one is gone (D-207).
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ChildServer } from '../safety/child-server.ts'
import { startChildServer } from '../safety/child-server.ts'
import { sized } from '../support/test-size.ts'

const kills = sized(2, 3, 60)
/** From before the copy of the present state to after the restart. */
const spanMs = 2_500

it(
  'leaves the one state or the other',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-restore-kill-'))
    let server: ChildServer | undefined
    const ask = async <T>(status: number, method: string, path: string, body?: unknown): Promise<T> => {
      const answer = await server!.call(method, `/api/v1${path}`, body)
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(status)
      return JSON.parse(answer.text) as T
    }
    const records = async (): Promise<string> =>
      JSON.stringify(
        (await ask<{ records: unknown[] }>(200, 'GET', '/data/note?deleted=include&sort=id&top=1000')).records,
      )
    const seen = { old: 0, new: 0 }
    try {
      server = await startChildServer({ dataDir })
      await ask(200, 'PUT', '/meta/object/note', {
        type: 'object',
        name: 'note',
        item: { name: 'note', fields: { title: { type: 'text' } } },
      })
      for (let turn = 0; turn < kills; turn += 1) {
        const { id: note } = await ask<{ id: string }>(201, 'POST', '/data/note', { title: `kept ${turn}` })
        const then = await records()
        const { id } = await ask<{ id: string }>(201, 'POST', '/backups', {})
        await ask(200, 'PATCH', `/data/note/${note}`, { title: 'changed' })
        await ask(201, 'POST', '/data/note', { title: `later ${turn}` })
        const now = await records()
        const asked = server.call('POST', `/api/v1/backups/${id}/restore`, { confirm: id }).catch(() => undefined)
        // The last turn is not disturbed before it is done: the way to the end is among those that are seen.
        if (turn === kills - 1) await asked
        else await pause(Math.random() * spanMs)
        await server.end('SIGKILL')
        await asked
        server = await startChildServer({ dataDir })
        const found = await records()
        expect([then, now]).toContain(found)
        seen[found === then ? 'old' : 'new'] += 1
        expect(readdirSync(dataDir).filter((name) => name.endsWith('.incoming'))).toEqual([])
        const { backups } = await ask<{ backups: { id: string; note?: string; verified: boolean }[] }>(
          200,
          'GET',
          '/backups',
        )
        expect(backups.every(({ verified }) => verified)).toBe(true)
        if (found === then) expect(backups[0]!.note).toBe(`before the restore of ${id}`)
        for (const each of backups) await ask(200, 'DELETE', `/backups/${each.id}`)
      }
    } finally {
      await server?.end('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    }
    expect(seen.old + seen.new).toBe(kills)
  },
  sized(120_000, 1_800_000),
)
