// A database of the first version opens and goes on.
import { expect, it } from 'vitest'
import { internalContext, localOwner } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import { createOwnerAuthorizer } from '../../../../test/support/owner-authorizer.ts'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { createMetadataService } from '../service.ts'
import { itemsAndHistory } from './0001-items-and-history.ts'
import { overlaysAndDrafts } from './0002-overlays-and-drafts.ts'

it('takes items of the first version for published ones', async () => {
  const test = await openTestDatabase([{ id: 'metadata', migrations: [itemsAndHistory] }])
  const { database, clock, ids, log } = test
  const at = '2026-01-01T00:00:00.000Z'
  await database.write('seed', (tx) => {
    tx.run(
      statement(
        `INSERT INTO metadata_item
           (type, name, uid, state, version, item, created_at, created_by, updated_at, updated_by)
         VALUES ('page', 'home', 'u1', 'active', 3, '{"name":"home","label":"Home"}', ?, 'me', ?, 'me')`,
        [at, at],
      ),
    )
    tx.ddl(overlaysAndDrafts.sql)
  })
  const authorizer = createOwnerAuthorizer()
  const { read, write } = database
  const service = createMetadataService({ read, write, clock, ids, log, authorizer: () => authorizer })
  expect(service.get('page', 'home')).toMatchObject({ version: 3, published: true, item: { label: 'Home' } })
  const ctx = { ...internalContext('request-1', 'API'), actor: localOwner }
  await service.putOverlay(ctx, { type: 'page', name: 'home', scope: 'platform', patch: { label: 'Ours' } })
  expect(service.get('page', 'home')).toMatchObject({ version: 4, item: { label: 'Ours' } })
  await test.close()
})
