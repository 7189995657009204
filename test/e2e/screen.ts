// What one entry of the register of screens says, and the steps that entries share. Knows no screen.
import type { Page } from 'playwright-core'
import type { ConsoleBench } from './open-console.ts'

/** One screen in one state. */
export interface Screen {
  /** Unique, kebab-case; names the screenshot. */
  name: string
  /** The route pattern of the application it covers. */
  covers: string
  state: 'empty' | 'full' | 'loading' | 'error' | 'offline' | 'dialog' | 'signed-out'
  /** Address to open; absent for a page without a session. */
  route?: string
  /** Which workspace it needs: one without objects, the seeded one, or the one with organizations. */
  workspace: 'fresh' | 'seeded' | 'organized'
  /** Brings the page into the state and resolves when it is there. */
  reach(page: Page, bench: ConsoleBench): Promise<void>
  /** Failed requests that belong to the state, as parts of console lines. */
  expectedErrors?: readonly string[]
  /** Scrolls sideways on purpose: the grid. */
  scrollsSideways?: boolean
}

/** Waits for the heading of a page. */
export const heading = async (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor()

/** Waits for an open dialog. */
export const dialog = async (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('dialog', { name }).waitFor()

/** Makes the requests to a part of the API fail like a host that is not there. */
export async function cut(page: Page, path: string): Promise<void> {
  await page.route(path, async (route) => route.abort('connectionrefused'))
}

/** Makes the requests to a part of the API answer with an error of the protocol. */
export async function refuse(page: Page, path: string | RegExp, code: string, httpStatus: number): Promise<void> {
  const error = {
    code,
    message: 'The server failed to handle the request.',
    httpStatus,
    category: 'server',
    retryable: false,
    details: {},
    requestId: '0197b2f0-0000-7000-8000-000000000000',
  }
  await page.route(path, async (route) => route.fulfill({ status: httpStatus, json: { success: false, error } }))
}
