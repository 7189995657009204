// Contracts of the browser console's own routes: sign-in with a one-time code (D-208). They hang under the uiBasePath.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** The signed-in person, as far as the shell shows it. */
export const ConsoleUser = z.object({ id: z.string(), name: z.string() }).meta({ id: 'ConsoleUser' })

/** Who is signed in. */
export const ConsoleSession = z.object({ user: ConsoleUser }).meta({ id: 'ConsoleSession' })

/** The routes of the browser console. */
export const consoleRoutes = defineRoutes({
  openConsoleSession: defineRoute({
    operationId: 'openConsoleSession',
    method: 'POST',
    mount: 'console',
    path: '/session',
    body: z.object({ code: z.string().max(200) }),
    response: ConsoleSession,
    permission: 'public',
    rateLimit: 'auth',
    errors: ['invalid_credentials'],
    bodyLimitBytes: 65_536,
    localOnly: true,
    channel: 'session',
    sends: ['Set-Cookie'],
    summary: 'Exchange the one-time code the host printed for a browser session of the local owner.',
    tag: 'console',
  }),
  getConsoleSession: defineRoute({
    operationId: 'getConsoleSession',
    method: 'GET',
    mount: 'console',
    path: '/session',
    response: ConsoleSession,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'session',
    summary: 'Tell who is signed in.',
    tag: 'console',
  }),
  closeConsoleSession: defineRoute({
    operationId: 'closeConsoleSession',
    method: 'DELETE',
    mount: 'console',
    path: '/session',
    response: z.object({ success: z.literal(true) }),
    permission: 'session',
    rateLimit: 'write',
    errors: [],
    channel: 'session',
    sends: ['Set-Cookie'],
    summary: 'End the browser session.',
    tag: 'console',
  }),
  mintConsoleCode: defineRoute({
    operationId: 'mintConsoleCode',
    method: 'POST',
    mount: 'console',
    path: '/session/code',
    response: z.object({ code: z.string(), url: z.string() }),
    permission: 'session',
    rateLimit: 'auth',
    errors: ['permission_denied'],
    keepsAnswer: false,
    localOnly: true,
    channel: 'session',
    summary: 'Mint another one-time code; for holders of the connection token only.',
    tag: 'console',
  }),
  proveHost: defineRoute({
    operationId: 'proveHost',
    method: 'GET',
    mount: 'console',
    path: '/proof',
    query: z.object({ nonce: z.string().regex(/^[A-Za-z0-9_-]{16,128}$/) }),
    response: z.object({ proof: z.string() }),
    permission: 'public',
    rateLimit: 'read',
    errors: [],
    localOnly: true,
    channel: 'none',
    summary: 'Prove that this is the host which wrote the connection file, before a secret is sent to it.',
    tag: 'console',
  }),
})
