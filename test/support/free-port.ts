// A port nobody listens on right now, for configurations that must name one.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below what Linux, macOS and Windows give to outgoing connections: a port from there can be taken by any connection of
// this machine between finding it and listening on it.
const lowest = 20_000
const highest = 32_000

/** Answers a port that is free on every address of this machine. @throws Error when a hundred tries find none */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(lowest, highest)
    if (await canListen(port)) return port
  }
  throw new Error(`No port between ${lowest} and ${highest} is free.`)
}

async function canListen(port: number): Promise<boolean> {
  const probe = createServer()
  const listens = await new Promise<boolean>((resolve) => {
    probe.once('error', () => {
      resolve(false)
    })
    probe.listen(port, '0.0.0.0', () => {
      resolve(true)
    })
  })
  if (listens) await new Promise((resolve) => probe.close(resolve))
  return listens
}
