// How each server is asked for the same work: the floor in its own words, Cairn through its public API. Also fills
// both with the same rows. Knows no measure and no goal.
import { openWire, wireRequest } from './load.ts'
import type { WireRequest, WireResponse } from './load.ts'
import { makeProjects, makeTasks, taskStatuses, toCsv } from './rows.ts'
import type { TaskRow } from './rows.ts'
import type { RunningServer } from './servers.ts'

/** The list every list step asks for: two filters, a sort that an index serves, the first 20. */
export interface ListShape {
  readonly status: string
  readonly minPriority: number
}

/** The requests of one server; `object` is always `task` or an object of the same fields. */
export interface Target {
  readonly server: RunningServer
  get(id: string, object?: string): WireRequest
  list(shape: ListShape, object?: string): WireRequest
  /** The first 20. */
  listPlain(): WireRequest
  listExpanded(shape: ListShape): WireRequest
  create(row: Omit<TaskRow, 'id'>, object?: string): WireRequest
  update(id: string, changes: Partial<TaskRow>, object?: string): WireRequest
  createMany(rows: readonly Partial<TaskRow>[], object?: string): WireRequest
  /** Rows as the server's fastest bulk entrance takes them: CSV for Cairn, the bulk insert for the floor. */
  bulkLoad(rows: readonly TaskRow[]): WireRequest[]
  remove(id: string): WireRequest
  group(object?: string): WireRequest
  search(text: string): WireRequest
  /** What a client asks for first: a document that says what the server offers, the same for everybody. */
  discover(): WireRequest
  /** Makes the tables of the run. Called once per data directory. */
  prepare(objects: readonly string[]): Promise<void>
}

/** Sends one request outside any measurement. @throws Error when the status is not the expected one */
export async function ask(server: RunningServer, request: WireRequest): Promise<WireResponse> {
  const wire = await openWire(server.port)
  try {
    const response = await wire.send(request.bytes)
    if (response.status !== request.status) {
      const shown = response.body.toString('utf8', 0, 600)
      throw new Error(`${server.kind}: ${request.bytes.split('\r\n', 1)[0]!} answered ${response.status}: ${shown}`)
    }
    return response
  } finally {
    wire.close()
  }
}

/** Rows of one bulk request; the limit of D-63. */
export const bulkSize = 1_000

/** Rows of one CSV import request. */
const importSize = 10_000

function slices<T>(rows: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  )
}

function withoutId(row: TaskRow): Omit<TaskRow, 'id'> {
  const { id: _id, ...rest } = row
  return rest
}

function floorTarget(server: RunningServer): Target {
  const request = (method: string, path: string, status: number, body?: unknown): WireRequest => ({
    bytes: wireRequest({
      method,
      path,
      port: server.port,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
    status,
  })
  return {
    server,
    get: (id) => request('GET', `/task/${id}`, 200),
    list: ({ status, minPriority }) => request('GET', `/task?status=${status}&minPriority=${minPriority}`, 200),
    listPlain: () => request('GET', '/task/first', 200),
    listExpanded: ({ status, minPriority }) =>
      request('GET', `/task/expanded?status=${status}&minPriority=${minPriority}`, 200),
    create: (row) => request('POST', '/task', 201, row),
    update: (id, changes) => request('PATCH', `/task/${id}`, 200, changes),
    createMany: (rows) => request('POST', '/task/createMany', 201, { records: rows }),
    bulkLoad: (rows) =>
      slices(rows, bulkSize).map((slice) =>
        request('POST', '/task/createMany', 201, { records: slice.map(withoutId) }),
      ),
    remove: (id) => request('DELETE', `/task/${id}`, 200),
    group: () => request('GET', '/task/grouped', 200),
    search: (text) => request('GET', `/task/search?search=${encodeURIComponent(text)}`, 200),
    discover: () => request('GET', '/', 200),
    prepare: async () => {
      await ask(server, request('POST', '/project/createMany', 201, { records: makeProjects() }))
    },
  }
}

/** An object that keeps neither history nor feeds. */
export const quietObject = 'task_quiet'

/** The object `task` as the floor's table has it; other names give the same object again. */
function taskObject(name: string): Record<string, unknown> {
  return {
    name,
    label: 'Task',
    // Rights count for people with a role; the owner of the workspace sees everything at once.
    sharingModel: 'private',
    displayNameField: 'title',
    fields: {
      title: { type: 'text', required: true },
      status: {
        type: 'select',
        required: true,
        options: taskStatuses.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
      },
      priority: { type: 'number', scale: 0 },
      done: { type: 'boolean' },
      due_date: { type: 'date' },
      notes: { type: 'textarea' },
      project: { type: 'lookup', reference: 'project' },
    },
    indexes: [{ fields: ['status', 'due_date'] }, { fields: ['status', 'priority'] }],
    search: { fields: ['title', 'notes'] },
    ...(name === quietObject ? { enable: { trackHistory: false, feeds: false } } : {}),
  }
}

function cairnTarget(server: RunningServer): Target {
  const headers = { authorization: `Bearer ${server.token}` }
  const request = (method: string, path: string, status: number, body?: string, contentType?: string): WireRequest => ({
    bytes: wireRequest({
      method,
      path: `/api/v1${path}`,
      port: server.port,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    }),
    status,
  })
  const listPath = ({ status, minPriority }: ListShape, object: string): string => {
    const filter = encodeURIComponent(JSON.stringify({ status, priority: { $gte: minPriority } }))
    return `/data/${object}?filter=${filter}&sort=due_date&top=20`
  }
  return {
    server,
    get: (id, object = 'task') => request('GET', `/data/${object}/${id}`, 200),
    list: (shape, object = 'task') => request('GET', listPath(shape, object), 200),
    listPlain: () => request('GET', '/data/task?top=20', 200),
    listExpanded: (shape) => request('GET', `${listPath(shape, 'task')}&expand=project`, 200),
    create: (row, object = 'task') => request('POST', `/data/${object}`, 201, JSON.stringify(row)),
    update: (id, changes, object = 'task') => request('PATCH', `/data/${object}/${id}`, 200, JSON.stringify(changes)),
    createMany: (rows, object = 'task') =>
      request('POST', `/data/${object}/createMany`, 201, JSON.stringify({ records: rows })),
    bulkLoad: (rows) =>
      slices(rows, importSize).map((slice) => request('POST', '/data/task/import', 200, toCsv(slice), 'text/csv')),
    remove: (id) => request('DELETE', `/data/task/${id}`, 200),
    group: (object = 'task') =>
      request(
        'POST',
        `/data/${object}/query`,
        200,
        JSON.stringify({
          groupBy: ['status'],
          aggregations: [{ function: 'count' }, { function: 'avg', field: 'priority' }],
          sort: 'status',
        }),
      ),
    search: (text) => request('GET', `/data/task?search=${encodeURIComponent(text)}&top=20`, 200),
    discover: () => request('GET', '', 200),
    prepare: async (objects) => {
      const project = { name: 'project', fields: { name: { type: 'text', required: true } } }
      await ask(server, request('PUT', '/meta/object/project', 200, JSON.stringify(project)))
      for (const object of objects) {
        await ask(server, request('PUT', `/meta/object/${object}`, 200, JSON.stringify(taskObject(object))))
      }
      const records = JSON.stringify({ records: makeProjects() })
      await ask(server, request('POST', '/data/project/createMany', 201, records))
    },
  }
}

/** The requests of a running server. */
export function createTarget(server: RunningServer): Target {
  return server.kind === 'floor' ? floorTarget(server) : cairnTarget(server)
}

/** Series of the rows that are there before anything is measured. */
export const seedSeries = 2

/** Fills a server with rows `0` to `count` of a series through its bulk insert. */
export async function seed(target: Target, count: number, object = 'task', series = seedSeries): Promise<void> {
  const wire = await openWire(target.server.port)
  try {
    for (let from = 0; from < count; from += bulkSize) {
      const request = target.createMany(makeTasks(series, from, Math.min(count, from + bulkSize)), object)
      const response = await wire.send(request.bytes)
      if (response.status !== request.status) {
        throw new Error(
          `seeding ${target.server.kind} answered ${response.status}: ${response.body.toString('utf8', 0, 600)}`,
        )
      }
    }
  } finally {
    wire.close()
  }
}
