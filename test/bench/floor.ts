// The floor: the least a server of this stack can do for one fixed table, written by hand. No authentication, no
// validation, no metadata, and commits that a power loss may take back. Every goal is a ratio to this program.
//
//   node test/bench/floor.ts --data DIR     prints "Floor is running at http://127.0.0.1:<port>"
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import fastify from 'fastify'
import { systemClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'

interface StoredTask {
  id: string
  title: string
  status: string
  priority: number
  done: number
  due_date: string
  notes: string
  project: string
  created_at: string
  updated_at: string
}

type TaskInput = Omit<StoredTask, 'id' | 'done' | 'created_at' | 'updated_at'> & { id?: string; done: boolean }

const dataFlag = process.argv.indexOf('--data')
const dataDir = dataFlag < 0 ? undefined : process.argv[dataFlag + 1]
if (dataDir === undefined) throw new Error('floor.ts needs --data DIR')

const db = new Database(join(dataDir, 'floor.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = NORMAL')
db.exec(`
  CREATE TABLE IF NOT EXISTS project (id TEXT PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS task (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL, priority INTEGER NOT NULL, done INTEGER NOT NULL,
    due_date TEXT NOT NULL, notes TEXT NOT NULL, project TEXT NOT NULL REFERENCES project (id),
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS task_status_due ON task (status, due_date);
  CREATE INDEX IF NOT EXISTS task_status_priority ON task (status, priority);
  CREATE VIRTUAL TABLE IF NOT EXISTS task_fts USING fts5 (
    title, notes, content = 'task', content_rowid = 'rowid', tokenize = 'unicode61 remove_diacritics 2');
  CREATE TRIGGER IF NOT EXISTS task_added AFTER INSERT ON task BEGIN
    INSERT INTO task_fts (rowid, title, notes) VALUES (new.rowid, new.title, new.notes);
  END;
  CREATE TRIGGER IF NOT EXISTS task_changed AFTER UPDATE OF title, notes ON task BEGIN
    INSERT INTO task_fts (task_fts, rowid, title, notes) VALUES ('delete', old.rowid, old.title, old.notes);
    INSERT INTO task_fts (rowid, title, notes) VALUES (new.rowid, new.title, new.notes);
  END;
  CREATE TRIGGER IF NOT EXISTS task_removed AFTER DELETE ON task BEGIN
    INSERT INTO task_fts (task_fts, rowid, title, notes) VALUES ('delete', old.rowid, old.title, old.notes);
  END;
`)

const insertProject = db.prepare('INSERT INTO project (id, name) VALUES (@id, @name)')
const insertTask = db.prepare(
  `INSERT INTO task (id, title, status, priority, done, due_date, notes, project, created_at, updated_at)
   VALUES (@id, @title, @status, @priority, @done, @due_date, @notes, @project, @created_at, @updated_at)`,
)
const deleteTask = db.prepare<[string]>('DELETE FROM task WHERE id = ?')
const getTask = db.prepare<[string], StoredTask>('SELECT * FROM task WHERE id = ?')
// Named: with both indexes present the planner may take the other one and sort.
const listWhere = 'INDEXED BY task_status_due WHERE t.status = ? AND t.priority >= ? ORDER BY t.due_date, t.id LIMIT 21'
const listTasks = db.prepare<[string, number], StoredTask>(`SELECT t.* FROM task t ${listWhere}`)
const firstTasks = db.prepare<[], StoredTask>('SELECT t.* FROM task t ORDER BY t.id LIMIT 21')
const listExpanded = db.prepare<[string, number], StoredTask & { project_name: string }>(
  `SELECT t.*, p.name AS project_name FROM task t INDEXED BY task_status_due JOIN project p ON p.id = t.project
   WHERE t.status = ? AND t.priority >= ? ORDER BY t.due_date, t.id LIMIT 21`,
)
const groupTasks = db.prepare(
  'SELECT status, count(*) AS count, avg(priority) AS avg_priority FROM task GROUP BY status ORDER BY status',
)
const searchTasks = db.prepare<[string], StoredTask>(
  `SELECT t.* FROM task_fts JOIN task t ON t.rowid = task_fts.rowid
   WHERE task_fts MATCH ? ORDER BY task_fts.rank LIMIT 21`,
)

/** One prepared statement for each set of changed columns; the sets of a benchmark are few. */
const updates = new Map<string, Database.Statement>()
function updateStatement(columns: readonly string[]): Database.Statement {
  const key = columns.join()
  let statement = updates.get(key)
  if (!statement) {
    const assignments = columns.map((column) => `"${column}" = @${column}`).join(', ')
    statement = db.prepare(`UPDATE task SET ${assignments}, updated_at = @updated_at WHERE id = @id`)
    updates.set(key, statement)
  }
  return statement
}

const ids = createIds(systemClock)
const show = (task: StoredTask): Record<string, unknown> => ({ ...task, done: task.done === 1 })
function store(input: TaskInput): StoredTask {
  const now = systemClock.iso()
  const task = { ...input, id: input.id ?? ids.uuid(), done: input.done ? 1 : 0, created_at: now, updated_at: now }
  insertTask.run(task)
  return task
}
const storeMany = db.transaction((inputs: readonly TaskInput[]) => inputs.map(store))

/** A page of 20 from 21 fetched rows. */
const page = (rows: readonly StoredTask[]): Record<string, unknown> => ({
  object: 'task',
  records: rows.slice(0, 20).map(show),
  hasMore: rows.length > 20,
})

/** A fixed document about as long as Cairn's manifest, with its tag made once. */
const services = Array.from({ length: 26 }, (_, place) => ({
  name: `service-${place}`,
  enabled: true,
  status: 'available',
  route: `/api/v1/service-${place}`,
  provider: `floor-service-${place}`,
  version: '1.0.0',
}))
const manifest = JSON.stringify({ name: 'floor', version: '1.0.0', services })
const manifestTag = `W/"${createHash('sha256').update(manifest).digest('hex').slice(0, 32)}"`

const app = fastify({ bodyLimit: 64 * 1024 * 1024 })

app.get('/', (_request, reply) =>
  reply
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache', etag: manifestTag })
    .send(manifest),
)

app.post<{ Body: { records: { id: string; name: string }[] } }>('/project/createMany', (request, reply) => {
  db.transaction(() => {
    for (const project of request.body.records) insertProject.run(project)
  })()
  return reply.code(201).send({ object: 'project', count: request.body.records.length })
})

app.post<{ Body: { records: TaskInput[] } }>('/task/createMany', (request, reply) => {
  const records = storeMany(request.body.records).map(show)
  return reply.code(201).send({ object: 'task', records, count: records.length })
})

app.post<{ Body: TaskInput }>('/task', (request, reply) => {
  const task = store(request.body)
  return reply.code(201).send({ object: 'task', id: task.id, record: show(task) })
})

app.get<{ Params: { id: string } }>('/task/:id', (request, reply) => {
  const task = getTask.get(request.params.id)
  if (!task) return reply.code(404).send({ error: 'not found' })
  return reply.send({ object: 'task', id: task.id, record: show(task) })
})

app.patch<{ Params: { id: string }; Body: Partial<TaskInput> }>('/task/:id', (request, reply) => {
  const { done, ...rest } = request.body
  const values = done === undefined ? rest : { ...rest, done: done ? 1 : 0 }
  const statement = updateStatement(Object.keys(values))
  const result = statement.run({ ...values, id: request.params.id, updated_at: systemClock.iso() })
  const task = getTask.get(request.params.id)
  if (result.changes === 0 || !task) return reply.code(404).send({ error: 'not found' })
  return reply.send({ object: 'task', id: task.id, record: show(task) })
})

app.delete<{ Params: { id: string } }>('/task/:id', (request, reply) => {
  const { id } = request.params
  if (deleteTask.run(id).changes === 0) return reply.code(404).send({ error: 'not found' })
  return reply.send({ object: 'task', id, purged: true, warnings: [] })
})

app.get<{ Querystring: { status: string; minPriority: string } }>('/task', (request, reply) =>
  reply.send(page(listTasks.all(request.query.status, Number(request.query.minPriority)))),
)

app.get('/task/first', (_request, reply) => reply.send(page(firstTasks.all())))

app.get<{ Querystring: { status: string; minPriority: string } }>('/task/expanded', (request, reply) => {
  const rows = listExpanded.all(request.query.status, Number(request.query.minPriority))
  const records = rows.slice(0, 20).map(({ project_name: name, ...task }) => ({
    ...show(task),
    project: { id: task.project, name },
  }))
  return reply.send({ object: 'task', records, hasMore: rows.length > 20 })
})

app.get('/task/grouped', (_request, reply) => reply.send({ object: 'task', records: groupTasks.all(), hasMore: false }))

app.get<{ Querystring: { search: string } }>('/task/search', (request, reply) => {
  const terms = request.query.search.split(' ').map((term) => `"${term}"*`)
  return reply.send(page(searchTasks.all(terms.join(' '))))
})

// Bytes as they come: summed up while they are written, on disk before the answer.
app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
app.put<{ Params: { name: string }; Body: Readable }>(
  '/files/:name',
  { bodyLimit: 8 * 1024 ** 3 },
  async (request, reply) => {
    const sum = createHash('sha256')
    const file = await open(join(dataDir, request.params.name), 'w')
    await pipeline(
      request.body,
      new Transform({
        transform(chunk: Buffer, _encoding, done) {
          sum.update(chunk)
          done(null, chunk)
        },
      }),
      file.createWriteStream({ flush: true }),
    )
    return reply.code(201).send({ sha256: sum.digest('hex') })
  },
)

app.get<{ Params: { name: string } }>('/files/:name', (request, reply) =>
  reply.type('application/octet-stream').send(createReadStream(join(dataDir, request.params.name))),
)

const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`Floor is running at ${address}\n`)

process.once('SIGTERM', () => {
  void app.close().then(() => {
    db.close()
  })
})
