// Files of two machines over kill -9 of either while bytes are on their way (D-323): every file is whole on the machine that
// says it has it, none is lost, and nothing lies around. Two hosts and a relay as processes of their own.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { filesOnDisk, multipart, noise, sha256 } from '../support/storage-calls.ts'
import { startSyncCluster } from '../support/sync-cluster.ts'
import type { ClusterNode, SyncCluster } from '../support/sync-cluster.ts'
import { until } from '../support/synced-hosts.ts'
import { sized } from '../support/test-size.ts'

const kills = sized(8, 8, 200)
let cluster: SyncCluster
let desk: ClusterNode
let laptop: ClusterNode

beforeAll(async () => {
  cluster = await startSyncCluster(() => Promise.resolve(), { names: ['Desk', 'Laptop'] })
  ;[desk, laptop] = cluster.nodes as [ClusterNode, ClusterNode]
  for (const node of cluster.nodes) await node.call('PATCH', '/sync/settings', { keepFiles: true })
}, 120_000)

afterAll(async () => cluster?.stop(), 60_000)

async function upload(node: ClusterNode, bytes: Uint8Array): Promise<string | undefined> {
  const { url, token } = node.server()
  const [body, headers] = multipart(['file', Buffer.from(bytes), 'a.bin'], ['scope', 'public'])
  const answer = await fetch(`${url}/api/v1/storage/upload`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: Buffer.from(body),
  })
  return answer.status === 201 ? ((await answer.json()) as { data: { fileId: string } }).data.fileId : undefined
}

async function read(node: ClusterNode, id: string): Promise<string | number> {
  const { url, token } = node.server()
  const answer = await fetch(`${url}/api/v1/storage/${id}`, { headers: { authorization: `Bearer ${token}` } })
  return answer.status === 200 ? sha256(Buffer.from(await answer.arrayBuffer())) : answer.status
}

const listed = async (node: ClusterNode): Promise<{ fileId: string; sha256: string; place: { here: boolean } }[]> =>
  (await node.call('GET', '/storage/files?limit=200')).body.data.files

it(
  'has every file whole on both in the end, whoever was killed meanwhile',
  async () => {
    const files = new Map<string, string>()
    const readBefore = new Set<string>()
    for (let kill = 0; kill < kills; kill += 1) {
      const [from, victim] = kill % 2 === 0 ? [desk, laptop] : [laptop, desk]
      const bytes = noise(3_000_000 + kill, kill)
      const id = await upload(from, bytes)
      expect(id).toBeDefined()
      files.set(id!, sha256(bytes))
      // Sometimes before anything is there, sometimes amid the bytes, of the one that sends or of the one that takes.
      await new Promise((resolve) => setTimeout(resolve, (kill * 137) % 900))
      const killed = kill % 4 < 2 ? victim : from
      await killed.end('SIGKILL')
      await killed.start()
      // What was whole after an earlier kill is read again now and then, and in the end.
      if (kill % 20 === 19) readBefore.clear()
      for (const node of cluster.nodes)
        for (const { fileId, place } of await listed(node)) {
          if (!place.here || readBefore.has(`${node.name} ${fileId}`)) continue
          expect(await read(node, fileId)).toBe(files.get(fileId))
          readBefore.add(`${node.name} ${fileId}`)
        }
    }
    for (const node of cluster.nodes) {
      await until(
        `${node.name} has all`,
        async () => {
          const all = await listed(node)
          return all.length === files.size && all.every(({ place }) => place.here)
        },
        120_000,
      )
      for (const [id, sum] of files) expect(await read(node, id)).toBe(sum)
      expect(new Set(filesOnDisk(node.dataDir).stored)).toEqual(new Set(files.values()))
    }
  },
  sized(400_000, 3_600_000),
)
