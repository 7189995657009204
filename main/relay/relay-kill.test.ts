// A relay that is killed while it writes, 20 times over the same file: everything it had acknowledged is there after the
// start, unchanged and vouched for, and what comes again is not stored twice.
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { envelopeAt, testWorkspace } from '../../test/support/relay-device.ts'
import type { SealedEnvelope } from '#main/replication/core/types.ts'
import type { ChainPoint } from '#main/replication/wire/chain.ts'
import { chainStart, verifyRun } from '#main/replication/wire/chain.ts'
import type { Arrival } from './append-run.ts'
import { hashToken } from './admission.ts'
import { openRelayDatabase } from './row-store.ts'
import type { Relay } from './relay.ts'
import { openRelay } from './relay.ts'
import { isLong, sized } from '../../test/support/test-size.ts'

const rounds = sized(5, 20)
const child = fileURLToPath(new URL('../../test/support/relay-child.ts', import.meta.url))
const keys = generateKeyPairSync('ed25519')
const pem = Buffer.from(keys.privateKey.export({ type: 'pkcs8', format: 'pem' })).toString('base64')

let dir: string
let file: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-relay-kill-'))
  file = join(dir, 'relay.db')
})

afterEach(() => rmSync(dir, { recursive: true }))

const open = (): Relay =>
  openRelay({
    file,
    adminTokenHash: hashToken('secret'),
    version: '1.0.0',
    onFailure(error) {
      throw error
    },
  })

/** Lets a relay work for a while after its first acknowledgement, kills it, and answers the last one it gave. */
async function killOneAtWork(inc: number, afterMs: number): Promise<number> {
  const relay = spawn(process.execPath, [child, file, String(inc), pem], { stdio: ['ignore', 'pipe', 'inherit'] })
  let acknowledged = 0
  const exit = new Promise<NodeJS.Signals | null>((resolve) => relay.on('exit', (_, signal) => resolve(signal)))
  const lines = createInterface({ input: relay.stdout })
  const end = new Promise<void>((resolve) => lines.on('close', resolve))
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      acknowledged = Math.max(acknowledged, Number(line))
      resolve()
    })
    lines.on('close', resolve)
  })
  await pause(afterMs)
  relay.kill('SIGKILL')
  expect(await exit).toBe('SIGKILL')
  await end
  return acknowledged
}

/** Everything stored of an incarnation, checked run by run against its heads. */
function readAll(relay: Relay, workspace: number, inc: number): SealedEnvelope[] {
  const all: SealedEnvelope[] = []
  let point: ChainPoint = chainStart()
  for (let run = relay.store.after(workspace, inc, 0); run; run = relay.store.after(workspace, inc, point.seq)) {
    const { envelopes, heads } = run
    const verdict = verifyRun({
      workspace: testWorkspace,
      before: point,
      envelopes,
      head: heads.at(-1)!,
      publicKey: keys.publicKey,
    })
    expect(verdict).toMatchObject({ ok: true })
    if (verdict.ok) point = verdict.point
    all.push(...envelopes)
  }
  return all
}

it(`keeps everything it acknowledged through ${rounds} kills`, { timeout: sized(120_000, 600_000) }, async () => {
  const acknowledged = new Map<number, number>()
  for (let round = 0; round < rounds; round += 1) {
    const inc = 100 + round
    acknowledged.set(inc, await killOneAtWork(inc, (round * 37) % 160))
    const relay = open()
    try {
      const vector = relay.store.vector(1)
      for (const [known, seq] of acknowledged) expect(vector.get(known) ?? 0).toBeGreaterThanOrEqual(seq)
      const stored = readAll(relay, 1, inc)
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1))
      expect(stored).toHaveLength(vector.get(inc) ?? 0)
      for (const { seq, body } of stored) {
        const isSame = Buffer.compare(body, envelopeAt(inc, seq, body.length).body) === 0
        expect([seq, isSame]).toEqual([seq, true])
      }
      expect(acknowledged.get(inc)).toBeGreaterThan(0)

      const bytes = relay.store.bytesOf(1)
      const again: Arrival = {
        workspace: { id: 1, ws: testWorkspace, epoch: 1 },
        envelopes: stored,
      }
      let outcome: unknown
      relay.store.append(again, (settled) => void (outcome = settled))
      relay.store.commit()
      expect(outcome).toMatchObject({ refused: [], wants: [], durable: new Map([[inc, stored.length]]) })
      expect(relay.store.bytesOf(1)).toBe(bytes)
    } finally {
      relay.close()
    }
  }
  const { connection, close } = openRelayDatabase(file)
  const counted = connection.prepare('SELECT count(*) FROM env').pluck().get()
  const summed = connection.prepare('SELECT sum(stored) FROM counter').pluck().get()
  expect(counted).toBe(summed)
  expect(connection.pragma('integrity_check', { simple: true })).toBe('ok')
  const total = [...acknowledged.values()].reduce((sum, seq) => sum + seq, 0)
  if (isLong) console.log(`${rounds} kills, ${total} acknowledged, ${String(counted)} stored`)
  close()
})
