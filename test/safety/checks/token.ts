// The secrets on this machine: who can read the files, where the launch token shows up, who gets it, and links that
// would lead writes elsewhere (L1, L2, L3, L4).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeConnectionFile } from '#main/data-dir.ts'
import { mintCodeOf, verifyHost } from '#main/http/running-host.ts'
import type { RunningHostAddress } from '#main/http/running-host.ts'
import { startHost } from '#main/index.ts'
import { createApiCall } from '../../support/api-call.ts'
import { cairnEntry, startChildServer } from '../child-server.ts'
import { defineCheck, skipCheck } from '../registry.ts'
import type { CheckContext, SkippedCheck } from '../registry.ts'

/** Every file and folder below a folder, itself included; what vanishes meanwhile is left out. */
function walk(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  return [folder, ...names.map((name) => join(folder, name))]
}

function isOpenToOthers(path: string): boolean {
  try {
    return (statSync(path).mode & 0o077) !== 0
  } catch {
    // Gone between listing and looking.
    return false
  }
}

/** Files seen with bits for group or others at any moment of a start, writes, a backup and a stop. */
async function countOpenFiles(context: CheckContext, careless: boolean): Promise<number | SkippedCheck> {
  if (process.platform === 'win32') return skipCheck('file modes do not exist on this system')
  const dataDir = join(mkdtempSync(join(tmpdir(), 'cairn-modes-')), 'data')
  const open = new Set<string>()
  const seen = new Set<string>()
  const look = (): void => {
    for (const path of walk(dataDir)) {
      seen.add(path)
      if (isOpenToOthers(path)) open.add(path)
    }
  }
  // A user with the usual mask; the host must not rely on a strict one.
  const mask = process.umask(0o022)
  const sampler = setInterval(look, 5)
  try {
    const host = await startHost({ dataDir, port: 0, durable: false })
    const call = createApiCall(host.url, host.token)
    await call('PUT', '/api/v1/meta/object/task', {
      type: 'object',
      name: 'task',
      item: { name: 'task', fields: { title: { type: 'text' } } },
    })
    for (let count = 0; count < 20; count += 1) await call('POST', '/api/v1/data/task', { title: `Task ${count}` })
    if (careless) {
      process.umask(0o022)
      writeFileSync(join(dataDir, 'export.json'), '{}')
    }
    await call('POST', '/api/v1/backups', {})
    look()
    await host.stop()
    look()
  } finally {
    clearInterval(sampler)
    process.umask(mask)
    rmSync(join(dataDir, '..'), { recursive: true, force: true })
  }
  context.log(`${seen.size} files and folders${open.size === 0 ? '' : `; open: ${[...open].join(', ')}`}`)
  if (seen.size < 5) throw new Error('hardly any file was seen')
  return open.size
}

defineCheck({
  id: 'L1',
  file: 'token',
  unit: 'files others could read at some moment',
  target: 0,
  run: (context) => countOpenFiles(context, false),
  twin: (context) => countOpenFiles(context, true),
})

/** Places outside the connection file in which the token stands: arguments, environment, output, logs, other files. */
async function countTokenPlaces(context: CheckContext, careless: boolean): Promise<number | SkippedCheck> {
  if (!existsSync('/proc/self/cmdline')) return skipCheck('this system shows no process arguments in /proc')
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-token-'))
  const server = await startChildServer({ dataDir })
  let output = ''
  server.process.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  server.process.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  // What a program would do that passes the token on to a child by argument.
  const passedOn = careless ? spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)', server.token]) : undefined
  try {
    await server.call('GET', '/api/v1/settings')
    await server.call('GET', '/api/v1/nothing')
    await server.call('POST', '/api/v1/data/nothing', {})
    const opener = spawn(process.execPath, [cairnEntry, 'open', '--data', dataDir], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    opener.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    opener.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const duringOpen = [opener.pid!].map(readProcess)
    await once(opener, 'exit')
    const processes = [server.process.pid!, ...(passedOn?.pid === undefined ? [] : [passedOn.pid])].map(readProcess)
    const files = walk(dataDir).filter((path) => !path.endsWith('connection.json') && statSync(path).isFile())
    const texts = [...processes, ...duringOpen, output, ...files.map((path) => readFileSync(path, 'latin1'))]
    const connection = readFileSync(join(dataDir, 'connection.json'), 'utf8')
    if (!connection.includes(server.token)) throw new Error('the token looked for is not the one in force')
    if (!output.includes('/_console/#')) throw new Error('"open" printed no address')
    context.log(`${processes.length} processes, ${files.length} files, ${output.length} characters of output`)
    return texts.filter((text) => text.includes(server.token)).length
  } finally {
    passedOn?.kill('SIGKILL')
    await server.end('SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function readProcess(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1') + readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    // The process has ended already.
    return ''
  }
}

defineCheck({
  id: 'L2',
  file: 'token',
  unit: 'places that show the launch token',
  target: 0,
  run: (context) => countTokenPlaces(context, false),
  twin: (context) => countTokenPlaces(context, true),
})

/** How a stranger on the port may answer. */
const squatters: readonly ((socket: Socket, request: string) => void)[] = [
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"proof":"abc"}'),
  (socket, request) => {
    const nonce = /nonce=([\w-]+)/.exec(request)?.[1] ?? ''
    const body = JSON.stringify({ proof: nonce })
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  },
  (socket) => socket.end('HTTP/1.1 307 Moved\r\nLocation: /_console/session/code\r\nContent-Length: 0\r\n\r\n'),
  (socket) => socket.end('HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"proof":null}'),
  (socket) => socket.end('nonsense'),
  (socket) => socket.destroy(),
  (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'.padEnd(100_000, 'x')),
]

/** Times a stranger on the port of a stale connection file was sent the token. */
async function countTokensGivenAway(context: CheckContext, careless: boolean): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-squat-'))
  const token = 'a-token-nobody-else-may-see-0123456789abcde'
  let given = 0
  let asked = 0
  try {
    for (let turn = 0; turn < 20; turn += 1) {
      let received = ''
      const sockets = new Set<Socket>()
      const squatter = createServer((socket) => {
        sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('data', (chunk: Buffer) => {
          received += chunk.toString()
          squatters[turn % squatters.length]!(socket, chunk.toString())
        })
      }).listen(0, '127.0.0.1')
      await once(squatter, 'listening')
      const url = `http://127.0.0.1:${(squatter.address() as AddressInfo).port}`
      const connection = { url, token, pid: 1, version: '0.0.0', startedAt: new Date(0).toISOString() }
      writeConnectionFile(dataDir, connection)
      if (careless) await mintCodeOf(connection).catch(() => undefined)
      else if (turn < 3) await runOpen(dataDir)
      else await openIfVerified(connection)
      if (received !== '') asked += 1
      if (received.includes(token)) given += 1
      for (const socket of sockets) socket.destroy()
      squatter.close()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
  context.log(`20 strangers, ${asked} were asked`)
  if (asked < 20) throw new Error('not every stranger was asked')
  return given
}

async function openIfVerified(connection: RunningHostAddress): Promise<void> {
  if (await verifyHost(connection)) await mintCodeOf(connection)
}

async function runOpen(dataDir: string): Promise<void> {
  const opener = spawn(process.execPath, [cairnEntry, 'open', '--data', dataDir], { stdio: 'ignore' })
  await once(opener, 'exit')
}

defineCheck({
  id: 'L3',
  file: 'token',
  unit: 'strangers on the port that were sent the token',
  target: 0,
  run: (context) => countTokensGivenAway(context, false),
  twin: (context) => countTokensGivenAway(context, true),
})

/** Names in the data folder that somebody may have made a link before the host starts. */
const linkable = [
  'cairn.db',
  'cairn.lock',
  'connection.json',
  'config.json',
  'logs/cairn.log',
  'backups',
  'secret.key',
  'audit.head',
  'cairn.ballast',
  'restored.json',
]

/** Links that led a write or a read of the host to a file outside its folder. */
async function countFollowedLinks(context: CheckContext, careless: boolean): Promise<number | SkippedCheck> {
  if (process.platform === 'win32') return skipCheck('links need a privilege on this system')
  let followed = 0
  let cases = 0
  for (const [at, name] of linkable.entries()) {
    for (const kind of ['symbolic', 'hard'] as const) {
      // At a commit one of both kinds for each place.
      if (context.size === 'commit' && (at % 2 === 0) !== (kind === 'hard')) continue
      const isFolder = name === 'backups'
      if (isFolder && kind === 'hard') continue
      const root = mkdtempSync(join(tmpdir(), 'cairn-links-'))
      const dataDir = join(root, 'data')
      const victim = join(root, 'victim')
      const path = join(dataDir, name)
      mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
      if (isFolder) mkdirSync(victim)
      else writeFileSync(victim, '')
      if (kind === 'symbolic') symlinkSync(victim, path)
      else linkSync(victim, path)
      cases += 1
      if (careless) writeFileSync(isFolder ? join(path, 'x') : path, 'written through the link')
      else await useFolder(dataDir)
      const changed = isFolder ? readdirSync(victim).length > 0 : readFileSync(victim).length > 0
      if (changed) {
        followed += 1
        context.log(`${kind} link at ${name} was followed`)
      }
      rmSync(root, { recursive: true, force: true })
    }
  }
  context.log(`${cases} links`)
  return followed
}

/** Starts a host and lets it write everything it writes; a refusal to start is a good answer to a link. */
async function useFolder(dataDir: string): Promise<void> {
  let host
  try {
    host = await startHost({ dataDir, port: 0, durable: false })
  } catch {
    // The link was refused; what matters is whether the victim changed.
    return
  }
  const call = createApiCall(host.url, host.token)
  await call('PATCH', '/api/v1/settings', { 'packages.publisherToken': 'x' })
  await call('POST', '/api/v1/backups', {})
  await call('GET', '/api/v1/data/nothing')
  await host.stop()
}

defineCheck({
  id: 'L4',
  file: 'token',
  unit: 'links that were followed',
  target: 0,
  run: (context) => countFollowedLinks(context, false),
  twin: (context) => countFollowedLinks(context, true),
})
