// Records from the command line, in real processes: what is written and read, exit codes, and declarations that compile.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuthHost } from '../support/auth-host.ts'
import { createAuthHost } from '../support/auth-host.ts'
import { cairnEntry } from '../support/host-bundle.ts'

const root = new URL('../..', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'cairn-cli-'))
let host: AuthHost

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject('task', {
    title: { type: 'text', required: true, label: 'Title */ export type Broken = any /*' },
    size: { type: 'number' },
    state: { type: 'select', options: ['open', 'closed'] },
    labels: { type: 'tags' },
    project: { type: 'lookup', reference: 'record' },
    people: { type: 'user', multiple: true },
    extra: { type: 'json' },
    place: { type: 'location' },
    twice: { type: 'formula', expression: 'record.size * 2.0', returnType: 'number' },
  })
  await host.defineObject('task_create', { name: { type: 'text' } })
  await host.defineObject('cairn_client', { name: { type: 'text' } })
}, 60_000)

afterAll(async () => {
  await host?.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

function run(command: string, args: readonly string[], input?: string, env: Record<string, string> = {}): Promise<Ran> {
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env } })
  let out = ''
  let err = ''
  child.stdout.on('data', (part: Buffer) => (out += part.toString()))
  child.stderr.on('data', (part: Buffer) => (err += part.toString()))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? -1, out, err })))
}

const cairn = (args: readonly string[], input?: string, env?: Record<string, string>): Promise<Ran> =>
  run(process.execPath, [cairnEntry, ...args, '--data', host.dataDir], input, env)

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as any) // oxlint-disable-line no-explicit-any -- expectations judge lines

describe('cairn data', () => {
  it('creates, lists, changes and deletes', async () => {
    const made = await cairn(['data', 'create', 'task'], '{"title":"One","size":1}\n{"title":"Two","size":2}\n')
    expect([made.code, made.err]).toEqual([0, ''])
    const [one, two] = lines(made.out)
    const listed = await cairn([
      'data',
      'list',
      'task',
      '--filter',
      '{"size":{"$gte":1}}',
      '--sort',
      '-size',
      '--select',
      'title',
      '--top',
      '1',
    ])
    expect(lines(listed.out)).toMatchObject([{ id: two.id, title: 'Two' }])
    const changed = await cairn(['data', 'update', 'task', one.id], '{"size":10}')
    expect(lines(changed.out)).toMatchObject([{ id: one.id, size: 10 }])
    const gone = await cairn(['data', 'delete', 'task', one.id, two.id])
    expect(lines(gone.out)).toMatchObject([{ deleted: true }, { deleted: true }])
    const missing = await cairn(['data', 'get', 'task', one.id])
    expect([missing.code, missing.out, missing.err]).toEqual([1, '', expect.stringContaining('resource_not_found')])
  })

  it('lists everything, beyond a page', async () => {
    const rows = Array.from({ length: 1001 }, (_none, at) => ({ title: `Row ${at}` }))
    expect((await host.post('/data/task/import', { rows })).body.created).toBe(1001)
    const listed = lines((await cairn(['data', 'list', 'task', '--search', 'Row', '--select', 'title'])).out)
    expect(new Set(listed.map(({ title }) => title)).size).toBe(1001)
  })

  it('imports and exports files', async () => {
    const file = join(folder, 'rows.csv')
    writeFileSync(file, 'title,size\nA,1\nB,none at all\n')
    const report = await cairn(['data', 'import', 'task', file])
    expect([report.code, lines(report.out)[0]]).toEqual([1, expect.objectContaining({ created: 1, failed: 1 })])
    const out = join(folder, 'out.ndjson')
    const exported = await cairn(['data', 'export', 'task', out, '--filter', '{"title":"A"}'])
    expect([exported.code, exported.out]).toEqual([0, ''])
    expect(lines(readFileSync(out, 'utf8'))).toMatchObject([{ title: 'A', size: 1 }])
  })

  it('names field and reason of what is refused, and how far it came', async () => {
    const refused = await cairn(['data', 'create', 'task'], '[{"title":"Fine"},{"size":"x","nope":1}]')
    expect([refused.code, lines(refused.out).length]).toEqual([1, 1])
    for (const part of ['validation_error', 'size: ', 'nope: ', 'title: ', '1 of 2 were created'])
      expect(refused.err).toContain(part)
  })

  it('has the rights of a key', async () => {
    const { key } = (await host.post('/keys', { name: 'Reader', readOnly: true })).body
    const refused = await cairn(['data', 'create', 'task'], '{"title":"x"}', { CAIRN_API_KEY: key })
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('permission_denied')])
  })

  it.each([
    [['data', 'constructor', 'task'], 'There is no action'],
    [['data', 'list', 'task', '--top', '0'], '--top'],
    [['data', 'list', 'task', '--filter', '{'], '--filter is no JSON'],
  ])('does not follow %j', async (args, reason) => {
    const { code, out, err } = await cairn(args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(reason)
  })
})

describe('cairn types', () => {
  it('prints declarations that compile and hold what records are', async () => {
    const { code, out, err } = await cairn(['types'])
    expect([code, err]).toEqual([0, ''])
    writeFileSync(join(folder, 'cairn.d.ts'), out)
    writeFileSync(
      join(folder, 'good.ts'),
      `import type { CairnClient, Task, TaskUpdate } from './cairn.d.ts'
declare const client: CairnClient
export async function use(): Promise<string> {
  const { record } = await client.create('task', { title: 'a', state: 'open', people: ['x'] })
  const page = await client.list('task', { filter: { size: 1 }, select: ['title', 'size'] })
  const change: TaskUpdate = { size: null }
  await client.update('task', record.id, change)
  const first: Task | undefined = page.records[0]
  const doubled: number | null = record.twice
  return first?.title ?? String(doubled)
}
`,
    )
    writeFileSync(
      join(folder, 'bad.ts'),
      `import type { CairnClient } from './cairn.d.ts'
declare const client: CairnClient
void client.create('task', {})
void client.create('task', { title: 1 })
void client.create('task', { title: 'a', state: 'nope' })
void client.create('task', { title: 'a', twice: 2 })
void client.get('none', 'x')
`,
    )
    const compiler = join(root, 'node_modules/typescript7/bin/tsc')
    const options = [
      '--strict',
      '--noEmit',
      '--ignoreConfig',
      '--types',
      '',
      '--allowImportingTsExtensions',
      '--target',
      'es2022',
    ]
    const good = await run(process.execPath, [
      compiler,
      ...options,
      '--module',
      'preserve',
      join(folder, 'good.ts'),
      join(folder, 'cairn.d.ts'),
    ])
    expect([good.code, good.out]).toEqual([0, ''])
    const bad = await run(process.execPath, [compiler, ...options, '--module', 'preserve', join(folder, 'bad.ts')])
    expect(bad.out.match(/bad\.ts\(\d+/g)?.toSorted()).toEqual([
      'bad.ts(3',
      'bad.ts(4',
      'bad.ts(5',
      'bad.ts(6',
      'bad.ts(7',
    ])
  })
})
