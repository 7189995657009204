// Starts what a browser test needs: a real host on a temporary folder, a Chromium, a signed-in page that records every
// error. Knows no screen.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { inject } from 'vitest'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { startHost } from '#main/index.ts'
import type { RunningHost } from '#main/index.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { enterPassword } from './sign-in-steps.ts'
import { chromiumLaunchOptions } from '../support/find-chromium.ts'

/** A page of the console with what it complained about. */
export interface ConsolePage {
  page: Page
  context: BrowserContext
  /** Uncaught errors and error lines of the page's console, in order. */
  errors: string[]
  close(): Promise<void>
}

/** A host and a browser under test. */
export interface ConsoleBench {
  /** The running host; another one after {@link ConsoleBench.restart}. */
  readonly host: RunningHost
  /** Calls the API with the connection token. */
  api<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>
  /** Opens a signed-in page at a route of the console, `/` when absent. */
  open(route?: string, options?: BrowserContextOptions): Promise<ConsolePage>
  /**
   * Opens a signed-in page beside others that share its cookies, storage and what they have loaded: half of the work of
   * a page of its own, for looks that leave nothing behind.
   * @param locale the language it is to speak; the person's own without
   */
  openTab(route: string, locale?: string): Promise<ConsolePage>
  /** Signs a person in with a password; pages are theirs from here on. */
  signIn(name: string, secret: string): Promise<void>
  /** Opens a page with a code in its address, as the launcher and a link from the command line do. */
  openWithCode(): Promise<ConsolePage>
  /** Opens a page without a session. */
  openAnonymous(options?: BrowserContextOptions): Promise<ConsolePage>
  /** Stops the host and starts another one on the same folder and port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>

const defaults: BrowserContextOptions = {
  viewport: { width: 1440, height: 900 },
  reducedMotion: 'reduce',
  locale: 'en',
  timezoneId: 'UTC',
}

// Two pages at a time fill two processors: threads beside each of them only make both wait. Where frames are counted a page
// has those that people's have.
const frugal = process.env['CAIRN_MEASURED'] === undefined ? ['--js-flags=--single-threaded'] : []

/** Starts a host on an empty folder, with these settings of accounts and these further plugins when given, and a browser. */
export async function openBench(
  auth?: Record<string, unknown>,
  further: readonly PluginDefinition[] = [],
): Promise<ConsoleBench> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-e2e-'))
  if (auth) writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ auth }), { mode: 0o600 })
  const plugins = further.length === 0 ? {} : { plugins: [...corePlugins, ...optionalPlugins, ...further] }
  const start = async (port: number): Promise<RunningHost> => startHost({ dataDir, port, durable: false, ...plugins })
  let host = await start(0)
  // Sign-in is limited to ten codes a minute: one session is for all pages.
  let session: Session | undefined
  const options = chromiumLaunchOptions(inject('chromiumPath'))
  const browser: Browser = await chromium.launch({ ...options, args: [...options.args, ...frugal] })

  let tabs: Promise<BrowserContext> | undefined

  const newContext = async (options: BrowserContextOptions): Promise<BrowserContext> => {
    const context = await browser.newContext({ ...defaults, ...options })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    return context
  }

  const page = async (url: string, options: BrowserContextOptions = {}): Promise<ConsolePage> => {
    const context = await newContext(options)
    return pageOf(context, url, 'context')
  }

  const pageOf = async (context: BrowserContext, url: string, closes: 'page' | 'context'): Promise<ConsolePage> => {
    const opened = await context.newPage()
    const errors: string[] = []
    opened.on('pageerror', (error) => errors.push(error.stack ?? error.message))
    opened.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await opened.goto(url)
    await opened.getByRole('heading', { level: 1 }).waitFor()
    return { page: opened, context, errors, close: async () => (closes === 'page' ? opened : context).close() }
  }

  // What a page does with its code is seen by the tests of signing in.
  const sessionOf = async (): Promise<Session> => {
    const context = await browser.newContext()
    const answer = await context.request.post(`${host.url}${host.uiBasePath}/session`, {
      data: { code: host.mintCode() },
      headers: { origin: host.url },
    })
    if (!answer.ok()) throw new Error(`the code was refused: ${answer.status()} ${await answer.text()}`)
    const state = await context.storageState()
    await context.close()
    return state
  }

  const open = async (route = '/', options: BrowserContextOptions = {}): Promise<ConsolePage> => {
    session ??= await sessionOf()
    return page(`${host.url}${host.uiBasePath}/#${route}`, { ...options, storageState: session })
  }

  const newTabs = async (): Promise<BrowserContext> => {
    session ??= await sessionOf()
    return newContext({ storageState: session })
  }

  return {
    get host() {
      return host
    },
    async api<T>(method: string, path: string, body?: unknown): Promise<T> {
      const answer = await fetch(`${host.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${host.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      const parsed: unknown = await answer.json()
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(parsed)}`)
      return parsed as T
    },
    open,
    async openTab(route, locale) {
      tabs ??= newTabs()
      const query = locale === undefined ? '' : `?locale=${locale}`
      return pageOf(await tabs, `${host.url}${host.uiBasePath}/${query}#${route}`, 'page')
    },
    async signIn(name, secret) {
      const opened = await page(`${host.url}${host.uiBasePath}/`)
      await enterPassword(opened.page, name, secret)
      await opened.page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
      session = await opened.context.storageState()
      await opened.close()
    },
    async openWithCode() {
      const opened = await page(`${host.url}${host.uiBasePath}/#${host.mintCode()}`)
      await opened.page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
      return opened
    },
    openAnonymous: async (options) => page(`${host.url}${host.uiBasePath}/`, options),
    async restart() {
      const { port } = host
      session = undefined
      tabs = undefined
      await host.stop()
      host = await start(port)
    },
    async stop() {
      await browser.close()
      await host.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Puts a text on the clipboard of the page and pastes it where the focus is. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(async (value) => navigator.clipboard.writeText(value), text)
  await page.keyboard.press('ControlOrMeta+V')
}
