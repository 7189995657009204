// A schedule in a workspace of several machines (D-260): it runs on one of them, whichever that is at the moment.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { rowOf, saveFlow } from '../support/flow-calls.ts'
import { pair, startFounder, until } from '../support/synced-hosts.ts'
import { createTestHost } from '../support/create-test-host.ts'

let desk: TestHost
let laptop: TestHost

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-schedules-'))
const name = 'tick'

beforeAll(async () => {
  desk = await startFounder('Desk')
  laptop = await createTestHost({ dataDir })
  await desk.defineObject('mark', { title: { type: 'text' } })
  const row = rowOf({ id: 'make', type: 'create_record', config: { object: 'mark', data: { title: '{{ run.id }}' } } })
  const [start, ...others] = row.nodes
  const nodes = [{ ...start, config: { everySeconds: 1 } }, ...others]
  await saveFlow(desk, name, { type: 'schedule', ...row, nodes })
  await pair(desk, laptop)
}, 90_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const runsOf = async (host: TestHost): Promise<number> => (await host.get(`/automation/${name}/runs`)).body.data.total

const placeOf = async (host: TestHost): Promise<{ id: string; name: string; isThis: boolean } | undefined> => {
  const { schedules } = (await host.get('/automation/schedules')).body.data as {
    schedules: { flowName: string; runsOn?: { id: string; name: string; isThis: boolean } }[]
  }
  return schedules.find(({ flowName }) => flowName === name)?.runsOn
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

it('runs on the machine that began the workspace, and on no other', async () => {
  await until('both show the schedule', async () => (await placeOf(laptop)) !== undefined)
  expect(await placeOf(desk)).toMatchObject({ name: 'Desk', isThis: true })
  expect(await placeOf(laptop)).toMatchObject({ name: 'Desk', isThis: false })
  const before = await runsOf(desk)
  await until('it runs there', async () => (await runsOf(desk)) >= before + 2)
  expect(await runsOf(laptop)).toBe(0)
  // What it makes is everywhere.
  await until('its records have arrived', async () => {
    return (await laptop.get('/data/mark?top=1000')).body.records.length >= before + 2
  })
})

it('runs on the machine that the flow names, and on no other', async () => {
  const id = (await desk.get('/sync/peers')).body.peers[0].id as string
  const moved = await desk.put(`/automation/${name}`, { definition: { runsOn: id } })
  expect(moved.status, JSON.stringify(moved.body)).toBe(200)
  expect((await desk.get(`/automation/${name}`)).body.data.runsOn).toBe(id)
  await until('both know', async () => (await placeOf(laptop))?.isThis === true)
  expect(await placeOf(desk)).toMatchObject({ id, isThis: false })
  // One that was due at the moment of the change may still come.
  await pause(1_200)
  const [here, there] = [await runsOf(desk), await runsOf(laptop)]
  await until('it runs there', async () => (await runsOf(laptop)) >= there + 2)
  expect(await runsOf(desk)).toBe(here)
})

it('goes over to the machine that is named for all, and says where it goes meanwhile', async () => {
  const device = (await placeOf(laptop))!
  const { holder, wanted, machines } = (await laptop.get('/sync/runner')).body
  expect([holder, wanted]).toMatchObject([
    { name: 'Desk', isThis: false, isConnected: true },
    { name: 'Desk', isThis: false },
  ])
  expect(machines).toMatchObject([{ mayHold: true }, { mayHold: true }])
  expect((await desk.put(`/automation/${name}`, { definition: { runsOn: '' } })).status).toBe(200)
  await until('it is with the others again', async () => (await placeOf(laptop))?.name === 'Desk')
  const nobody = await desk.put('/sync/runner', { deviceId: '0'.repeat(32) })
  expect(nobody.body.error.details.fieldErrors).toMatchObject([{ field: 'deviceId', code: 'invalid_reference' }])
  const forOther = await desk.put('/sync/runner', { deviceId: device.id, takeOver: true })
  expect(forOther.body.error.details.fieldErrors).toMatchObject([{ field: 'takeOver', code: 'not_allowed' }])
  // Named on the machine that does not have it: the other one hands it over when it hears of that.
  const named = await laptop.put('/sync/runner', { deviceId: device.id })
  expect([named.status, named.body.wanted.isThis]).toEqual([200, true])
  await until('both know', async () => (await placeOf(laptop))?.isThis && !(await placeOf(desk))?.isThis)
  // Whoever is connected is not passed over.
  const taken = await desk.put('/sync/runner', { deviceId: holder.id, takeOver: true })
  expect(taken.body).toMatchObject({ holder: { isThis: false }, wanted: { isThis: true } })
  expect(await placeOf(desk)).toMatchObject({ id: device.id, isThis: false })
  await until('it is back', async () => (await placeOf(desk))?.isThis)
})

it('makes up where it was for what was missed, when another machine is named while that one is off', async () => {
  const { id } = (await placeOf(desk))!
  const there = await runsOf(laptop)
  await desk.put('/sync/runner', { deviceId: (await desk.get('/sync/peers')).body.peers[0].id })
  await until('it runs on the laptop', async () => (await runsOf(laptop)) > there)
  await laptop.stop()
  const off = new Date().toISOString()
  expect((await desk.put('/sync/runner', { deviceId: id })).body).toMatchObject({ holder: { isThis: false } })
  await pause(1_000)
  laptop = await createTestHost({ dataDir })
  const here = await runsOf(desk)
  await until('it has gone over', async () => (await runsOf(desk)) > here)
  const missed = async (): Promise<number> => {
    const { runs } = (await laptop.get(`/automation/${name}/runs?limit=100`)).body.data
    return runs.filter(({ createdAt }: { createdAt: string }) => createdAt > off).length
  }
  // By the next look of its own clock, which may come after the first run of the other machine.
  await until('it is made up for', async () => (await missed()) > 0)
  expect(await missed()).toBe(1)
})

it('runs on the machine of the workspace again when the one it names is unpaired, and at once when sync is off', async () => {
  const { id } = (await desk.get('/sync/peers')).body.peers[0]
  expect((await desk.delete(`/sync/peers/${id}`)).status).toBe(200)
  await until('it is the machine of the workspace', async () => (await placeOf(desk))?.isThis === true)
  const here = await runsOf(desk)
  await until('it runs there', async () => (await runsOf(desk)) > here)
  expect((await desk.post('/sync/disable')).status).toBe(200)
  expect(await placeOf(desk)).toBeUndefined()
  const alone = await runsOf(desk)
  await until('it goes on', async () => (await runsOf(desk)) > alone)
})
