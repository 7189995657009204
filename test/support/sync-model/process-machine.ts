// A machine of the model that is a process of its own: written to over the API, as people do, and looked at through its
// database. Knows no network and no step.
import { pino } from 'pino'
import { PlatformError } from '#shared/errors.ts'
import { openReader } from '#main/database/open.ts'
import type { Connection } from '#main/database/open.ts'
import { createReads } from '#main/database/reads.ts'
import { createStatements } from '#main/database/statements.ts'
import { internalContext, localOwner, localOwnerId } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type { Reads } from '#main/kernel/database.ts'
import { createExchange } from '#main/plugins/metadata/service/exchange.ts'
import { createItemCache } from '#main/plugins/metadata/service/item-cache.ts'
import type { ItemCache } from '#main/plugins/metadata/service/item-cache.ts'
import { readAllItems, readAllOverlays } from '#main/plugins/metadata/store.ts'
import { readIncarnations } from '#main/plugins/sync/store/log-store.ts'
import { countProblems } from '#main/plugins/sync/store/problem-store.ts'
import type { ClusterNode } from '../sync-cluster.ts'
import type { Machine } from './machine.ts'
import { OBJECTS } from './objects.ts'
import { takeSchemas } from './schema-image.ts'

/** A machine over a process. */
export interface ProcessMachine extends Machine {
  /** The process, to be hurt; nobody looks into its database while it is down. */
  readonly node: ClusterNode
  isUp(): boolean
  /** Everything it wrote under, the present incarnation last. */
  incs(): readonly number[]
  /** How many answers did not come. */
  readonly broken: number
  /** How often the process was begun. */
  readonly starts: number
  close(): void
}

/** Makes a machine over a process that runs. @param acknowledged called after each answer */
export function createProcessMachine(
  running: ClusterNode,
  acknowledged: (machine: ProcessMachine) => void,
): ProcessMachine {
  let connection: Connection | undefined
  let broken = 0
  let starts = 1
  const opened = (): Reads => {
    // Throws while it is down.
    running.server()
    connection ??= openReader(running.database)
    return createReads(createStatements(connection))
  }
  const read: Reads = {
    all: (given) => opened().all(given),
    get: (given) => opened().get(given),
    slices: (next) => opened().slices(next),
  }
  const close = (): void => {
    connection?.close()
    connection = undefined
  }
  const node: ClusterNode = {
    ...running,
    end(signal) {
      close()
      starts += 1
      return running.end(signal)
    },
  }

  /** Calls as the owner. @throws PlatformError for a refusal; an answer that does not come is counted, and undefined. */
  // oxlint-disable-next-line no-explicit-any -- bodies are what the API answers
  const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<any> => {
    const answer = await running.call(method, path, body, headers).catch(() => undefined)
    if (answer === undefined) return void (broken += 1)
    if (answer.status < 300) {
      acknowledged(machine)
      return answer.body
    }
    const { code = 'internal_error', message = '' } = answer.body?.error ?? {}
    const definition = { httpStatus: answer.status, category: 'request' as const, retryable: false, message }
    const asked = `${running.name}: ${method} ${path} ${JSON.stringify(body)}`
    throw new PlatformError(String(code), definition, answer.body?.error?.details, asked)
  }
  const isUp = (): boolean => {
    try {
      return running.server().process.exitCode === null
    } catch {
      return false
    }
  }
  let items: ItemCache | undefined
  /** While it is down, as they were last. */
  const itemsNow = (): ItemCache => {
    if (items === undefined || isUp()) {
      const stored = { items: readAllItems(read), overlays: readAllOverlays(read) }
      items = createItemCache(stored, pino({ level: 'silent' }))
    }
    return items
  }
  const exchangeNow = () => createExchange(itemsNow(), () => Promise.reject(new Error('Nothing is placed from here.')))
  const recordPath = ({ object, id }: { readonly object: string; readonly id: string }): string =>
    `/data/${object}/${id}`
  const feedPath = ({ object, recordId }: FeedPlace, item = '', more = ''): string =>
    `/data/${object}/${recordId}/feed${item === '' ? '' : `/${item}`}${more}`

  const machine: ProcessMachine = {
    name: running.name,
    node,
    isUp,
    close,
    get broken() {
      return broken
    },
    get starts() {
      return starts
    },
    get inc() {
      return read.get(statement<{ inc: number }>('SELECT inc FROM sync_workspace'))!.inc
    },
    incs() {
      const { inc, device } = read.get(
        statement<{ inc: number; device: string }>('SELECT inc, device FROM sync_workspace'),
      )!
      const all = readIncarnations(read).filter((one) => one.device === device && one.inc !== inc)
      return [...all.map((one) => one.inc), inc]
    },
    plugin: { read },
    people: [localOwnerId],
    ctx: () => ({ ...internalContext('model', 'API'), actor: localOwner }),
    data: {
      create: (_ctx, { object, data }) => call('POST', `/data/${object}`, data),
      update: (_ctx, { data, expectedVersion, ...place }) =>
        call('PATCH', recordPath(place), { ...data, ...(expectedVersion !== undefined && { expectedVersion }) }),
      remove: (_ctx, { purge, ...place }) =>
        call('DELETE', `${recordPath(place)}${purge === true ? '?purge=true' : ''}`),
      restore: (_ctx, place) => call('POST', `${recordPath(place)}/restore`),
      write: (_ctx, operations, options) => call('POST', '/batch', { operations, options }),
      bulk: (_ctx, { object, ...input }) => call('POST', `/data/${object}/batch`, input),
    },
    metadata: {
      objectSchema: (name) => itemsNow().objectSchema(name),
      objectSchemas: () => itemsNow().objectSchemas(),
      get: (type, name) => itemsNow().get(type, name),
      save: (_ctx, { type, name, item, ifMatch }) => {
        const seen = ifMatch === undefined ? undefined : { 'if-match': ifMatch }
        return call('PUT', `/meta/${type}/${name}?confirm=true`, { type, name, item }, seen)
      },
      remove: (_ctx, { type, name }) => call('DELETE', `/meta/${type}/${name}?confirm=true&force=true`),
      exchange: {
        names: (type) => exchangeNow().names(type),
        get committed() {
          return exchangeNow().committed
        },
      },
    },
    feed: {
      gate: { feed: (_ctx, place) => place as never },
      items: {
        create: async (_ctx, place, input) => (await call('POST', feedPath(placeOf(place)), input))?.data ?? {},
        change: (_ctx, place, item, input) => call('PUT', feedPath(placeOf(place), item), input),
        remove: (_ctx, place, item) => call('DELETE', feedPath(placeOf(place), item)),
      },
      marks: {
        react: (_ctx, place, item, emoji) => call('POST', feedPath(placeOf(place), item, '/reactions'), { emoji }),
        unreact: (_ctx, place, item, emoji) =>
          call('DELETE', feedPath(placeOf(place), item, `/reactions/${encodeURIComponent(emoji)}`)),
        pin: (_ctx, place, item) => call('POST', feedPath(placeOf(place), item, '/pin')),
        unpin: (_ctx, place, item) => call('DELETE', feedPath(placeOf(place), item, '/pin')),
      },
    },
    engine: {
      replica: {
        vector: () =>
          new Map(readIncarnations(read).flatMap(({ inc, storedSeq }) => (storedSeq > 0 ? [[inc, storedSeq]] : []))),
        // That all have the same digest is what their status proves.
        digest: () => null,
        backlog() {
          const waiting = readIncarnations(read).reduce(
            (sum, { storedSeq, appliedSeq }) => sum + storedSeq - appliedSeq,
            0,
          )
          return { waiting, ...countProblems(read) }
        },
      },
    },
    failNext: () => undefined,
    bringBack: () => Promise.resolve(),
    uidOf: (object) => machine.metadata.exchange.names('object').find(({ name }) => name === object)!.uid,
    fieldName(object, field) {
      const { uid } = origin.find(({ name }) => name === object)!.fields!.find(({ name }) => name === field)!
      return machine.metadata.objectSchema(object)!.fields.find((one) => one.uid === uid)!.name
    },
  }
  const origin = takeSchemas(machine.metadata).filter(({ name }) => name in OBJECTS)
  return machine
}

interface FeedPlace {
  readonly object: string
  readonly recordId: string
}

const placeOf = (place: unknown): FeedPlace => place as FeedPlace
