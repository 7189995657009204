// Deliveries over a target that fails, hangs and is away, and over kill -9 of the host: what was acknowledged arrives, under
// one id per event, and per record in the order of its events (D-191, D-194).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ChildServer } from '../safety/child-server.ts'
import { startChildServer } from '../safety/child-server.ts'
import type { HookPeer } from '../support/hook-peer.ts'
import { startHookPeer } from '../support/hook-peer.ts'
import { sized } from '../support/test-size.ts'

/** Records, each of which is made and changed: two deliveries. */
const records = sized(24, 5_000)
const kills = 3
const atOnce = 20

it(
  'brings every event of an acknowledged write, in order per record, over a failing target and kills of the host',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-webhooks-kill-'))
    const peer = await startHookPeer()
    let server: ChildServer | undefined
    /** What the target does with the request of a number: it mostly answers, sometimes fails or hangs. */
    const behave = (): void => {
      const turn = peer.hooks.length % 40
      peer.status = turn === 11 ? null : turn % 7 === 3 ? 503 : 200
    }
    const behaving = setInterval(behave, 5)
    try {
      server = await startChildServer({ dataDir })
      const item = { name: 'task', fields: { title: { type: 'text' }, at: { type: 'number' } } }
      await server.call('PUT', '/api/v1/meta/object/task', { type: 'object', name: 'task', item })
      await server.call('PATCH', '/api/v1/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
      const retryPolicy = { maxRetries: 10, backoffStrategy: 'fixed', initialDelayMs: 200, maxDelayMs: 1_000 }
      const webhook = { name: 'told', object: 'task', triggers: ['create', 'update'], url: peer.url, timeoutMs: 1_000 }
      const made = await server.call('POST', '/api/v1/webhooks', { ...webhook, retryPolicy })
      expect(made.status, made.text).toBe(201)

      const acknowledged: { id: string; trigger: string }[] = []
      const write = async (at: number): Promise<void> => {
        const created = await server!.call('POST', '/api/v1/data/task', { title: `task ${at}`, at })
        if (created.status !== 201) return
        const { id } = JSON.parse(created.text) as { id: string }
        acknowledged.push({ id, trigger: 'create' })
        const changed = await server!.call('PATCH', `/api/v1/data/task/${id}`, { at: -at - 1 })
        if (changed.status === 200) acknowledged.push({ id, trigger: 'update' })
      }
      const perKill = Math.ceil(records / kills)
      for (let kill = 0; kill < kills; kill += 1) {
        for (let from = 0; from < perKill; from += atOnce) {
          const last = from + atOnce >= perKill
          const writes = Array.from({ length: Math.min(atOnce, perKill - from) }, (_, at) =>
            write(kill * perKill + from + at).catch(() => undefined),
          )
          if (last) {
            await Promise.race(writes.slice(writes.length / 2))
            await server.end('SIGKILL')
          }
          await Promise.all(writes)
        }
        server = await startChildServer({ dataDir })
      }
      expect(acknowledged.length).toBeGreaterThan(records / 2)
      clearInterval(behaving)
      peer.status = 200

      const has = arrivals(peer)
      await expect
        .poll(() => acknowledged.filter(({ id, trigger }) => !has(id, trigger)).length, { timeout: 120_000 })
        .toBe(0)
      const seen = new Map<string, { ids: Set<string>; first: number }>()
      for (const [at, { headers, body }] of peer.hooks.entries()) {
        const { recordId, trigger } = body as { recordId: string; trigger: string }
        const key = `${recordId} ${trigger}`
        const found = seen.get(key) ?? { ids: new Set<string>(), first: at }
        found.ids.add(String(headers['webhook-id']))
        seen.set(key, found)
      }
      for (const [key, { ids }] of seen) expect([key, ids.size]).toEqual([key, 1])
      for (const { id } of acknowledged) {
        const [made, changed] = ['create', 'update'].map((trigger) => seen.get(`${id} ${trigger}`))
        if (made !== undefined && changed !== undefined) expect(made.first).toBeLessThan(changed.first)
      }
    } finally {
      clearInterval(behaving)
      await server?.end('SIGKILL').catch(() => undefined)
      await peer.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  sized(120_000, 1_200_000),
)

/** Whether an event of a record has arrived; looks at each request once. */
function arrivals(peer: HookPeer): (id: string, trigger: string) => boolean {
  const arrived = new Set<string>()
  let looked = 0
  return (id, trigger) => {
    for (; looked < peer.hooks.length; looked += 1) {
      const { recordId, trigger: word } = peer.hooks[looked]!.body as { recordId: string; trigger: string }
      arrived.add(`${recordId} ${word}`)
    }
    return arrived.has(`${id} ${trigger}`)
  }
}
