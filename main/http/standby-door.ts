// What a node answers while another one leads: that it is there, who leads, and when to ask again. Whoever spreads requests
// over nodes sees by it where not to send them. Knows no route and no workspace.
import type { AddressInfo } from 'node:net'
import { platformError } from '#shared/errors.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { createAuthorities } from './authority.ts'
import { errorBody, retryAfterOf } from './error-handler.ts'
import { allGuards } from './guard.ts'
import { baseHeaders, jsonType } from './headers.ts'

/** A door that is open. */
export interface StandbyDoor {
  readonly port: number
  /** Sets the port free for the host. */
  close(): Promise<void>
}

/**
 * Listens on 127.0.0.1; 0 picks a free port.
 * @param leader where the leader answers; null while nobody knows
 * @throws the socket's error, for example EADDRINUSE
 */
export async function openStandbyDoor(port: number, leader: () => string | null, ids: Ids): Promise<StandbyDoor> {
  const { createServer } = process.getBuiltinModule('node:http')
  let authorities = createAuthorities({ port, trustedOrigins: [] })
  const server = createServer((request, response) => {
    const stranger = allGuards.host(request, authorities)
    const isHealth = request.method === 'GET' && request.url === '/healthz' && stranger === null
    const refusal =
      stranger ?? platformError('service_unavailable', { reason: 'standby', leader: leader(), retryAfterSeconds: 1 })
    const id = ids.uuid()
    const retryAfter = retryAfterOf(refusal)
    const isToWait = !isHealth && retryAfter !== null
    response.writeHead(isHealth ? 200 : refusal.httpStatus, {
      ...baseHeaders,
      'x-request-id': id,
      'content-type': jsonType,
      ...(isToWait ? { 'retry-after': String(retryAfter) } : {}),
      // The next request finds whoever listens here then.
      connection: 'close',
    })
    response.end(JSON.stringify(isHealth ? { status: 'ok' } : errorBody(refusal, id)))
    request.resume()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, resolve)
  })
  const { port: actual } = server.address() as AddressInfo
  authorities = createAuthorities({ port: actual, trustedOrigins: [] })
  return {
    port: actual,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
