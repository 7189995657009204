// The bridge between standard input and output and the running program: a process of its own, with the official client and
// with lines of any kind.
import { spawn } from 'node:child_process'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuthHost } from '../support/auth-host.ts'
import { createAuthHost } from '../support/auth-host.ts'
import { cairnEntry } from '../support/host-bundle.ts'
import { callTool } from '../support/mcp-client.ts'

let host: AuthHost

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject('task', { title: { type: 'text' } })
}, 60_000)

afterAll(() => host?.stop())

/** Writes lines to a bridge, ends its input, and hands back what it wrote. */
function pipe(lines: readonly string[], dataDir = host.dataDir): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [cairnEntry, 'mcp', '--data', dataDir])
  let out = ''
  let err = ''
  child.stdout.on('data', (part: Buffer) => (out += part.toString()))
  child.stderr.on('data', (part: Buffer) => (err += part.toString()))
  child.stdin.on('error', () => undefined)
  child.stdin.end(lines.join('\n'))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? -1, out, err })))
}

describe('the bridge', () => {
  it('lets a client in with the rights of its key, and writes nothing but messages', async () => {
    const made = await host.post('/keys', { name: 'Assistant', readOnly: true })
    const client = new Client({ name: 'test', version: '1.0.0' })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [cairnEntry, 'mcp', '--data', host.dataDir],
      env: { ...(process.env as Record<string, string>), CAIRN_API_KEY: made.body.key },
      stderr: 'pipe',
    })
    const strange: Error[] = []
    client.onerror = (error) => strange.push(error)
    await client.connect(transport)
    await client.ping()
    expect((await client.listTools()).tools.length).toBe(14)
    const { found } = await callTool(client, 'list_objects')
    expect(found.objects).toMatchObject([{ name: 'task' }])
    const refused = await callTool(client, 'create_record', { object: 'task', data: { title: 'x' } })
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('permission_denied')])
    await client.close()
    expect(strange).toEqual([])
  })

  it('answers what is no message, and goes on', async () => {
    const { code, out } = await pipe([
      'garbage',
      '',
      '[1]',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":"last","method":"ping"}',
    ])
    const messages = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number }; result?: unknown })
    expect(code).toBe(0)
    expect(messages.find(({ id }) => id === 'last')).toMatchObject({ result: {} })
    expect(messages.filter(({ id }) => id === null).map(({ error }) => error?.code)).toContain(-32_700)
    expect(messages.length).toBe(3)
  })

  it('says where nothing runs', async () => {
    const { code, out, err } = await pipe([], '/nonexistent/cairn')
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('Cairn is not running on /nonexistent/cairn')
  })
})
