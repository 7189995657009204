// Several real hosts with the same people, objects and records whose feeds are joined by the pipe.
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { statement } from '#main/kernel/database.ts'
import type { Answer, TestHost } from './create-test-host.ts'
import { createTestHost } from './create-test-host.ts'
import type { PipeEnd } from './feed-pipe.ts'
import { copiedFolders, createPipeEnd } from './feed-pipe.ts'
import { asTestUser, testIdentityPlugins, testUserId } from './test-identities.ts'

/** A host with its end of the pipe. */
export interface FeedMachine {
  readonly host: TestHost
  readonly pipe: PipeEnd
  readonly feed: FeedService
  /** Calls as the user of a number. */
  as(number: number): {
    readonly id: string
    get(path: string): Promise<Answer>
    post(path: string, body?: unknown): Promise<Answer>
    put(path: string, body?: unknown): Promise<Answer>
    delete(path: string): Promise<Answer>
  }
  /** Everything machines must agree on: items, reactions and pins of a record, or of all. */
  rows(recordId?: string): unknown
  /** Ids of items whose body has a word. */
  search(record: string, word: string): Promise<string[]>
}

/** Several machines. */
export interface FeedMachines {
  readonly machines: readonly FeedMachine[]
  /** Makes a record with the same id on each, or on some. */
  record(on?: readonly FeedMachine[]): Promise<string>
  stop(): Promise<void>
}

let made = 0

/** Starts machines; `change` may replace plugins. */
export async function startFeedMachines(
  count: number,
  change: (plugins: PluginDefinition[], at: number) => PluginDefinition[] = (plugins) => plugins,
): Promise<FeedMachines> {
  const people = { users: [{}, {}, {}] }
  const { dirs, remove } = await copiedFolders(count, async (dataDir) => {
    const first = await createTestHost({ dataDir, plugins: testIdentityPlugins(people) })
    await first.defineObject('task', { title: { type: 'text' }, secret: { type: 'text' } })
    await first.defineObject('local', { title: { type: 'text' } }, { enable: { sync: false } })
    await first.stop()
  })
  const machines: FeedMachine[] = []
  for (const [at, dataDir] of dirs.entries()) {
    const pipe = createPipeEnd(100 + at)
    let feed: FeedService
    const looking = definePlugin({
      id: 'looking',
      version: '1.0.0',
      requires: ['feed'],
      register(inner) {
        feed = inner.service('feed')
      },
    })
    const plugins = [...change(testIdentityPlugins(people), at), pipe.plugin, looking]
    const host = await createTestHost({ dataDir, plugins })
    machines.push(machineOf(host, pipe, () => feed))
  }
  return {
    machines,
    async record(on = machines) {
      made += 1
      const id = `0190f2a4-0000-7000-9000-${String(made).padStart(12, '0')}`
      for (const { host } of on) {
        const answer = await host.post('/data/task', { id, title: 'One' })
        if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      }
      return `task/${id}`
    },
    async stop() {
      for (const { host } of machines) await host.stop()
      remove()
    },
  }
}

function machineOf(host: TestHost, pipe: PipeEnd, feed: () => FeedService): FeedMachine {
  const all = (columns: string, table: string, recordId: string): Record<string, unknown>[] =>
    host.host.database.read.all(
      statement(
        `SELECT object, record_id, ${columns} FROM ${table} WHERE ? IN ('', record_id) ORDER BY 1, 2, 3, 4, 5`,
        [recordId],
      ),
    )
  const machine: FeedMachine = {
    host,
    pipe,
    get feed() {
      return feed()
    },
    as(number) {
      const mine = asTestUser(number)
      return {
        id: testUserId(number),
        get: (path) => host.get(path, mine),
        post: (path, body) => host.post(path, body, mine),
        put: (path, body) => host.put(path, body, mine),
        delete: (path) => host.delete(path, mine),
      }
    },
    rows: (recordId = '') => ({
      items: all(
        `id, type, actor_type, actor_id, source, body, mentions, attachments, data, parent_id, visibility, created_at,
           updated_at, edited_at, is_deleted`,
        'feed_item',
        recordId,
      ).map((row) => ({ ...row, data: row['data'] === null ? null : (JSON.parse(row['data'] as string) as unknown) })),
      reactions: all('item_id, emoji, user_id, at', 'feed_reaction', recordId),
      pins: all('item_id, user_id, at', 'feed_pin', recordId),
    }),
    async search(record, word) {
      const answer = await machine.as(0).get(`/data/${record}/feed/search?query=${word}`)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return (answer.body.data.items as { id: string }[]).map(({ id }) => id)
    },
  }
  return machine
}
