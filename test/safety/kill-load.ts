// Load for a server that is about to be killed: single writes, atomic batches and createMany, with a journal of what
// was acknowledged, and the comparison of that journal with the file afterwards.
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import type { ChildServer } from './child-server.ts'

/** The object the load writes to; its rows carry the number of the request that made them. */
export const loadObject = {
  name: 'kill_note',
  fields: { title: { type: 'text', required: true }, request: { type: 'number', index: true } },
}

const sizes = { single: 1, batch: 10, many: 25 } as const
type Kind = keyof typeof sizes

/** One request of the load. */
export interface JournalEntry {
  readonly kind: Kind
  acknowledged: boolean
}

/** Requests by their number, over all rounds. */
export type Journal = Map<number, JournalEntry>

/** What the file lacks, compared with the journal. */
export interface KillReport {
  readonly acknowledged: number
  readonly lost: number
  readonly half: number
  readonly damaged: number
}

/** Creates the object of the load. @throws Error when it is refused */
export async function defineLoadObject(server: ChildServer): Promise<void> {
  const answer = await server.call('PUT', `/api/v1/meta/object/${loadObject.name}`, loadObject)
  if (answer.status !== 200) throw new Error(`the object was refused: ${answer.status} ${answer.text}`)
}

/** A load that goes on until it is stopped or the server is gone. */
export interface RunningLoad {
  /** Resolves when every client has ended; requests that broke off stay unacknowledged. */
  stop(): Promise<void>
}

/** Starts `clients` clients, each with one request at a time. @param restMs what a client waits between two of them */
export function startLoad(server: Pick<ChildServer, 'call'>, journal: Journal, clients = 8, restMs = 0): RunningLoad {
  let stopping = false
  const running = Array.from({ length: clients }, async (_, client) => {
    for (let turn = 0; !stopping; turn += 1) {
      const kinds: readonly Kind[] = ['single', 'single', 'single', 'batch', 'many']
      const kind = kinds[(turn + client) % kinds.length]!
      const number = journal.size + 1
      const entry: JournalEntry = { kind, acknowledged: false }
      journal.set(number, entry)
      try {
        const { status, text } = await server.call('POST', ...requestOf(kind, number))
        if (status === 201 || (status === 200 && text.includes('"success":true'))) entry.acknowledged = true
        else if (status < 500) throw new Refused(`${kind} was refused: ${status} ${text}`)
      } catch (error) {
        if (error instanceof Refused) throw error
        return
      }
      if (restMs > 0) await pause(restMs)
    }
  })
  return {
    async stop() {
      stopping = true
      await Promise.all(running)
    },
  }
}

/** The load itself is wrong; never to be taken for a server that is gone. */
class Refused extends Error {}

function requestOf(kind: Kind, number: number): [string, unknown] {
  const base = `/api/v1/data/${loadObject.name}`
  const record = { title: `${kind} ${number}`, request: number }
  const records = Array.from({ length: sizes[kind] }, () => record)
  if (kind === 'single') return [base, record]
  if (kind === 'many') return [`${base}/createMany`, { records }]
  return [`${base}/batch`, { operation: 'create', records: records.map((data) => ({ data })) }]
}

/** Compares the file with the journal; the file must have no owner. */
export function compareWithFile(file: string, journal: Journal): KillReport {
  const connection = new BetterSqlite3(file, { fileMustExist: true })
  try {
    const damaged = connection.pragma('integrity_check', { simple: true }) === 'ok' ? 0 : 1
    const rows = connection.prepare(`SELECT request, count(*) AS n FROM o_${loadObject.name} GROUP BY request`).all()
    const found = new Map((rows as { request: number; n: number }[]).map((row) => [Number(row.request), row.n]))
    let acknowledged = 0
    let lost = 0
    let half = 0
    for (const [number, entry] of journal) {
      const count = found.get(number) ?? 0
      const whole = count === sizes[entry.kind]
      if (entry.acknowledged) acknowledged += 1
      if (count !== 0 && !whole) half += 1
      else if (entry.acknowledged && !whole) lost += 1
    }
    return { acknowledged, lost, half, damaged }
  } finally {
    connection.close()
  }
}
