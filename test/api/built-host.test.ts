// The program as it is bundled answers what its sources do, where a bundler could have left something out.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-built-'))
let server: ChildServer

beforeAll(async () => void (server = await startChildServer({ dataDir })))
afterAll(async () => {
  await server?.end('SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
})

it.each(['?q=100%', '?q=%FF', '?q=a%zz', '/%', '/a%C3'])('refuses a broken escape in %s', async (rest) => {
  for (const path of ['/search', '/auth/config', '/meta/object']) {
    const answer = await fetch(`${server.url}/api/v1${path}${rest}`, {
      headers: { authorization: `Bearer ${server.token}` },
    })
    expect([path, answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
      path,
      400,
      'validation_error',
    ])
  }
})
