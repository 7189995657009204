// `cairn package` as authors use it: a key, a signature, an archive, its judgement, and its way into a running host.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cairnEntry } from '../safety/child-server.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

const sources = fileURLToPath(new URL('../../packages/hiring', import.meta.url))
let host: TestHost
let folder: string

beforeAll(async () => {
  host = await createTestHost()
  folder = mkdtempSync(join(tmpdir(), 'cairn-author-'))
  cpSync(sources, join(folder, 'app'), { recursive: true })
  const file = join(folder, 'app/manifest.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...manifest, id: 'org.author.hiring', version: '2.0.0' }))
}, 60_000)

afterAll(async () => {
  await host?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the command in a process of its own, beside the host in this one. */
const cairn = (...words: string[]): Promise<{ status: number | null; said: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [cairnEntry, 'package', ...words], { cwd: folder })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()))
    child.on('close', (status) => resolve({ status, said }))
  })

it('makes a package that is signed, verified, installed, and refused once it was altered', async () => {
  expect(await cairn('key', 'own.pem')).toMatchObject({ status: 0 })
  expect(statSync(join(folder, 'own.pem')).mode & 0o077).toBe(0)
  expect((await cairn('key', 'own.pem')).status).toBe(1)
  const signed = await cairn('sign', 'app', '--key', 'own.pem', '--key-id', 'author')
  expect(signed.status, signed.said).toBe(0)
  const publicKey = /public key is (\S+)/.exec(signed.said)![1]!
  expect(await cairn('pack', 'app')).toMatchObject({ status: 0 })
  const verified = await cairn('verify', 'org.author.hiring-2.0.0.zip')
  expect(verified.status, verified.said).toBe(0)
  expect(verified.said).toContain(`Signed with author, ${publicKey}`)

  expect((await host.post('/packages/trusted-keys', { keyId: 'author', publicKey })).status).toBe(201)
  const installed = await cairn('install', 'org.author.hiring-2.0.0.zip', '--data', host.dataDir, '--without-samples')
  expect(installed.status, installed.said).toBe(0)
  expect((await host.get('/packages/org.author.hiring')).body.data).toMatchObject({ trust: 'signed', samples: 0 })

  writeFileSync(join(folder, 'app/data/hiring_position.json'), '[]')
  const altered = await cairn('verify', 'app')
  expect(altered.status).toBe(1)
  expect(altered.said).toContain('checksum_mismatch')
  expect((await cairn('install', 'nothing', '--data', host.dataDir)).status).toBe(1)
  expect((await cairn('unpack', 'app')).status).toBe(2)
}, 120_000)
