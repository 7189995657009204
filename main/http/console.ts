// The browser console: files of the application shell and the sign-in that belongs to it (D-40, D-208).
// Knows nothing of what the shell shows.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { defaultPrefix, prefixMeta } from '#shared/api-prefix.ts'
import { platformError } from '#shared/errors.ts'
import { consoleRoutes } from '#shared/contracts/console.ts'
import type { AuditSink } from '#main/kernel/audit-sink.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { Reply } from '#main/kernel/reply.ts'
import { readCookie } from './authenticate.ts'
import type { ConsoleSessions, OneTimeCodes } from './console-session.ts'
import { sessionLifeSeconds } from './console-session.ts'
import type { CookieChoices } from './session-cookie.ts'
import { sessionCookieName, writeSessionCookie } from './session-cookie.ts'
import type { RouteBinding, RouteHandler, RouteSafety } from './route-runtime.ts'

/**
 * Policy of the shell. Scripts come from files only. Style elements may be inline because the component library writes
 * its theme into one; a style cannot run code, and nothing foreign can be loaded by one. Markup brings no styles: style
 * attributes are refused, and what scripts set on an element does not count as one.
 */
export const shellPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "style-src-attr 'none'",
  "img-src 'self' data: blob:",
  // Previews of files: bytes the screens have fetched themselves, of types that run nothing.
  'media-src blob:',
  'frame-src blob:',
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What the console's routes need. */
export interface ConsoleParts {
  readonly codes: OneTimeCodes
  readonly sessions: ConsoleSessions
  readonly cookies: CookieChoices
  /** Where a person opens the console, without code. */
  readonly consoleUrl: () => string
  /** Hears of tried codes. */
  readonly auditSink: () => AuditSink
  /** The proof of identity for a nonce; see proofFor in running-host.ts. */
  readonly prove: (nonce: string) => string
}

/** The bindings of the sign-in routes. */
export function consoleBindings(parts: ConsoleParts): RouteBinding[] {
  const handlers: Handlers<typeof consoleRoutes> = {
    openConsoleSession(ctx, { body, headers }) {
      // The guard refuses a foreign Origin; this exchange also refuses a missing one, so that only a page can make it.
      if (headers['origin'] === undefined) throw platformError('origin_forbidden', { reason: 'origin' })
      const token = parts.codes.redeem(body.code) ? parts.sessions.open() : null
      parts.auditSink().codeTried(ctx, token === null ? null : parts.sessions.find(token)!.id)
      if (token === null) throw platformError('invalid_credentials')
      const cookie = writeSessionCookie(parts.cookies, token, sessionLifeSeconds)
      return new Reply({ user: { id: localOwnerId, name: 'owner' } }, { headers: { 'set-cookie': cookie } })
    },
    getConsoleSession(ctx) {
      return { user: { id: ctx.actor.id, name: ctx.actor.name ?? ctx.actor.id } }
    },
    closeConsoleSession(_ctx, { headers }) {
      const token =
        headers['cookie'] === undefined ? null : readCookie(headers['cookie'], sessionCookieName(parts.cookies))
      if (token !== null) parts.sessions.end(token)
      const cookie = writeSessionCookie(parts.cookies, '', 0)
      return new Reply({ success: true as const }, { headers: { 'set-cookie': cookie } })
    },
    mintConsoleCode(ctx) {
      if (ctx.credential !== 'connection-token')
        throw platformError('permission_denied', { reason: 'connection_token' })
      const code = parts.codes.mint()
      return { code, url: `${parts.consoleUrl()}#${code}` }
    },
    proveHost: (_ctx, { query }) => ({ proof: parts.prove(query.nonce) }),
  }
  return Object.values(consoleRoutes).map((contract) => ({
    plugin: 'console',
    contract,
    handler: handlers[contract.operationId as keyof typeof handlers] as RouteHandler,
  }))
}

/** Guards of the shell's files: public, read only (D-28). */
export const shellSafety: RouteSafety = Object.freeze({
  plugin: 'console',
  contract: null,
  anonymous: true,
  toleratesBadCredential: true,
  mutates: false,
  channel: 'shell',
  rateLimit: 'none',
  localOnly: false,
  entry: true,
  accepted: null,
  limitBytes: 0,
})

/** Sends one file of the shell, its start page for the base path, or a plain page when the shell is not built. */
export function createShellHandler(options: {
  consoleDir: string
  uiBasePath: string
  prefix: string
}): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    reply.header('content-security-policy', shellPolicy)
    const requested = (request.params as { '*'?: string })['*'] ?? ''
    if (requested === '' && !request.raw.url!.split(/[?#]/, 1)[0]!.endsWith('/')) {
      // The start page names its files relative to the folder.
      reply.redirect(`${options.uiBasePath}/`, 302)
      return
    }
    const file = requested === '' ? 'index.html' : requested
    if (file === 'index.html' && !existsSync(path.join(options.consoleDir, 'index.html'))) {
      reply
        .code(503)
        .header('retry-after', '30')
        .header('content-type', 'text/html; charset=utf-8')
        .send(missingShellPage)
      return
    }
    if (file === 'index.html' && options.prefix !== defaultPrefix) {
      const page = readFileSync(path.join(options.consoleDir, file), 'utf8')
      const meta = `<meta name="${prefixMeta}" content="${options.prefix}" />`
      reply
        .header('cache-control', 'no-cache')
        .header('content-type', 'text/html; charset=utf-8')
        .send(page.replace('</head>', `${meta}</head>`))
      return
    }
    // Built files carry a hash of their content in their name.
    reply.header('cache-control', file.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    reply.sendFile(file)
  }
}

/**
 * What a refusal to send a file is in the protocol: a path that climbs, hides or is badly encoded names no file, and a
 * condition of the request that does not hold is a conflict. Anything else stays what it is.
 */
export function fileRefusal(error: { readonly statusCode?: number }): unknown {
  const { statusCode = 500 } = error
  if (statusCode === 412) return platformError('conflict', { reason: 'precondition' })
  return statusCode >= 400 && statusCode < 500 ? platformError('resource_not_found', { reason: 'route' }) : error
}

const missingShellPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Cairn</title></head>
<body>
<main>
<h1>Cairn is running</h1>
<p>Its screens have not been built on this machine. Run <code>npm run build</code> in the folder of Cairn, then reload this page.</p>
<p>The API works without them.</p>
</main>
</body>
</html>
`
