// The device of a person of limited rights, paired with a host: it writes signed changes of documents, whatever its person
// may do, and a test reads what became of them. Knows no rights but the words profiles say them in.
import * as Y from 'yjs'
import { statement } from '#main/kernel/database.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { setEntries } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import { pairHostileDevice } from './hostile-device.ts'
import { until } from './synced-hosts.ts'
import type { PeopledHost } from './test-identities.ts'
import { testUserId } from './test-identities.ts'

/** All a person may do with records of an object. */
export const everything = {
  ...{ allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true, allowRestore: true },
  ...{ allowPurge: true, allowTransfer: true, modifyAllRecords: true },
}

/** The same, but these and the right to change all records. */
export const without = (...flags: string[]) => ({
  ...everything,
  modifyAllRecords: false,
  ...Object.fromEntries(flags.map((flag) => [flag, false])),
})

/** One change of a document. */
export type Change = readonly [doc: string, update: Uint8Array]

/** The device, and what the host makes of it. */
export type PersonalDevice = Awaited<ReturnType<typeof pairPersonalDevice>>

/** Pairs a device of the N-th user with a host whose sync is on, and connects it. */
export async function pairPersonalDevice(host: PeopledHost, user: number) {
  const device = await pairHostileDevice(host, 'member', testUserId(user))
  let made = 0
  const one = <T>(sql: string, values: readonly unknown[]): T | undefined =>
    host.host.database.read.get<T>(statement(sql, [...values]))
  const schemaOf = (object: string) => host.host.plugins.service('metadata')!.objectSchema(object)!
  const stateOf = (doc: string): Uint8Array | undefined =>
    one<{ state: Uint8Array }>('SELECT state FROM sync_doc WHERE name = ?', [doc])?.state
  const problemOf = (seq = device.seq()): { reason: string; detail: string } | undefined =>
    one('SELECT reason, detail FROM sync_problem WHERE inc = ? AND seq = ?', [device.inc, seq])

  /** Connects, also after the device was paused. */
  const enter = async () => {
    await host.post(`/sync/peers/${device.device}/reconnect`)
    const peer = await device.connect()
    await until('the host greets', () => peer.of('AUTH').length > 0)
    return peer
  }
  let peer = await enter()

  /** The update that an edit of a document makes under the number of the device. */
  const updateOf = (doc: string, edit: (loaded: Y.Doc) => void): Uint8Array => {
    const loaded = new Y.Doc()
    const state = stateOf(doc)
    if (state !== undefined) Y.applyUpdate(loaded, state)
    loaded.clientID = device.inc
    const before = Y.encodeStateVector(loaded)
    edit(loaded)
    return Y.encodeStateAsUpdate(loaded, before)
  }

  /** Sends changes as one call; resolves when the host has dealt with all of them. */
  const sendCall = async (changes: readonly Change[], author = testUserId(user)): Promise<void> => {
    const group = { first: device.seq() + 1, count: changes.length }
    const kindOf = (doc: string) => (doc.startsWith('t/') ? ('text' as const) : ('update' as const))
    const frames = device.write(changes.map(([doc, update]) => ({ doc, update, author, group, kind: kindOf(doc) })))
    const applied = 'SELECT applied_seq AS seq FROM sync_inc WHERE inc = ?'
    const isApplied = (): boolean => (one<{ seq: number }>(applied, [device.inc])?.seq ?? 0) >= device.seq()
    while (!isApplied()) {
      // A machine of which twenty changes a minute are refused is paused; its owner lets it in again.
      if (peer.link.ended() !== undefined) peer = await enter()
      peer.say(...frames)
      await until('the host has dealt with it', () => isApplied() || peer.link.ended() !== undefined)
    }
  }

  return {
    device,
    schemaOf,
    uidOf: (object: string, field: string): string => schemaOf(object).byName.get(field)!.uid,
    recordDoc: (object: string, record: string): string =>
      formatDocName({ kind: 'record', object: schemaOf(object).uid, record }),
    textDoc: (object: string, record: string): string =>
      formatDocName({
        kind: 'text',
        object: schemaOf(object).uid,
        record,
        field: schemaOf(object).byName.get('notes')!.uid,
      }),
    stateOf,
    problemOf,
    rowOf: (object: string, id: string): Record<string, unknown> | undefined =>
      one(`SELECT * FROM "${schemaOf(object).table}" WHERE id = ?`, [id]),
    updateOf,
    entries: (doc: string, values: Readonly<Record<string, Json>>): Uint8Array =>
      updateOf(doc, (loaded) => setEntries(loaded, values, { ms: Date.now() + (made += 1), ctr: 1 }, device.inc)),
    sendCall,
    /** Sends one change; answers why it lies aside, or undefined when it was applied. */
    async send(doc: string, update: Uint8Array, author?: string): Promise<string | undefined> {
      await sendCall([[doc, update]], author)
      return problemOf()?.reason
    },
    newId: (): string => `01990000-0000-7000-8000-${String((made += 1)).padStart(12, '0')}`,
  }
}
