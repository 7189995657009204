// Kills at the very points where bytes get their place: as a host enters the rename, and at each sync around it. Files and
// packages are there whole or not at all, and the next try goes through (D-129, D-186).
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChildServer } from '../safety/child-server.ts'
import { startChildServer } from '../safety/child-server.ts'
import { filesOf, zipOf } from '../support/package-archives.ts'
import { filesOnDisk, multipart, noise, sha256 } from '../support/storage-calls.ts'

/** Another process's calls can be watched here: on Linux, with the tracer, as its owner may. */
const canTrace = process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('strace', ['-V']).status === 0

const renames = 'rename,renameat,renameat2'
/** Where the host dies: entering the rename, or at one of the syncs before and after it, of file and folders. */
const points = [[renames, 1], ...[1, 2, 3, 4, 5].map((when) => ['fsync', when] as const)] as const

describe.skipIf(!canTrace)('a host that dies', () => {
  let dataDir: string
  let server: ChildServer

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'cairn-rename-'))
    server = await startChildServer({ dataDir })
  })
  afterEach(async () => {
    await server.end('SIGKILL').catch(() => undefined)
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** Lets the host die at the n-th of some calls from now on. */
  const dieAt = async (calls: string, when: number): Promise<void> => {
    const pid = String(server.process.pid)
    const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:signal=SIGKILL:when=${when}`]
    const tracer = spawn('strace', ['-f', '-p', pid, ...inject], { stdio: ['ignore', 'ignore', 'pipe'] })
    await new Promise<void>((resolve) =>
      tracer.stderr.on('data', (part: Buffer) => /attached/.test(String(part)) && resolve()),
    )
  }
  const send = async (path: string, body: Uint8Array | object, headers: Record<string, string> = {}) => {
    const isBytes = body instanceof Uint8Array
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        ...(isBytes ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isBytes ? Buffer.from(body) : JSON.stringify(body),
    })
    return { status: answer.status, data: ((await answer.json()) as { data?: Record<string, unknown> }).data }
  }
  const read = async (path: string): Promise<Record<string, unknown>> =>
    (JSON.parse((await server.call('GET', `/api/v1${path}`)).text) as { data: Record<string, unknown> }).data
  /** Sends what the host dies of; false when it was answered before: there are fewer such calls. */
  const diesOf = async (work: () => Promise<unknown>): Promise<boolean> => {
    const died = await work().then(
      () => false,
      () => true,
    )
    await server.end('SIGKILL').catch(() => undefined)
    server = await startChildServer({ dataDir })
    return died
  }

  it.each(points)('at %s %i of a file leaves nothing of it', async (calls, when) => {
    const bytes = noise(200_000)
    const upload = () => send('/storage/upload', ...multipart(['file', bytes, 'a.bin']))
    await dieAt(calls, when)
    const died = await diesOf(upload)
    if (calls === renames) expect(died).toBe(true)
    const nothing = { stored: [], temporary: [], parts: [] }
    const whole = { ...nothing, stored: [sha256(bytes)] }
    expect(await read('/storage/files')).toMatchObject({ files: died ? [] : [{ status: 'ready' }] })
    await expect.poll(() => filesOnDisk(dataDir), { timeout: 10_000 }).toEqual(died ? nothing : whole)
    expect((await upload()).status).toBe(201)
    expect(filesOnDisk(dataDir)).toEqual(whole)
  })

  it.each(points)('at %s %i of a package keeps no archive without its row', async (calls, when) => {
    const manifest = { id: 'org.killed.app', name: 'Killed', version: '1.0.0', namespace: 'killed' }
    const content = zipOf(filesOf({ 'manifest.json': manifest })).toString('base64')
    const upload = () => send('/packages/upload', { artifact: { format: 'zip', content } })
    await read('/packages/available')
    await dieAt(calls, when)
    const died = await diesOf(upload)
    if (calls === renames) expect(died).toBe(true)
    const { packages } = (await read('/packages/available')) as { packages: { packageId: string }[] }
    expect(packages.some(({ packageId }) => packageId === 'org.killed.app')).toBe(!died)
    const again = await upload()
    expect(again.status).toBe(201)
    expect((await send('/packages/install', { artifactRef: again.data!['artifactRef'] })).status).toBe(201)
  })
})
