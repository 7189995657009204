// A door that brings a credential along for tools that cannot: requests go through as they are, with a key. Knows no route.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy that listens on loopback. */
export interface CredentialProxy {
  readonly url: string
  close(): Promise<void>
}

/** Opens a proxy to a host; its own address in headers becomes that of the host, any other one stays. */
export async function openCredentialProxy(target: string, authorization: string): Promise<CredentialProxy> {
  const to = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.replace(own, to.host) : value,
      ]),
    )
    const passed = request(
      {
        host: to.hostname,
        port: to.port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...headers, authorization },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
