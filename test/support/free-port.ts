// A port nobody listens on right now, for configurations that must name one.
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/** Answers a port that is free on every address of this machine. */
export async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => {
    probe.listen(0, '0.0.0.0', resolve)
  })
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => {
    probe.close(resolve)
  })
  return port
}
