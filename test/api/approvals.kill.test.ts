// Approvals over kill -9 of a real process: a decision, its transition, its history and its lock are all there or none of
// them, and what was acknowledged is there (D-167).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { cairnEntry, startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import type { ApiCall } from '../support/api-call.ts'
import { connectToDataDir, expectStatus } from '../support/api-call.ts'
import { sized } from '../support/test-size.ts'

const rounds = sized(2, 4, 60)
const perRound = 20
const maxDelayMs = 60

const machine = {
  name: 'steps',
  type: 'state_machine',
  field: 'stage',
  initial: 'draft',
  transitions: [
    {
      name: 'finish',
      from: 'draft',
      to: 'done',
      requiresApproval: true,
      approval: { approvers: [{ type: 'user', value: localOwnerId }] },
    },
  ],
}

async function define(call: ApiCall): Promise<void> {
  const fields = { stage: { type: 'select', options: ['draft', 'done'] } }
  const item = { name: 'claim', fields, validations: [machine] }
  await expectStatus(call, 200, 'PUT', '/api/v1/meta/object/claim', { type: 'object', name: 'claim', item })
}

it(
  'leaves no decision by halves and loses none that was acknowledged',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-approvals-'))
    let server: ChildServer | undefined
    const asked = new Map<string, string>()
    const acknowledged = new Set<string>()
    try {
      for (let round = 0; round < rounds; round += 1) {
        server = await startChildServer({ dataDir, entry: cairnEntry })
        const call = connectToDataDir(dataDir)
        if (round === 0) await define(call)
        const mine: string[] = []
        for (let at = 0; at < perRound; at += 1) {
          const { id } = (await expectStatus(call, 201, 'POST', '/api/v1/data/claim', {})) as { id: string }
          const path = `/api/v1/workflow/claim/${id}/transition`
          const { state } = (await expectStatus(call, 200, 'POST', path, { transition: 'finish' })) as {
            state: { pendingApproval: { id: string } }
          }
          asked.set(id, state.pendingApproval.id)
          mine.push(id)
        }
        const deciding = mine.map(async (id) => {
          await expectStatus(call, 200, 'POST', `/api/v1/approvals/requests/${asked.get(id)}/approve`, {})
          acknowledged.add(id)
        })
        const settled = Promise.allSettled(deciding)
        await new Promise((resolve) => setTimeout(resolve, Math.floor(Math.random() * maxDelayMs)))
        await server.end('SIGKILL')
        await settled
      }
      server = await startChildServer({ dataDir, entry: cairnEntry })
      const call = connectToDataDir(dataDir)
      for (const [id, approval] of asked) {
        const { status } = (await expectStatus(call, 200, 'GET', `/api/v1/approvals/requests/${approval}`)) as {
          status: string
        }
        const { state } = (await expectStatus(call, 200, 'GET', `/api/v1/workflow/claim/${id}/state`)) as {
          state: { currentState: string; history: unknown[]; pendingApproval: unknown }
        }
        const isDone = status === 'approved'
        if (acknowledged.has(id)) expect(isDone).toBe(true)
        expect([state.currentState, state.history.length, state.pendingApproval === null]).toEqual(
          isDone ? ['done', 1, true] : ['draft', 0, false],
        )
      }
    } finally {
      await server?.end('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  sized(60_000, 1_800_000),
)
