// A host with settings of accounts in its config.json, and people who sign in. The narrow buckets of D-200 are widened,
// so that tests can sign in often; tests of the limits ask for the real ones.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import type { HostOptions } from '#main/index.ts'
import { createAuthPlugin } from '#main/plugins/auth/index.ts'
import { createPasswords } from '#main/plugins/auth/service/password.ts'
import { createTestHost } from './create-test-host.ts'
import type { Answer, TestHost } from './create-test-host.ts'
import { isRelease } from './release-size.ts'

/** A password that fits the default options. */
export const password = 'correct horse battery'

/** Everything, with passwords that cost a hundredth of the processor: what is tested is what they open. */
const cheapPlugins = [
  ...corePlugins,
  ...optionalPlugins.map((plugin) =>
    plugin.id === 'auth' ? createAuthPlugin(createPasswords({ N: 256, r: 8, p: 1 })) : plugin,
  ),
]

/** A host whose people have accounts. */
export interface AuthHost extends TestHost {
  /** Makes an account as the owner. */
  account(name: string, role?: 'admin' | 'user'): Promise<{ id: string; email: string }>
  /** Signs in with the simple login and answers the token. */
  signIn(name: string, secret?: string): Promise<string>
  /** A call with a bearer token. */
  as(token: string, method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** The newest link or code that waits for an address. */
  waitingMail(to: string, kind: string): Promise<string>
}

/** Starts a host with the key `auth` of config.json. @param options `config`: its other keys */
export async function createAuthHost(
  auth: Record<string, unknown> = {},
  options: Partial<HostOptions> & { readonly narrow?: boolean; readonly config?: Record<string, unknown> } = {},
): Promise<AuthHost> {
  const { narrow = false, config = {}, ...rest } = options
  const dataDir = rest.dataDir ?? mkdtempSync(join(tmpdir(), 'cairn-auth-'))
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ ...config, auth }), { mode: 0o600 })
  const host = await createTestHost({ ...(isRelease ? {} : { plugins: cheapPlugins }), ...rest, dataDir }).catch(
    (error: unknown) => {
      if (rest.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
      throw error
    },
  )
  if (!narrow) {
    const wide = await host.patch('/settings', { rateLimits: { auth: { burst: 100_000, refillPerSecond: 10_000 } } })
    if (wide.status !== 200) throw new Error(JSON.stringify(wide.body))
  }
  const as: AuthHost['as'] = (token, method, path, body, headers = {}) =>
    host.anonymous(method, path, body, { authorization: `Bearer ${token}`, ...headers })
  return {
    ...host,
    get host() {
      return host.host
    },
    as,
    async account(name, role = 'user') {
      const email = `${name}@example.org`
      const made = await host.post('/auth/admin/create-user', {
        email,
        name,
        password,
        role,
        data: { username: name },
      })
      if (made.status !== 200) throw new Error(JSON.stringify(made.body))
      return { id: made.body.user.id as string, email }
    },
    async signIn(name, secret = password) {
      const answer = await host.anonymous('POST', '/auth/login', { username: name, password: secret })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body.token as string
    },
    async waitingMail(to, kind) {
      for (let tries = 0; tries < 100; tries += 1) {
        const { body } = await host.get('/auth/outbox')
        const found = (body.messages as { to: string; kind: string; content: string }[]).find(
          (message) => message.to === to && message.kind === kind,
        )
        if (found !== undefined) return found.content
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`No mail of kind ${kind} waits for ${to}.`)
    },
    async stop() {
      await host.stop()
      if (rest.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
