// `cairn data`: records of the running program from the command line, as lines of JSON. Rights are those of the credential.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { importMediaTypes } from '#shared/contracts/import.ts'
import { WrongUsage, commonOptions, exitCodeOf, jsonOption, readInput, readObjects } from './command-line.ts'
import type { HostClient } from './host-client.ts'
import { CommandFailed, connectToHost, refusalOf } from './host-client.ts'

const usage = `Usage: cairn data <action> OBJECT [...] [--data DIR]

  list OBJECT               records as lines of JSON
                            --filter JSON --search WORDS --select a,b --expand a,b --sort -a,b --top N (else all)
  get OBJECT ID...          records by id
  create OBJECT [FILE]      a record per object of the file: one, a list, or one a line
  update OBJECT ID [FILE]   changes the fields the file names; --expected-version TEXT
  delete OBJECT ID...       moves records to the trash; --purge removes them for good
  import OBJECT [FILE]      --format csv|tsv|json|ndjson|xlsx (else by the file's name) --mode insert|update|upsert
                            --match a,b --dry-run
  export OBJECT [FILE]      --format csv|json|ndjson|xlsx and the options of list; to the file, else to the output

  FILE may be - or left out to take what is piped in. CAIRN_API_KEY narrows the rights to those of a key.
`

/** Records of one page of a list. */
const pageSize = 1_000

const options = {
  ...commonOptions,
  filter: { type: 'string' },
  search: { type: 'string' },
  select: { type: 'string' },
  expand: { type: 'string' },
  sort: { type: 'string' },
  top: { type: 'string' },
  format: { type: 'string' },
  mode: { type: 'string' },
  match: { type: 'string' },
  'expected-version': { type: 'string' },
  'dry-run': { type: 'boolean' },
  purge: { type: 'boolean' },
} as const

type Options = ReturnType<typeof parse>['values']

/** One action: what it was given beside options. */
interface Call {
  readonly host: HostClient
  readonly object: string
  readonly words: readonly string[]
  readonly options: Options
}

const actions: Readonly<Record<string, (call: Call) => Promise<number>>> = {
  list,
  get,
  create,
  update,
  delete: remove,
  import: importFile,
  export: exportFile,
}

/** Runs `cairn data` and answers the exit code: 0 done, 1 refused or failed, 2 for a wrong command line. */
export function runData(argv: readonly string[]): Promise<number> {
  const read = () => parse(argv)
  return exitCodeOf(usage, read, async ({ values, positionals }, dataDir) => {
    const [name, object, ...words] = positionals
    const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined
    if (action === undefined) throw new WrongUsage(`There is no action "${name ?? ''}".`)
    if (object === undefined) throw new WrongUsage('Which object?')
    const host = await connectToHost(dataDir)
    return action({ host, object, words, options: values })
  })
}

function parse(argv: readonly string[]) {
  const args = [...argv]
  // A falling order begins as an option does.
  for (let at = args.indexOf('--sort'); at >= 0 && at + 1 < args.length; at = args.indexOf('--sort'))
    args.splice(at, 2, `--sort=${args[at + 1]!}`)
  return parseArgs({ args, allowPositionals: true, options })
}

async function list({ host, object, options: given }: Call): Promise<number> {
  const top = topOf(given)
  const query = queryOf(given)
  let cursor: unknown
  for (let left = top ?? Infinity; left > 0;) {
    const page = await host.json({
      method: 'POST',
      path: `${at(object)}/query`,
      json: { ...query, top: Math.min(left, pageSize), ...(cursor === undefined ? {} : { cursor }) },
    })
    const records = page['records'] as unknown[]
    for (const record of records) print(record)
    left -= records.length
    cursor = page['nextCursor']
    if (cursor === undefined) break
  }
  return 0
}

async function get({ host, object, words }: Call): Promise<number> {
  for (const id of idsOf(words)) print((await host.json({ method: 'GET', path: at(object, id) }))['record'])
  return 0
}

async function create({ host, object, words }: Call): Promise<number> {
  const values = readObjects(readInput(words[0]).toString('utf8'))
  let done = 0
  for (const json of values) {
    try {
      print((await host.json({ method: 'POST', path: at(object), json }))['record'])
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error
      throw new CommandFailed(
        `${error.message}\nRecord ${done + 1} was refused; ${done} of ${values.length} were created.`,
      )
    }
    done += 1
  }
  return 0
}

async function update({ host, object, words, options: given }: Call): Promise<number> {
  const [id, file] = words
  if (id === undefined) throw new WrongUsage('Which record?')
  const [values, ...more] = readObjects(readInput(file).toString('utf8'))
  if (values === undefined || more.length > 0) throw new CommandFailed('The input is not one JSON object.')
  const expectedVersion = given['expected-version']
  const json = expectedVersion === undefined ? values : { ...values, expectedVersion }
  print((await host.json({ method: 'PATCH', path: at(object, id), json }))['record'])
  return 0
}

async function remove({ host, object, words, options: given }: Call): Promise<number> {
  const query = given.purge === true ? '?purge=true' : ''
  for (const id of idsOf(words)) print(await host.json({ method: 'DELETE', path: `${at(object, id)}${query}` }))
  return 0
}

async function importFile({ host, object, words, options: given }: Call): Promise<number> {
  const [file] = words
  const format = given.format ?? path.extname(file ?? '').slice(1)
  const content = readInput(file)
  const settings = {
    ...(given.mode === undefined ? {} : { writeMode: given.mode }),
    ...(given.match === undefined ? {} : { matchFields: given.match.split(',') }),
    ...(given['dry-run'] === true ? { dryRun: true } : {}),
  }
  const where = `${at(object)}/import`
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(settings)) parameters.set(name, String(value))
  const type = Object.entries(importMediaTypes).find(([, one]) => one === format)?.[0]
  if (type === undefined && format !== 'json')
    throw new WrongUsage(`Which format? --format takes ${Object.values(importMediaTypes).join(', ')} or json.`)
  const report = await host.json(
    type === undefined
      ? { method: 'POST', path: where, json: { ...settings, rows: readObjects(content.toString('utf8')) } }
      : {
          method: 'POST',
          path: `${where}?${parameters}`,
          bytes: { type, content },
        },
  )
  print(report)
  return report['failed'] === 0 ? 0 : 1
}

async function exportFile({ host, object, words, options: given }: Call): Promise<number> {
  const [file] = words
  const format = given.format ?? (file === undefined ? 'csv' : path.extname(file).slice(1))
  const parameters = new URLSearchParams({ format })
  const { filter, search, select, expand, sort, top } = given
  for (const [name, value] of Object.entries({ filter, search, select, expand, sort, top }))
    if (value !== undefined) parameters.set(name, value)
  const response = await host.send({ method: 'GET', path: `${at(object)}/export?${parameters}` })
  if (!response.isOk) throw refusalOf(response.status, await response.text())
  if (file === undefined || file === '-') for await (const part of response.content) process.stdout.write(part)
  else await writeFile(file, response.content)
  return 0
}

function queryOf(given: Options): Record<string, unknown> {
  const { search, sort } = given
  const select = given.select?.split(',')
  const expand = given.expand?.split(',')
  const filter = jsonOption('filter', given.filter)
  return Object.fromEntries(
    Object.entries({ filter, search, select, expand, sort }).filter(([, value]) => value !== undefined),
  )
}

function topOf({ top }: Options): number | undefined {
  if (top === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(top)) throw new WrongUsage(`--top is a number from 1 on, not "${top}".`)
  return Number(top)
}

function idsOf(words: readonly string[]): readonly string[] {
  if (words.length === 0) throw new WrongUsage('Which records?')
  return words
}

function at(object: string, id?: string): string {
  return `/data/${encodeURIComponent(object)}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
