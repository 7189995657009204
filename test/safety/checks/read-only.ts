// Data folders without the right to write: what can be read is served, changes are refused with words, and what cannot be
// read stops the start with a sentence.
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { childEntry } from '../child-server.ts'
import { copyFolder, makeLeftFolders } from '../left-folders.ts'
import { defineCheck, skipCheck } from '../registry.ts'
import type { CheckContext, SkippedCheck } from '../registry.ts'

/** Nobody, to whom rights apply; a check that runs as somebody else applies to that one. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0

interface Case {
  readonly name: string
  readonly of: 'closed' | 'killed'
  /** Names and their rights; '' is the folder, '*' every file in it. */
  readonly rights: Readonly<Record<string, number>>
  readonly expected: 'reads' | 'sentence' | 'lives'
}

const cases: readonly Case[] = [
  { name: 'folder', of: 'closed', rights: { '': 0o500 }, expected: 'reads' },
  { name: 'database', of: 'closed', rights: { 'cairn.db': 0o400 }, expected: 'reads' },
  { name: 'lock', of: 'closed', rights: { 'cairn.lock': 0o400 }, expected: 'reads' },
  { name: 'everything', of: 'closed', rights: { '*': 0o400, '': 0o500 }, expected: 'reads' },
  { name: 'everything after a kill', of: 'killed', rights: { '*': 0o400, '': 0o500 }, expected: 'reads' },
  { name: 'an unreadable database', of: 'closed', rights: { 'cairn.db': 0o000 }, expected: 'sentence' },
  { name: 'an unreadable folder', of: 'closed', rights: { '': 0o000 }, expected: 'sentence' },
  { name: 'everything, while it runs', of: 'closed', rights: { '*': 0o400, '': 0o500 }, expected: 'lives' },
]

interface Hello {
  readonly url: string
  readonly token: string
  readonly isReadOnly: boolean
  readonly failure?: string
  readonly crash?: string
}

async function crashes(context: CheckContext, careless: boolean): Promise<number | SkippedCheck> {
  if (process.platform === 'win32') return skipCheck('rights of files are other ones on Windows')
  const folders = await makeLeftFolders(3)
  let server = startServer(careless)
  let bad = 0
  try {
    // Of the twin two are enough: each costs a process.
    for (const one of careless ? cases.slice(0, 2) : cases) {
      const dir = copyFolder(folders[one.of])
      try {
        const problem = await tryOne(one, dir, server)
        if (problem !== null) context.log(`${one.name}: ${problem}`)
        bad += problem === null ? 0 : 1
        if (server.hasEnded()) server = startServer(careless)
      } finally {
        setRights(dir, { '': 0o700 })
        rmSync(dir, { recursive: true, force: true })
      }
    }
    return bad
  } finally {
    server.process.kill('SIGKILL')
    folders.remove()
  }
}

/** A process that starts hosts as nobody, one after the other. */
interface Server {
  readonly process: ChildProcess
  hasEnded(): boolean
  ask(message: object): Promise<Hello>
}

function startServer(careless: boolean): Server {
  const args = [isRoot ? String(nobody) : '', ...(careless ? ['--careless'] : [])]
  const child = fork(childEntry('read-only-host'), args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let errors = ''
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  let ended: string | undefined
  const exit = new Promise<Hello>((resolve) =>
    child.once('exit', (code, signal) => {
      ended = `it ended with ${signal ?? String(code)}: ${errors.slice(-1000)}`
      resolve({ url: '', token: '', isReadOnly: false, crash: ended })
    }),
  )
  return {
    process: child,
    hasEnded: () => ended !== undefined,
    ask(message) {
      const answer = new Promise<Hello>((resolve) => child.once('message', (hello) => resolve(hello as Hello)))
      child.send(message)
      return Promise.race([answer, exit])
    },
  }
}

function setRights(dir: string, rights: Case['rights']): void {
  for (const [name, mode] of Object.entries(rights)) {
    const names = name === '*' ? readdirSync(dir).filter((file) => file.includes('.')) : [name]
    for (const file of names) chmodSync(join(dir, file), mode)
  }
}

/** What went wrong; null when nothing did. */
async function tryOne(one: Case, dir: string, server: Server): Promise<string | null> {
  if (isRoot) {
    for (const file of ['', ...readdirSync(dir, { recursive: true, encoding: 'utf8' })])
      chownSync(join(dir, file), nobody, nobody)
  }
  if (one.expected !== 'lives') setRights(dir, one.rights)
  const hello = await server.ask({ start: dir })
  if (hello.crash !== undefined) return hello.crash
  if (hello.failure !== undefined) {
    const isSentence = one.expected === 'sentence' && hello.failure.includes(dir)
    return isSentence ? null : `it did not start: ${hello.failure}`
  }
  if (one.expected === 'lives') setRights(dir, one.rights)
  const problem = one.expected === 'sentence' ? 'it started' : await useIt(hello, one)
  const end = await server.ask({ stop: true })
  return problem ?? end.crash ?? end.failure ?? null
}

async function useIt(hello: Hello, one: Case): Promise<string | null> {
  const call = async (path: string, body?: unknown): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${hello.url}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${hello.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const written = await call('/data/note', { title: 'new' })
  const read = await call('/data/note')
  if (read.status !== 200 || !read.text.includes('after it 2')) return `reads answer ${read.status} ${read.text}`
  // What was open before the rights went may go on; what is refused is refused as unavailable.
  if (one.expected === 'lives') return [201, 503].includes(written.status) ? null : `a write answers ${written.status}`
  if (!hello.isReadOnly) return 'it does not know that it may not write'
  if (written.status !== 503 || !written.text.includes('cannot be written'))
    return `a write answers ${written.status} ${written.text}`
  return null
}

defineCheck({
  id: 'R5',
  file: 'read-only',
  unit: 'folders without rights on which a host ended, hung, served no reads or refused writes without words, of 8',
  target: 0,
  run: (context) => crashes(context, false),
  twin: (context) => crashes(context, true),
})
