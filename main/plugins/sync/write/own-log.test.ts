// What this machine appends to its own log, on a real database file.
import { generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../../test/support/open-test-database.ts'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { createDigest } from '#main/replication/core/digest.ts'
import { chainStart } from '#main/replication/wire/chain.ts'
import { rawPublicKey, signerOf } from '#main/replication/wire/device-key.ts'
import { createLogState } from '../engine/log-state.ts'
import { syncMigrations } from '../migrations/index.ts'
import { putIncarnation, readIncarnation, readIncarnations } from '../store/log-store.ts'
import type { DraftBody } from './own-log.ts'
import { createOwnLog } from './own-log.ts'

describe('the own log', () => {
  let test: TestDatabase
  beforeEach(async () => {
    test = await openTestDatabase([{ id: 'sync', migrations: syncMigrations }])
  })
  afterEach(() => test.close())

  it('passes nothing over that came back from others and is not applied yet', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const signer = { ...signerOf(privateKey), signKey: rawPublicKey(privateKey) }
    const row = { inc: 7, device: 'a', chain: chainStart().hash, headSeq: 3, headBytes: 0 }
    await test.database.write('test', (tx) => putIncarnation(tx, { ...row, storedSeq: 3, appliedSeq: 1 }))
    const state = createLogState(readIncarnations(test.database.read), createDigest().bytes())
    const append = createOwnLog({ workspace: new Uint8Array(16), epoch: 1, device: 'a', inc: 7, signer, state })
    const draft: DraftBody = {
      ...{
        doc: 'r/a/1',
        kind: 'update' as const,
        hlc: { ms: 1, ctr: 0 },
        author: 'ada',
        aclRev: 0,
        schemaRev: 0,
        facts: [],
      },
      update: new Uint8Array([0, 0]),
    }
    await test.database.write('test', (tx) => append(tx, [draft]))
    expect(readIncarnation(test.database.read, 7)).toMatchObject({ storedSeq: 4, appliedSeq: 1 })
    expect([state.stored(7), state.applied(7)]).toEqual([4, 1])
    await test.database.write('test', (tx) => {
      putIncarnation(tx, { ...readIncarnation(tx, 7)!, appliedSeq: 4 })
      append(tx, [draft])
    })
    expect([state.stored(7), state.applied(7)]).toEqual([5, 5])
  })
})
