// A desk with people and the machine of one of them, who may do only what a test says: what the machine writes beyond that
// is refused at the desk. The network between them is one that a test cuts and mends.
import type { Answer, TestHost } from './create-test-host.ts'
import { startFaultProxy } from './fault-proxy.ts'
import type { FaultProxy } from './fault-proxy.ts'
import { createSyncedHost, listen, pair, until, withoutBackups } from './synced-hosts.ts'
import { createPeopledHost, testUserId } from './test-identities.ts'
import type { PeopledHost } from './test-identities.ts'

/** The two hosts. */
export interface RefusingHosts {
  readonly desk: PeopledHost
  /** The machine of user 0, under its owner. */
  readonly laptop: TestHost
  readonly network: FaultProxy
  /** Gives the person of the laptop these rights at the desk: the name of a profile of {@link refusingProfiles}. */
  may(profile: keyof typeof refusingProfiles): Promise<void>
  /** Makes a record at the desk and waits until the laptop has it. */
  shared(data?: object): Promise<string>
  /** The open refusals on the laptop, of one record where it is named. */
  // oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely
  refused(recordId?: string): Promise<any[]>
  /** Waits for the one refusal of a record; `fits` says which state of it is meant. */
  // oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely
  refusal(recordId: string, fits?: (conflict: any) => boolean): Promise<any>
  decide(id: string, choice: 'winner' | 'keep' | 'retry'): Promise<Answer>
  /** Cuts the network, or mends it. */
  part(): Promise<void>
  join(): Promise<void>
  /** Resolves when both have equal documents and say so. */
  agree(): Promise<void>
  stop(): Promise<void>
}

const mayRead = { '*': { allowRead: true } }
const everything = {
  ...{ allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true, allowRestore: true },
  ...{ allowPurge: true, allowTransfer: true, modifyAllRecords: true },
}

/** What the person of the laptop may do at the desk, by name. */
export const refusingProfiles = {
  all: { objects: { ...mayRead, part: everything } },
  reader: { objects: mayRead },
  no_create: { objects: { ...mayRead, part: { ...everything, allowCreate: false } } },
  no_delete: { objects: { ...mayRead, part: { ...everything, allowDelete: false, allowPurge: false } } },
  no_size: {
    objects: { ...mayRead, part: everything },
    fields: { 'part.size': { readable: true, editable: false } },
  },
  hidden_size: {
    objects: { ...mayRead, part: everything },
    fields: { 'part.size': { readable: false, editable: false } },
  },
}

const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1))

/** Starts and pairs them; the person may do everything at first. */
export async function startRefusingHosts(): Promise<RefusingHosts> {
  const desk = await createPeopledHost({ users: [{}] }, withoutBackups)
  for (const [name, item] of Object.entries(refusingProfiles))
    await desk.saveItem('profile', name, { label: name, ...item })
  await listen(desk)
  await desk.post('/sync/enable', { deviceName: 'Desk' })
  await desk.defineObject('part', {
    title: { type: 'text' },
    size: { type: 'number' },
    tags: { type: 'multiselect', options: ['a', 'b', 'c'].map((value) => ({ value, label: value })) },
    notes: { type: 'markdown' },
  })
  await desk.assign(0, { profile: 'all' })
  const laptop = await createSyncedHost()
  await pair(desk, laptop, 'Laptop', { user: testUserId(0), role: 'member' })
  const { listening } = (await desk.get('/sync/settings')).body
  const network = await startFaultProxy(portOf(listening[0]))
  const [other] = (await laptop.get('/sync/peers')).body.peers
  await laptop.patch(`/sync/peers/${other.id}`, { address: `127.0.0.1:${network.port}` })
  await laptop.patch(`/sync/peers/${other.id}`, { paused: true })
  await connected(false)
  await laptop.patch(`/sync/peers/${other.id}`, { paused: false })
  await connected(true)

  async function connected(is: boolean): Promise<void> {
    for (const host of [desk, laptop])
      await until(`the other one is ${is ? '' : 'not '}connected`, async () => {
        const { peers } = (await host.get('/sync/peers')).body
        return (peers[0].state === 'connected') === is
      })
  }

  const self: RefusingHosts = {
    desk,
    laptop,
    network,
    may: (profile) => desk.assign(0, { profile }),
    async shared(data = { title: 'Bolt', size: 1, notes: 'Steel.' }) {
      const { status, body } = await desk.post('/data/part', data)
      if (status !== 201) throw new Error(`The record was refused: ${JSON.stringify(body)}`)
      await until('the laptop has it', async () => (await laptop.get(`/data/part/${body.id}`)).status === 200)
      return body.id
    },
    async refused(recordId) {
      const narrowed = recordId === undefined ? '' : `&recordId=${recordId}`
      return (await laptop.get(`/sync/conflicts?kind=refused${narrowed}`)).body.conflicts
    },
    refusal: (recordId, fits = () => true) =>
      until('the refusal is listed', async () => (await self.refused(recordId)).find(fits)),
    decide: (id, choice) => laptop.post(`/sync/conflicts/${id}/resolve`, { choice }),
    async part() {
      network.refuse()
      await connected(false)
    },
    async join() {
      network.heal()
      await laptop.post(`/sync/peers/${other.id}/reconnect`)
      await connected(true)
    },
    async agree() {
      for (const host of [desk, laptop])
        await until('it is up to date', async () => {
          const { state } = (await host.get('/sync/status')).body
          return state === 'up_to_date'
        })
      const [here, there] = await Promise.all([desk, laptop].map(async (host) => host.get('/sync/diagnostics')))
      if (here!.body.digest !== there!.body.digest) throw new Error('Their documents differ.')
    },
    async stop() {
      await laptop.stop()
      await desk.stop()
      await network.close()
    },
  }
  return self
}
