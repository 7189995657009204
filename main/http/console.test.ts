// Files of the application shell: what climbs, is badly encoded or names no file is refused like anything else (D-20).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ErrorBodySchema } from '#shared/contracts/common.ts'
import { createTestServer } from '../../test/support/create-test-server.ts'
import type { TestServer } from '../../test/support/create-test-server.ts'
import { sendBare } from '../../test/support/raw-request.ts'

const page = '<!doctype html><title>Cairn</title>'
let folder: string
let subject: TestServer
let port: number

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'cairn-shell-'))
  mkdirSync(path.join(folder, 'dist', 'assets'), { recursive: true })
  writeFileSync(path.join(folder, 'x'), 'outside')
  writeFileSync(path.join(folder, 'dist', 'index.html'), page)
  writeFileSync(path.join(folder, 'dist', '.env'), 'hidden')
  writeFileSync(path.join(folder, 'dist', 'assets', 'a b.js'), 'let a = 1')
  subject = await createTestServer([], { consoleDir: path.join(folder, 'dist') })
  port = (await subject.server.listen(0)).port
})

afterAll(async () => {
  await subject.server.close()
  rmSync(folder, { recursive: true, force: true })
})

const strange = [
  ...['/../x', '/%2e%2e/x', '/%2e%2e%2fx', '/..%5cx', '/\\..\\x', '/assets/../../x', '/session/../../x', '/..', '/...'],
  ...['/%00', '/a%00b', '/index.html%00', '/%ff', '/%', '/%zz', '/\xff', '/%c0%ae%c0%ae/x', '/%ED%A0%80', '/?%'],
  ...['//x', '///etc/passwd', '/./x', '/.', '/.env', '/.git/config', '/assets', '/assets/', '/assets//a%20b.js'],
  ...['/index.html/x', '/a%0d%0ab', '/%F0%9F%98%80', '/%252e%252e/x', '/a\tb'],
  `/${'a'.repeat(5_000)}`,
  `/${'a/'.repeat(5_000)}`,
  `/${'../'.repeat(500)}x`,
  `/${'a'.repeat(17_000)}`,
]

it.each(['GET', 'HEAD', 'POST'])(
  'refuses by %s what names no file of the shell, and nothing breaks',
  async (method) => {
    for (const target of strange) {
      const { status, body } = await sendBare(port, `/_console${target}`, { method })
      const named = `${method} ${JSON.stringify(target.slice(0, 60))}`
      expect(status, named).toBeGreaterThanOrEqual(400)
      expect(status, named).toBeLessThan(500)
      if (method !== 'HEAD') expect(ErrorBodySchema.safeParse(JSON.parse(body)).error, named).toBeUndefined()
      expect(body, named).not.toContain('outside')
    }
    expect(subject.lines.filter((line) => line.includes('"A request failed."'))).toEqual([])
  },
)

it('refuses conditions that do not hold, and answers a file whole whatever part is asked for', async () => {
  const failed = await sendBare(port, '/_console/index.html', { headers: ['If-Match: "other"'] })
  expect([failed.status, JSON.parse(failed.body).error.code]).toEqual([409, 'conflict'])
  const beyond = await sendBare(port, '/_console/index.html', { headers: ['Range: bytes=9999-'] })
  expect([beyond.status, beyond.body]).toEqual([200, page])
})

it('still sends the start page and files with escapes in their names', async () => {
  for (const target of ['/', '/index.html', '/?a=1', '/%69ndex.html'])
    expect((await sendBare(port, `/_console${target}`)).body, target).toBe(page)
  expect((await sendBare(port, '/_console/assets/a%20b.js')).body).toBe('let a = 1')
})
