// What people may not write and try to: the table of S3. Each row is one call of a device whose keys are right, in the
// name of somebody, into something they have no right to. Written from the design's section 14 and D-43 to D-46, not from
// the program. Knows how each change is made, not how it is judged.
import { randomUUID } from 'node:crypto'
import type { Json } from '#main/replication/core/types.ts'
import { packGenesis } from '#main/plugins/sync/write/genesis-body.ts'
import { testUserId } from '../../support/test-identities.ts'
import type { AttackBody, Attacker } from './attacker.ts'
import type { SyncHost } from './sync-host.ts'

/** The people by their numbers: who may only look, who may edit parts but not everything of them, who may do all, and who sees little. */
export const people = { reader: 0, worker: 1, chief: 2, narrow: 3 } as const

/** Records that somebody who may wrote, new ones for each row. */
interface Target {
  readonly part: string
  readonly ledger: string
  readonly fixed: string
}

/** One row. */
export interface ForbiddenWrite {
  readonly name: string
  readonly by: 'reader' | 'worker'
  readonly bodies: (attacker: Attacker, target: Target) => readonly AttackBody[]
}

/** What rows are about. */
interface ForbiddenWorld {
  readonly host: SyncHost
  makeTarget(): Promise<Target>
  /** The incarnation of the host itself. */
  readonly hostInc: number
}

const look = { allowRead: true, viewAllRecords: true }
const all = {
  ...look,
  allowCreate: true,
  allowEdit: true,
  allowDelete: true,
  allowTransfer: true,
  allowRestore: true,
  allowPurge: true,
  modifyAllRecords: true,
}

/** Makes objects, people's rights and records. */
export async function prepareForbidden(host: SyncHost): Promise<ForbiddenWorld> {
  const save = (type: string, name: string, item: object): Promise<unknown> =>
    host.expect('PUT', `/meta/${type}/${name}`, { type, name, item: { name, ...item } })
  const fields = { title: { type: 'text' }, price: { type: 'number' }, notes: { type: 'markdown' } }
  for (const name of ['part', 'ledger', 'fixed']) await save('object', name, { fields, sharingModel: 'full' })
  await save('profile', 'reader', { objects: { '*': look } })
  await save('profile', 'chief', { objects: { '*': all } })
  await save('profile', 'worker', {
    objects: { '*': look, part: { ...look, allowEdit: true }, fixed: { ...look, allowCreate: true } },
    fields: { 'part.price': { readable: true, editable: false } },
  })
  for (const [profile, number] of Object.entries(people))
    if (profile !== 'narrow')
      await host.expect('PUT', `/permissions/assignments/${testUserId(number)}`, {
        profile,
        roles: [],
        permissionSets: [],
      })
  const make = async (object: string): Promise<string> =>
    (await host.expect('POST', `/data/${object}`, { title: 'Bolt', price: 4, notes: 'As it was.' })).id
  const makeTarget = async (): Promise<Target> => ({
    part: await make('part'),
    ledger: await make('ledger'),
    fixed: await make('fixed'),
  })
  return { host, makeTarget, hostInc: (await host.expect('GET', '/sync/status')).device.inc }
}

const longAgo = '2026-01-01T00:00:00.000Z'

/** A comment on a part, by whoever it says. @param more what else is said of it, by the id it gets */
export function commentOn(
  host: SyncHost,
  by: Attacker,
  words: {
    readonly record: string
    readonly author: string
    readonly more?: (item: string) => Readonly<Record<string, Json>>
  },
): AttackBody {
  const { record, author, more } = words
  const doc = `${host.docOf('part', record).replace(/^r/, 'f')}/0`
  const item = randomUUID()
  const actor = { type: 'user', id: author }
  const fixed = { type: 'comment', actor, source: 'API', parentId: null, createdAt: longAgo }
  const body = { text: 'I said so.', mentions: [] }
  return { doc, kind: 'feed', update: by.values(doc, { [item]: fixed, [`${item}#body`]: body, ...more?.(item) }) }
}

/** All rows of the table. */
export function forbiddenWrites({ host, hostInc }: ForbiddenWorld): readonly ForbiddenWrite[] {
  const rows: ForbiddenWrite[] = []
  const row = (name: string, by: ForbiddenWrite['by'], bodies: ForbiddenWrite['bodies']): void =>
    void rows.push({ name, by, bodies })
  type Place = (target: Target) => string
  type Values = Readonly<Record<string, Json>>
  /** One change of a register; `inc`: whose structs they pretend to be. */
  const change =
    (place: Place, values: (by: Attacker) => Values, more: { author?: string; kind?: 'control' } = {}, inc?: number) =>
    (by: Attacker, target: Target): AttackBody[] => {
      const doc = place(target)
      return [{ doc, update: by.values(doc, values(by), inc === undefined ? {} : { inc }), ...more }]
    }
  const text = (object: 'part' | 'ledger') => (by: Attacker, target: Target) => {
    const doc = host.docOf(object, target[object], 'notes')
    return [{ doc, kind: 'text' as const, update: by.text(doc, 'Forged.') }]
  }
  const part: Place = (target) => host.docOf('part', target.part)
  const ledger: Place = (target) => host.docOf('ledger', target.ledger)
  const fixed: Place = (target) => host.docOf('fixed', target.fixed)
  const newPart: Place = () => host.docOf('part', randomUUID())
  const title = (object: string) => (): Values => ({ [host.uidOf(object, 'title')]: 'Forged' })
  const forged = title('part')
  const price = (): Values => ({ [host.uidOf('part', 'price')]: 99 })
  const worker = testUserId(people.worker)
  const mark: Json = { at: longAgo, by: worker }

  row('a field, by who may only look', 'reader', change(part, forged))
  row('a new record, by who may only look', 'reader', change(newPart, forged))
  row(
    'a deletion, by who may only look',
    'reader',
    change(part, () => ({ _del: mark })),
  )
  row('a text, by who may only look', 'reader', text('part'))
  row('a field of a closed object', 'worker', change(ledger, title('ledger')))
  row('a text of a closed object', 'worker', text('ledger'))
  row('a closed field', 'worker', change(part, price))
  row(
    'a closed field beside an open one',
    'worker',
    change(part, () => ({ ...forged(), ...price() })),
  )
  row('a new record, by who may only edit', 'worker', change(newPart, forged))
  row('an edit, by who may only create', 'worker', change(fixed, title('fixed')))
  row(
    'a deletion, by who may only edit',
    'worker',
    change(part, () => ({ _del: mark })),
  )
  row(
    'an end for good, by who may only edit',
    'worker',
    change(part, () => ({ _purge: mark })),
  )
  row(
    'another owner, by who may only edit',
    'worker',
    change(part, () => ({ _owner: worker })),
  )
  row(
    'another creator, by who may only edit',
    'worker',
    change(part, () => ({ _created: mark })),
  )

  // The author is who the envelope names, and may be named by their own device alone.
  const chief = testUserId(people.chief)
  row('in the name of somebody who may', 'reader', change(part, forged, { author: chief }))
  row('in their name, a closed object', 'worker', change(ledger, title('ledger'), { author: chief }))
  row('in their name, a closed field', 'worker', change(part, price, { author: chief }))
  row('in the name of nobody', 'reader', change(part, forged, { author: '' }))
  row('in the name of somebody unknown', 'reader', change(part, forged, { author: randomUUID() }))
  row('in the name of the system', 'reader', change(part, forged, { author: 'system' }))
  row('in the name of the owner of the host', 'reader', change(part, forged, { author: 'owner' }))
  row('as structs of the host', 'reader', change(part, forged, {}, hostInc))
  row('as structs of the host, a closed object', 'worker', change(ledger, title('ledger'), {}, hostInc))

  // Packs, where each document has an author of its own.
  const pack = (author: string) => (by: Attacker) => {
    const doc = host.docOf('part', randomUUID())
    return [
      { doc, kind: 'genesis' as const, update: packGenesis([{ name: doc, author, update: by.values(doc, forged()) }]) },
    ]
  }
  row('in a pack', 'reader', pack(testUserId(people.reader)))
  row('in a pack, in the name of somebody who may', 'reader', pack(chief))
  row('in a pack, in the name of somebody unknown', 'reader', pack(randomUUID()))

  // What people wrote about a record, in words of others.
  const comment =
    (author: string, more: (item: string) => Values = () => ({})): ForbiddenWrite['bodies'] =>
    (by, target) => [commentOn(host, by, { record: target.part, author, more })]
  row('a comment in the name of somebody else', 'worker', comment(chief))
  row(
    'a reaction in the name of somebody else',
    'worker',
    comment(worker, (item) => ({ [`${item}|👍|${chief}`]: { at: longAgo } })),
  )
  row(
    'a pin in the name of somebody else',
    'worker',
    comment(worker, (item) => ({ [`${item}#pin`]: { at: longAgo, userId: chief } })),
  )

  // What belongs to administrators' machines alone.
  const roster: Place = () => 'w/roster'
  const entry = (by: Attacker): Values => ({ [`device.${by.device.device}`]: { role: 'admin' } })
  row('the roster', 'worker', change(roster, entry, { kind: 'control' }))
  row('the roster, as structs of the host', 'worker', change(roster, entry, { kind: 'control' }, hostInc))
  row(
    'who may write',
    'worker',
    change(
      () => 'w/acl',
      () => ({ everybody: true }),
    ),
  )
  row(
    'an object',
    'worker',
    change(
      (target) => ledger(target).replace(/^r\/([^/]+).*/, 'm/object/$1'),
      () => ({ label: 'Forged' }),
    ),
  )
  row('the roster in a pack', 'worker', (by, target) => {
    const docs = [{ name: 'w/roster', author: chief, update: by.values('w/roster', entry(by), { inc: hostInc }) }]
    return [{ doc: part(target), kind: 'genesis', update: packGenesis(docs) }]
  })
  return rows
}
