// What devices of the workspace may not write: changes their person has no right to (S3), and metadata, rights and the
// roster from a machine that is no administrator's (S8).
import { randomBytes } from 'node:crypto'
import { packGenesis } from '#main/plugins/sync/write/genesis-body.ts'
import { testUserId } from '../../support/test-identities.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import type { AttackBody, Attacker, Disguise } from '../sync/attacker.ts'
import { pairAttacker } from '../sync/attacker.ts'
import { commentOn, forbiddenWrites, people, prepareForbidden } from '../sync/forbidden-writes.ts'
import type { SyncGuard } from '../sync/mutations.ts'
import type { SyncHost } from '../sync/sync-host.ts'
import { startSyncHost } from '../sync/sync-host.ts'

/** Rows of the table that changed anything: rows, documents, feeds, metadata or rights. */
async function countForbiddenWrites(context: CheckContext, guard: SyncGuard | null): Promise<number> {
  const host = await startSyncHost(guard)
  try {
    const world = await prepareForbidden(host)
    const by = {
      reader: await pairAttacker(host, 'member', testUserId(people.reader)),
      worker: await pairAttacker(host, 'member', testUserId(people.worker)),
    }
    await seeWhatMayBe(host, by.worker, (await world.makeTarget()).part)
    const rows = forbiddenWrites(world)
    if (rows.length < minimumOf('forbiddenWrites')) throw new Error(`The table has only ${rows.length} rows.`)
    let applied = 0
    for (const { name, by: who, bodies } of rows) {
      const attacker = by[who]
      const target = await world.makeTarget()
      const before = host.fingerprint()
      const isDealtWith = await isTaken(attacker, bodies(attacker, target))
      if (isDealtWith && host.fingerprint() === before) continue
      applied += 1
      context.log(`applied: ${name}`)
      if (!isDealtWith) return applied
    }
    context.log(`${rows.length} writes, ${applied} applied`)
    return applied
  } finally {
    await host.stop()
  }
}

/** Whether the host deals with it; one that does not hear the device any more has taken more than it should. */
function isTaken(attacker: Attacker, bodies: readonly AttackBody[]): Promise<boolean> {
  return attacker.send(bodies).then(
    () => true,
    () => false,
  )
}

/** The same device's change of what its person may change arrives: what is counted afterwards can be seen. */
async function seeWhatMayBe(host: SyncHost, worker: Attacker, record: string): Promise<void> {
  const doc = host.docOf('part', record)
  const before = host.fingerprint()
  await worker.send([{ doc, update: worker.values(doc, { [host.uidOf('part', 'title')]: 'Nut' }) }])
  const { title } = (await host.expect('GET', `/data/part/${record}`)).record
  if (title !== 'Nut' || host.fingerprint() === before) throw new Error('A change that is allowed did not arrive.')
  await worker.send([commentOn(host, worker, { record, author: worker.user })])
  const feed = await host.get(`/data/part/${record}/feed`)
  if (!feed.text.includes('I said so.'))
    throw new Error(`A comment of their own did not arrive: ${JSON.stringify(worker.problem(worker.device.seq()))}`)
}

/** What a machine of a member writes into metadata and the roster, as its own and in words of the host; changes of anything. */
async function countForbiddenMetadata(context: CheckContext, guard: SyncGuard | null): Promise<number> {
  const host = await startSyncHost(guard)
  try {
    await prepareForbidden(host)
    for (const [type, item] of Object.entries(ownItems)) {
      const name = type === 'object' ? 'extra' : `own_${type}`
      await host.expect('PUT', `/meta/${type}/${name}`, { type, name, item: { name, ...item } })
    }
    // Of a person who may do everything: what is refused is refused for the machine.
    const attacker = await pairAttacker(host, 'member', testUserId(people.chief))
    await seeMetadataArrive(host)
    const inc: number = (await host.expect('GET', '/sync/status')).device.inc
    const known = host.all<{ name: string }>("SELECT name FROM sync_doc WHERE name LIKE 'm/%' OR name LIKE 'w/%'")
    const types = new Set(known.map(({ name }) => name.split('/')[1]!))
    for (const type of Object.keys(ownItems))
      if (!types.has(type)) throw new Error(`There is no document of a ${type}.`)
    const made = [...types, 'package', 'overlay'].map((type) => `m/${type}/${randomBytes(16).toString('hex')}`)
    let tries = 0
    let applied = 0
    const docs = [...known.map(({ name }) => name).filter((name) => name !== 'w/roster'), ...made, 'w/acl', 'w/roster']
    const bodies = docs.flatMap((doc) => [{}, { inc }].flatMap((disguise) => forgeries(attacker, doc, disguise)))
    for (const body of bodies) {
      const before = host.fingerprint()
      const isDealtWith = await isTaken(attacker, [body])
      tries += 1
      if (isDealtWith && host.fingerprint() === before) continue
      applied += 1
      context.log(`applied: ${body.kind} of ${body.doc}`)
      if (!isDealtWith) break
    }
    if (applied > 0) return applied
    if (tries < minimumOf('forbiddenMetadata')) throw new Error(`There were only ${tries} tries.`)
    context.log(`${tries} writes, none applied`)
    return 0
  } finally {
    await host.stop()
  }
}

/** One change of a document in every way it can travel. */
function forgeries(attacker: Attacker, doc: string, disguise: Disguise) {
  const own = `device.${attacker.device.device}`
  const values = { label: 'Forged', _name: 'forged', _state: 'active', [own]: { role: 'admin' } }
  const update = attacker.values(doc, values, disguise)
  const pack = packGenesis([{ name: doc, author: 'owner', update }])
  return [
    { doc, kind: 'update', update },
    { doc, kind: 'control', update },
    { doc, kind: 'genesis', update: pack },
  ] as const
}

/** An item of each kind that decides what people may do, or what is done for them. */
const ownItems: Readonly<Record<string, object>> = {
  object: { fields: { name: { type: 'text' } } },
  permission: { objects: { '*': { allowRead: true } } },
  profile: { objects: { '*': { allowRead: true } } },
  role: { permissionSets: [] },
}

/** The same from a machine of an administrator arrives. */
async function seeMetadataArrive(host: SyncHost): Promise<void> {
  const admin = await pairAttacker(host, 'admin', testUserId(people.chief))
  const doc = host.docOf('extra', 'x').replace(/^r\/([^/]+).*/, 'm/object/$1')
  const before = host.fingerprint()
  await admin.send([{ doc, update: admin.values(doc, { label: 'Renamed' }) }])
  if (host.fingerprint() === before) throw new Error('A change that is allowed did not arrive.')
  admin.peer().link.close('done')
}

defineCheck({
  id: 'S3',
  file: 'sync',
  stage: 3,
  unit: 'changes applied whose author may not make them, over the table of authors, documents and disguises',
  target: 0,
  run: (context) => countForbiddenWrites(context, null),
  twin: (context) => countForbiddenWrites(context, 'rights'),
})

defineCheck({
  id: 'S8',
  file: 'sync',
  stage: 3,
  unit: 'changes of metadata, rights and the roster applied that a machine of no administrator made',
  target: 0,
  run: (context) => countForbiddenMetadata(context, null),
  twin: (context) => countForbiddenMetadata(context, 'rights'),
})
