// Writers on every host of a cluster: new records, changes of the same fields everywhere, words put into texts, and now
// and then a deletion. All of it goes into a journal. Knows the API, no fault.
import { setTimeout as pause } from 'node:timers/promises'
import type { Edit, EditJournal } from './edit-journal.ts'
import type { ClusterNode, NodeAnswer } from './sync-cluster.ts'

/** The object the writers write to. */
export const clusterObject = {
  name: 'note',
  fields: {
    round: { type: 'number', index: true },
    title: { type: 'text' },
    size: { type: 'text' },
    notes: { type: 'markdown' },
  },
}

/** A writer on one host. */
export interface ClusterWriter {
  /** Writes one thing after the other until it is stopped; a host that is gone is tried again. */
  run(): void
  /** Resolves when the last answer is there. */
  stop(): Promise<void>
}

/** What writers of one round share. */
export interface RoundLoad {
  readonly round: number
  readonly journal: EditJournal
  /** Records of the round that were acknowledged anywhere. */
  readonly ids: string[]
  /** 0 to 1. */
  readonly random: () => number
  /** Called after each acknowledgement. */
  readonly acknowledged: (node: ClusterNode) => void
}

let counter = 0

/** Makes a writer. */
export function createClusterWriter(node: ClusterNode, load: RoundLoad): ClusterWriter {
  const { journal, ids, random, round } = load
  let isStopped = false
  let running: Promise<void> | undefined

  const unique = (): string => `${node.name}-${(counter += 1)}`

  /** Notes the answer to a write; one that breaks off says nothing. */
  async function write(call: () => Promise<NodeAnswer>, expected: number, done: (answer: NodeAnswer) => void) {
    const answer = await call()
    if (answer.status === expected) {
      done(answer)
      load.acknowledged(node)
    } else if (![404, 409].includes(answer.status) && answer.status < 500) {
      throw new RefusedWrite(`${node.name} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    }
  }

  async function create(): Promise<void> {
    const values = { title: unique(), size: unique(), notes: 'begin' }
    await write(
      () => node.call('POST', '/data/note', { round, ...values }),
      201,
      ({ body: { id } }) => {
        for (const field of ['title', 'size'] as const)
          journal.edits.push({ id, field, value: values[field], replaced: null, isAcknowledged: true })
        ids.push(id)
      },
    )
  }

  async function change(): Promise<void> {
    const id = ids[Math.floor(random() * ids.length)]
    if (id === undefined) return create()
    const found = await node.call('GET', `/data/note/${id}`)
    if (found.status !== 200) return
    const { record } = found.body
    const kind = random()
    const path = `/data/note/${id}`
    const expectedVersion: string = record.updated_at
    if (kind < 0.05) {
      const deletion = { id, values: record, isAcknowledged: undefined as true | undefined }
      journal.deletions.push(deletion)
      const query = `?expectedVersion=${encodeURIComponent(expectedVersion)}`
      return write(
        () => node.call('DELETE', path + query),
        200,
        () => void (deletion.isAcknowledged = true),
      )
    }
    const value = unique()
    const field = kind < 0.25 ? 'notes' : kind < 0.8 ? 'title' : 'size'
    const edit: Edit = { id, field, value, replaced: record[field] ?? null, isAcknowledged: undefined }
    journal[field === 'notes' ? 'words' : 'edits'].push(edit)
    const text = field === 'notes' ? `${record.notes} <${value}>` : value
    await write(
      () => node.call('PATCH', path, { [field]: text, expectedVersion }),
      200,
      () => void (edit.isAcknowledged = true),
    )
  }

  async function writeOn(): Promise<void> {
    while (!isStopped) {
      try {
        await (ids.length < 4 || random() < 0.15 ? create() : change())
        await pause(random() * 15)
      } catch (error) {
        if (error instanceof RefusedWrite) throw error
        // The host is gone or its answer broke off.
        await pause(20)
      }
    }
  }

  return {
    run() {
      running = writeOn()
      // Told by whoever stops it.
      running.catch(() => undefined)
    },
    async stop() {
      isStopped = true
      await running
    },
  }
}

/** The load itself is wrong; never to be taken for a host that is gone. */
class RefusedWrite extends Error {}
