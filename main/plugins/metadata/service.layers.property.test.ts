// Random writes of every kind: what memory holds is what a fresh start reads, and every history is an unbroken chain.
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { PlatformError } from '#shared/errors.ts'
import type { MetadataState } from '#shared/contracts/metadata.ts'
import { metadataStates } from '#shared/contracts/metadata.ts'
import { internalContext, localOwner } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { createOwnerAuthorizer } from '../../../test/support/owner-authorizer.ts'
import type { TestDatabase } from '../../../test/support/open-test-database.ts'
import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import { metadataMigrations } from './migrations/index.ts'
import type { MetadataCore } from './service.ts'
import { createMetadataService } from './service.ts'
import { historyHash } from './service/history.ts'
import { readHistory, readHistoryEntry } from './store.ts'
import { sized } from '../../../test/support/test-size.ts'

const ctx: RequestContext = { ...internalContext('request-1', 'API'), actor: localOwner }

type Write = (service: MetadataCore) => Promise<unknown>

const key = fc.constantFrom(
  { type: 'page' as const, name: 'home' },
  { type: 'page' as const, name: 'packed', packageId: 'org.example.crm' },
  { type: 'object' as const, name: 'task' },
  { type: 'object' as const, name: 'job', packageId: 'org.example.crm' },
  { type: 'object' as const, name: 'task_more', extend: 'task' },
)
const label = fc.constantFrom('A', 'B', 'C')
const fields = fc.dictionary(
  fc.constantFrom('a', 'b', 'constructor'),
  fc.record({ type: fc.constantFrom('text', 'number') }),
)
const body = fc.record({ label, fields }, { requiredKeys: ['fields'] })

const write: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(key, body, fc.boolean(), fc.boolean()).map(([{ type, name, ...rest }, one, draft, asPackage]): Write => {
    const { packageId, extend } = rest as { packageId?: string; extend?: string }
    const { fields: own, ...words } = one
    const item = {
      ...words,
      ...(type === 'object' ? { fields: own } : {}),
      ...(extend === undefined ? {} : { extend }),
    }
    return (service) =>
      service.save(ctx, { type, name, item, draft, confirm: 'true', ...(asPackage && packageId ? { packageId } : {}) })
  }),
  fc
    .tuple(key, body, fc.boolean(), fc.boolean())
    .map(([{ type, name }, { label: text, fields: own }, active, mine]): Write => {
      const patch = { ...(text === undefined ? {} : { label: text }), ...(type === 'object' ? { fields: own } : {}) }
      return (service) => service.putOverlay(ctx, { type, name, scope: mine ? 'user' : 'platform', patch, active })
    }),
  key.map(
    ({ type, name }): Write =>
      (service) =>
        service.removeOverlay(ctx, { type, name, scope: 'platform' }),
  ),
  key.map(
    ({ type, name }): Write =>
      (service) =>
        service.remove(ctx, { type, name, force: true }),
  ),
  fc.tuple(key, fc.constantFrom<MetadataState>(...metadataStates)).map(
    ([{ type, name }, state]): Write =>
      (service) =>
        service.changeState(ctx, { type, name, state }),
  ),
  key.map(
    ({ type, name }): Write =>
      (service) =>
        service.publish(ctx, { type, name, force: true }),
  ),
  key.map(
    ({ type, name }): Write =>
      (service) =>
        service.discardDraft(ctx, { type, name }),
  ),
  fc.tuple(key, fc.integer({ min: 1, max: 4 })).map(
    ([{ type, name }, version]): Write =>
      (service) =>
        service.revert(ctx, { type, name, version }),
  ),
)

function open({ database, clock, ids, log }: TestDatabase): MetadataCore {
  const authorizer = createOwnerAuthorizer()
  const { read, write: writeJob } = database
  return createMetadataService({ read, write: writeJob, clock, ids, log, authorizer: () => authorizer })
}

async function seed(service: MetadataCore): Promise<void> {
  const own = { fields: { a: { type: 'text' }, b: { type: 'number' } } }
  const packageId = 'org.example.crm'
  await service.save(ctx, { type: 'page', name: 'home', item: { label: 'A' } })
  await service.save(ctx, { type: 'page', name: 'packed', item: { label: 'A' }, packageId })
  await service.save(ctx, { type: 'object', name: 'task', item: own })
  await service.save(ctx, { type: 'object', name: 'job', item: own, packageId })
  await service.save(ctx, { type: 'object', name: 'task_more', item: { extend: 'task', fields: {} } })
}

/** Everything a caller could tell two services apart by. */
function snapshot(service: MetadataCore): unknown {
  const types = ['page', 'object', 'field'] as const
  return types.map((type) => ({
    stored: service.storedItems(type),
    items: service.items(type).map((item) => [item.name, item.version, item.state, item.item, item.published]),
    inForce: service.list(type).map(({ name }) => name),
    drafts: service.visibleList(ctx, type, { state: 'draft' }),
    overlays: service.exportOverlays(ctx, service.items(type)),
    etags: service.items(type).map(({ name, state }) => service.etagSeen(ctx, type, name, { state })),
    schemas: service.objectSchemas().map((schema) => [schema.name, schema.fields.map(({ name, uid }) => [name, uid])]),
  }))
}

describe('any writes one after the other', () => {
  it('leave in memory what a fresh start reads, and raise the epoch only when they store something', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 4, maxLength: 25 }), async (writes) => {
        const test = await openTestDatabase([{ id: 'metadata', migrations: metadataMigrations }])
        try {
          const service = open(test)
          await seed(service)
          for (const one of writes) {
            const before = { epoch: service.epoch(), content: snapshot(service) }
            const failure: unknown = await one(service).then(
              () => null,
              (error: unknown) => error,
            )
            if (failure !== null && !(failure instanceof PlatformError)) throw failure
            if (failure !== null || service.epoch() === before.epoch) expect(snapshot(service)).toEqual(before.content)
          }
          expect(snapshot(open(test))).toEqual(snapshot(service))
          for (const { type, name, uid, version } of [
            ...service.storedItems('page'),
            ...service.storedItems('object'),
          ]) {
            const entries = readHistory(test.database.read, { type, name, uid }, { sinceSeq: 0, limit: 100 })
            for (const [index, { seq, parentHash, hash }] of entries.entries()) {
              expect(parentHash).toBe(entries[index - 1]?.hash ?? null)
              expect(historyHash(readHistoryEntry(test.database.read, { type, name, uid }, seq)!)).toBe(hash)
            }
            expect(entries.at(-1)!.version).toBe(version)
          }
        } finally {
          await test.close()
        }
      }),
      { numRuns: sized(8, 25) },
    )
  }, 60_000)
})
