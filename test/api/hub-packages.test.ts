// An archive of a package that was uploaded to a machine which is lost is at the next leader of the hub (D-398).
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus } from '../support/api-call.ts'
import type { ApiCall } from '../support/api-call.ts'
import { leaderOf } from '../support/hub-machine.ts'
import { createHub } from '../support/hub-of-machines.ts'
import type { HubOfMachines } from '../support/hub-of-machines.ts'
import { filesOf, zipOf } from '../support/package-archives.ts'
import { hasPostgres } from '../support/postgres-cluster.ts'

const archive = (name: string) => {
  const files = filesOf({
    'manifest.json': { id: `org.test.${name}`, name, version: '1.0.0', namespace: name },
    [`metadata/object/${name}_thing.json`]: {
      fields: { title: { type: 'text', externalId: true }, size: { type: 'number' } },
    },
    [`data/${name}_thing.csv`]: 'title,size\nOne,1\n',
  })
  return { artifact: { format: 'zip', content: zipOf(files).toString('base64') } }
}

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('archives of packages in a hub', () => {
  let made: HubOfMachines
  beforeAll(async () => void (made = await createHub(['a', 'b'])))
  afterAll(() => made?.remove())

  const asked = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: made.cluster.url })
    await client.connect()
    const { rows } = await client.query<Row>(sql)
    await client.end()
    return rows
  }
  const kept = async (): Promise<number> =>
    (await asked("SELECT name FROM hub_file WHERE name LIKE 'shared/%.package'")).length

  it(
    'are installed at the next leader, also those that were there before it was a hub',
    { timeout: 240_000 },
    async () => {
      const [first, second] = made.machines as [(typeof made.machines)[0], (typeof made.machines)[0]]
      first.start()
      await leaderOf([first])
      const call: ApiCall = async (...words) => (await leaderOf([first])).call(...words)
      const upload = async (name: string): Promise<string> => {
        const answer = await expectStatus(call, 201, 'POST', '/api/v1/packages/upload', archive(name))
        return (answer as { data: { artifactRef: string } }).data.artifactRef
      }
      const early = await upload('early')
      expect(await kept()).toBe(1)
      // As it is where something was uploaded before there was a hub.
      await asked("DELETE FROM hub_file WHERE name LIKE 'shared/%'")
      await first.kill()
      await leaderOf([first])
      await expect.poll(kept, { timeout: 60_000 }).toBe(1)
      const refs = [early, await upload('late')]
      expect(await kept()).toBe(2)
      second.start()
      await second.follows()
      await first.stop('SIGKILL')
      const next = await leaderOf([second])
      for (const artifactRef of refs)
        await expectStatus(next.call, 201, 'POST', '/api/v1/packages/install', { artifactRef })
    },
  )
})
