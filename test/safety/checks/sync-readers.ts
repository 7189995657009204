// People who may not read everything (S4): no machine of theirs comes into the workspace, and nothing that sync answers
// over HTTP holds what they may not see. Every hidden value is a canary, and the owner has to see each of them first.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createFileSecrets } from '#main/kernel/file-secrets.ts'
import { loadDeviceKeys } from '#main/replication/channel/device-keys.ts'
import { createHostileDevice } from '../../support/hostile-device.ts'
import { testUserId } from '../../support/test-identities.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import type { Attacker } from '../sync/attacker.ts'
import { pairAttacker } from '../sync/attacker.ts'
import { hears } from '../sync/hears.ts'
import type { SyncGuard } from '../sync/mutations.ts'
import type { SyncHost } from '../sync/sync-host.ts'
import { startSyncHost } from '../sync/sync-host.ts'

const chief = 2
const narrow = 3
const listenMs = 1_500

/** A place the narrow person cannot see, with the values that were ever in it. */
interface Hidden {
  readonly object: string
  readonly record: string
  readonly field: string
  readonly canaries: readonly string[]
}

/** Canaries a narrow person hears over the wire, or reads in an answer. */
async function countHiddenBytes(context: CheckContext, guard: SyncGuard | null): Promise<number> {
  const host = await startSyncHost(guard)
  try {
    const hidden = await prepareHidden(host)
    const canaries = hidden.flatMap((place) => place.canaries)
    const onWire = await countOnWire(context, host, canaries)
    const inAnswers = await countInAnswers(context, host, hidden, canaries)
    const tickets = await countTickets(host, hidden)
    context.log(`${canaries.length} canaries: ${onWire} on the wire, ${inAnswers} in answers, ${tickets} texts opened`)
    return onWire + inAnswers + tickets
  } finally {
    await host.stop()
  }
}

/** Objects, rights, records, and two sides of a conflict in each hidden place. */
async function prepareHidden(host: SyncHost): Promise<readonly Hidden[]> {
  const save = (type: string, name: string, item: object): Promise<unknown> =>
    host.expect('PUT', `/meta/${type}/${name}`, { type, name, item: { name, ...item } })
  const fields = { title: { type: 'text' }, code: { type: 'text' }, notes: { type: 'markdown' } }
  await save('object', 'matter', { fields, sharingModel: 'full' })
  await save('object', 'vault', { fields, sharingModel: 'full' })
  await save('object', 'mine', { fields, sharingModel: 'private' })
  const look = { allowRead: true, allowEdit: true, allowCreate: true }
  const closed = { readable: false, editable: false }
  await save('profile', 'chief', { objects: { '*': { ...look, viewAllRecords: true, modifyAllRecords: true } } })
  await save('profile', 'narrow', {
    objects: { matter: look, mine: look },
    fields: { 'matter.code': closed, 'matter.notes': closed },
  })
  for (const [profile, number] of [
    ['chief', chief],
    ['narrow', narrow],
  ] as const) {
    const given = { profile, roles: [], permissionSets: [] }
    await host.expect('PUT', `/permissions/assignments/${testUserId(number)}`, given)
  }
  const attacker = await pairAttacker(host, 'member', testUserId(chief))
  const hidden: Hidden[] = []
  for (const [object, ...names] of [
    ['matter', 'code', 'notes'],
    ['vault', 'title', 'code', 'notes'],
    ['mine', 'title', 'code', 'notes'],
  ] as const) {
    const record: string = (await host.expect('POST', `/data/${object}`, { title: 'Open' })).id
    for (const field of names) {
      const canaries = [canary(), canary()]
      hidden.push({ object, record, field, canaries })
      if (field === 'notes') await host.expect('PATCH', `/data/${object}/${record}`, { notes: canaries.join(' ') })
      else await makeConflict(host, attacker, { object, record, field, canaries })
    }
    await host.expect('POST', `/feed/${object}/${record}`, { type: 'comment', body: 'Seen.' }).catch(() => undefined)
  }
  attacker.peer().link.close('done')
  return hidden
}

const canary = (): string => `canary${randomUUID().replaceAll('-', '')}`

/** Two values of a field, each written without knowing the other. */
async function makeConflict(host: SyncHost, attacker: Attacker, place: Hidden): Promise<void> {
  const { object, record, field, canaries } = place
  const doc = host.docOf(object, record)
  const update = attacker.values(doc, { [host.uidOf(object, field)]: canaries[0]! })
  await host.expect('PATCH', `/data/${object}/${record}`, { [field]: canaries[1], expectedVersion: '*' })
  await attacker.send([{ doc, update }])
}

/** Machines of somebody who may not read everything, and of nobody at all. */
async function countOnWire(context: CheckContext, host: SyncHost, canaries: readonly string[]): Promise<number> {
  const invited = await pairAttacker(host, 'member', testUserId(narrow)).catch((error: unknown) => String(error))
  if (typeof invited === 'string') {
    if (!invited.includes('pairing_refused')) throw new Error(`The person was refused in another way: ${invited}`)
    return countForStranger(host, canaries)
  }
  context.log('a machine of a person who may not read everything was let in')
  await pause(listenMs)
  const found = canaries.filter((one) => hears(invited.peer(), one)).length
  invited.peer().link.close('done')
  return found
}

/** A machine with keys of its own that comes while somebody else is invited, and asks for everything. */
async function countForStranger(host: SyncHost, canaries: readonly string[]): Promise<number> {
  const invite = await host.expect('POST', '/sync/pairing', {})
  const folder = mkdtempSync(join(tmpdir(), 'cairn-stranger-'))
  try {
    const keys = await loadDeviceKeys(join(folder, 'keys'), createFileSecrets(join(folder, 'secret')))
    const { workspaceId, epoch, device } = await host.expect('GET', '/sync/status')
    const workspace = new Uint8Array(Buffer.from(workspaceId, 'hex'))
    const port = Number(new URL(`tcp://${invite.addresses[0]}`).port)
    const stranger = createHostileDevice(keys, { workspace, epoch, fingerprint: device.fingerprint, port })
    let found = 0
    for (const purpose of ['peer', 'pairing'] as const) {
      const peer = await stranger.connect(undefined, purpose).catch(() => undefined)
      if (peer === undefined) continue
      peer.say({ kind: 'WANT', inc: device.inc, from: 1, to: 1_000_000 }, { kind: 'DONE', vector: new Map() })
      await pause(listenMs)
      found += canaries.filter((one) => hears(peer, one)).length
      peer.link.close('done')
    }
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await host.expect('DELETE', `/sync/pairing/${invite.pairingId}`)
  }
}

/** Everything sync answers to the narrow person; the owner sees each canary in the same answers. */
async function countInAnswers(
  context: CheckContext,
  host: SyncHost,
  hidden: readonly Hidden[],
  canaries: readonly string[],
): Promise<number> {
  const { conflicts } = await host.expect('GET', '/sync/conflicts?state=all&limit=200')
  const ids: string[] = conflicts.map(({ id }: { id: string }) => id)
  const listed = JSON.stringify(conflicts)
  for (const { field, canaries: both } of hidden)
    if (field !== 'notes' && !both.every((one) => listed.includes(one)))
      throw new Error('The owner does not see both sides of a conflict.')
  const records = [...new Set(hidden.map(({ object, record }) => `${object}/${record}`))]
  const calls: readonly (readonly [string, string, unknown?])[] = [
    ...['status', 'settings', 'peers', 'problems?limit=200', 'problems?kind=quarantine', 'diagnostics'].map(
      (path) => ['GET', `/sync/${path}`] as const,
    ),
    ...['', '&object=vault', '&object=mine', '&object=matter', '&kind=field'].map(
      (more) => ['GET', `/sync/conflicts?state=all&limit=200${more}`] as const,
    ),
    ...records.map((record) => ['GET', `/sync/records/${record}`] as const),
    ...ids.flatMap((id) => [
      ['GET', `/sync/conflicts/${id}`] as const,
      ['POST', `/sync/conflicts/${id}/resolve`, { choice: 'winner' }] as const,
      ['POST', `/sync/conflicts/${id}/resolve`, { choice: 'loser', loser: 0 }] as const,
      ['POST', `/sync/conflicts/${id}/reopen`] as const,
    ]),
    ['POST', '/sync/conflicts/resolve', { ids, choice: 'newest' }],
    ['POST', '/sync/barrier', { on: 'any', timeoutMs: 100 }],
    ['POST', '/sync/verify', {}],
    ['POST', '/sync/pairing', {}],
  ]
  let found = 0
  for (const [method, path, body] of calls) {
    const { text, headers } = await host.call(method, path, body, narrow)
    const heard = canaries.filter((one) => text.includes(one) || JSON.stringify([...headers]).includes(one))
    if (heard.length > 0) context.log(`${method} ${path} holds ${heard.length} canaries`)
    found += heard.length
  }
  const open = (await host.expect('GET', '/sync/conflicts?limit=200')).conflicts.length
  if (open !== conflicts.length) context.log('a conflict that is not seen was decided')
  return found + Math.abs(open - conflicts.length)
}

/** Texts that are opened for somebody who may not read them. */
async function countTickets(host: SyncHost, hidden: readonly Hidden[]): Promise<number> {
  let opened = 0
  for (const { object, record, field } of hidden) {
    if (field !== 'notes') continue
    const wish = { object, recordId: record, field }
    if ((await host.call('POST', '/sync/docs/open', wish)).status !== 200)
      throw new Error('The owner cannot open a text.')
    if ((await host.call('POST', '/sync/docs/open', wish, narrow)).status === 200) opened += 1
  }
  return opened
}

defineCheck({
  id: 'S4',
  file: 'sync',
  stage: 3,
  unit: 'hidden values that a person who may not see them hears from a machine, or reads in an answer of sync',
  target: 0,
  run: (context) => countHiddenBytes(context, null),
  twin: (context) => countHiddenBytes(context, 'readers'),
})
