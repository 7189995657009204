// The steps of GraphQL and OData: their lists against the same list of the data endpoints in the same run, what a schema
// costs when it is first asked for, and what a get waits for while GraphQL is kept busy. Compares Cairn with itself, and
// schemas with the time they are given.
import { runLoad, wireRequest } from './load.ts'
import type { RequestSource, WireRequest } from './load.ts'
import { alternate, anyId, compareRates, shapeAt } from './measures.ts'
import type { Run, Step } from './measures.ts'
import type { Pair } from './figures.ts'
import { makeDataDir, removeDataDir, startServer } from './servers.ts'
import { ask } from './targets.ts'
import type { ListShape, Target } from './targets.ts'

/** Clients that ask for lists at the same time. */
const connections = 16

const shown = 'id title status priority done due_date notes projectId ownerId created_at updated_at'
const listDocument = `query ($where: TaskWhere) {
  taskList(where: $where, orderBy: [{field: due_date, order: asc}], top: 20) {
    records { ${shown} project { id name ownerId created_at updated_at } }
  }
}`

function requestOf({ server }: Target, method: string, path: string, body?: unknown): WireRequest {
  const bytes = wireRequest({
    method,
    path: `/api/v1${path}`,
    port: server.port,
    headers: { authorization: `Bearer ${server.token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { bytes, status: 200 }
}

const byGraphql = (target: Target, { status, minPriority }: ListShape): WireRequest =>
  requestOf(target, 'POST', '/graphql', {
    query: listDocument,
    variables: { where: { status: { eq: status }, priority: { gte: minPriority } } },
  })

function byOdata(target: Target, { status, minPriority }: ListShape): WireRequest {
  const options = new URLSearchParams({
    $filter: `status eq '${status}' and priority ge ${minPriority}`,
    $orderby: 'due_date',
    $top: '20',
  })
  return requestOf(target, 'GET', `/odata/task?${options}`)
}

type Row = Record<string, unknown>

async function idsOf(target: Target, request: WireRequest, rows: (body: Row) => unknown): Promise<string> {
  const body = JSON.parse((await ask(target.server, request)).body.toString()) as Row
  const found = rows(body)
  if (!Array.isArray(found)) throw new Error(`no records: ${JSON.stringify(body).slice(0, 400)}`)
  return (found as Row[]).map(({ id }) => String(id)).join(' ')
}

interface Door {
  readonly id: string
  readonly label: string
  readonly goal: number
  readonly ours: (target: Target, shape: ListShape) => WireRequest
  readonly theirs: (target: Target, shape: ListShape) => WireRequest
  readonly rows: (body: Row) => unknown
}

/** @throws Error when the doors answer other records than each other */
function doorStep({ id, label, goal, ours, theirs, rows }: Door): Step {
  return {
    id,
    label,
    unit: '/s',
    better: 'higher',
    goal,
    reference: 'REST',
    async measure(run) {
      const [found, expected] = [
        await idsOf(run.cairn, ours(run.cairn, shapeAt(0)), rows),
        await idsOf(run.cairn, theirs(run.cairn, shapeAt(0)), ({ records }) => records),
      ]
      if (found === '' || found !== expected) throw new Error(`the doors differ: ${found} against ${expected}`)
      // Both are the same server; the copies tell which door is measured.
      const [here, there]: [Target, Target] = [{ ...run.cairn }, { ...run.cairn }]
      const source =
        (target: Target): RequestSource =>
        (index) =>
          (target === here ? ours : theirs)(target, shapeAt(index))
      return compareRates({ ...run, cairn: here, floor: there }, connections, source)
    },
  }
}

/** Milliseconds for one request to a workspace of its own, asked anew after each change of metadata. */
function schemaStep(id: string, label: string, size: { objects: number; fields: number }, allowedMs: number): Step {
  return {
    id,
    label,
    unit: 'ms',
    better: 'lower',
    goal: 1,
    reference: 'allowed',
    async measure() {
      const dataDir = makeDataDir('cairn')
      const server = await startServer('cairn', dataDir)
      try {
        const target = { server } as Target
        const define = (at: number, label: string): WireRequest =>
          requestOf(target, 'PUT', `/meta/object/wide_${at}`, {
            name: `wide_${at}`,
            label,
            fields: Object.fromEntries(
              Array.from({ length: size.fields }, (_, n) => [
                `field_${n}`,
                n === 0 ? { type: 'lookup', reference: `wide_0` } : { type: n % 2 === 0 ? 'text' : 'number' },
              ]),
            ),
          })
        for (let at = 0; at < size.objects; at += 1) await ask(server, define(at, 'Wide'))
        const pairs: Pair[] = []
        for (let round = 0; round < 5; round += 1) {
          await ask(server, define(1, `Wide ${round}`))
          const query = '{ wide1List(top: 1) { records { id field_1 field_0 { id } } } }'
          const startedAt = performance.now()
          await ask(server, requestOf(target, 'POST', '/graphql', { query }))
          pairs.push({ cairn: performance.now() - startedAt, reference: allowedMs })
        }
        return pairs
      } finally {
        await server.stop()
        removeDataDir(dataDir)
      }
    },
  }
}

/** How many clients keep GraphQL busy while gets are timed. */
const hammers = 4

const hammeredStep: Step = {
  id: 'door-graphql-busy',
  label: 'p99 of get by id while GraphQL is hammered',
  unit: 'ms',
  better: 'lower',
  goal: 10,
  reference: 'quiet',
  async measure(run: Run) {
    const gets = async () => {
      const result = await runLoad(run.cairn.server.port, 1, { ms: Math.max(run.burstMs, 600) }, () =>
        run.cairn.get(anyId(run.rows)),
      )
      return { value: result.p99Ms }
    }
    const busy = async () => {
      let isOver = false
      const end = { until: () => isOver }
      const hammering = runLoad(run.cairn.server.port, hammers, end, (index) => byGraphql(run.cairn, shapeAt(index)))
      const [result] = await Promise.all([
        gets().finally(() => {
          isOver = true
        }),
        hammering,
      ])
      return result
    }
    await busy()
    return alternate(run, busy, gets)
  },
}

/** The steps, in the order they run. */
export const doorSteps: readonly Step[] = [
  doorStep({
    id: 'door-graphql',
    label: 'GraphQL: list 20 with one relation',
    goal: 0.6,
    ours: byGraphql,
    theirs: (target, shape) => target.listExpanded(shape),
    rows: ({ data }) => (data as { taskList?: { records?: unknown } } | null)?.taskList?.records,
  }),
  doorStep({
    id: 'door-odata',
    label: 'OData: list 20, two filters and sort',
    goal: 0.7,
    ours: byOdata,
    theirs: (target, shape) => target.list(shape),
    rows: ({ value }) => value,
  }),
  hammeredStep,
  schemaStep('door-schema-50', 'GraphQL: first list of 50 objects', { objects: 50, fields: 12 }, 150),
  schemaStep('door-schema-5000', 'GraphQL: first list of 5,000 fields', { objects: 100, fields: 50 }, 500),
]
