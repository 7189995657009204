// The conformance scenarios of the Model Context Protocol that need no tools of their own, run by their package against a
// host (D-295).
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { CredentialProxy } from '../support/credential-proxy.ts'
import { openCredentialProxy } from '../support/credential-proxy.ts'

let host: TestHost
let proxy: CredentialProxy
let folder: string
const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text' } })
  proxy = await openCredentialProxy(host.host.url, `Bearer ${host.host.token}`)
  folder = mkdtempSync(join(tmpdir(), 'cairn-conformance-'))
}, 60_000)
afterAll(async () => {
  await proxy?.close()
  await host?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const scenarios = [
  'server-initialize',
  'ping',
  'logging-set-level',
  'tools-list',
  'resources-list',
  'prompts-list',
  'server-sse-polling',
  'dns-rebinding-protection',
]

it.each(scenarios)(
  '%s',
  async (scenario) => {
    const args = [program, 'server', '--url', `${proxy.url}/mcp`, '--scenario', scenario]
    const { code, told } = await new Promise<{ code: number; told: string }>((resolve) =>
      execFile(process.execPath, args, { cwd: folder, timeout: 60_000 }, (error, out, problems) =>
        resolve({ code: error === null ? 0 : 1, told: out + problems }),
      ),
    )
    expect({ code, told: code === 0 ? '' : told }).toEqual({ code: 0, told: '' })
    // Streams are nothing the host answers with: there is nothing to poll, which is a warning and no failure.
    expect(told).toMatch(scenario === 'server-sse-polling' ? /, 0 failed/ : /Passed: [1-9]\d*\/\d+, 0 failed/)
  },
  90_000,
)
