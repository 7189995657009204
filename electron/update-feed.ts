// Where updates of this program come from: the file the packager leaves beside the program. Knows no Electron.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** Hosts that are this machine, as the address of a feed spells them. */
const ownHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The folder on a web server that holds new versions, or undefined where this copy was packaged without one: such a copy
 * never asks anybody. What is loaded becomes the program, so the way to it has to be encrypted or within the machine.
 * @param resources the program's folder of resources; undefined outside a package
 */
export function readUpdateFeed(resources: string | undefined): string | undefined {
  if (resources === undefined) return undefined
  let config: unknown
  try {
    config = parse(readFileSync(join(resources, 'app-update.yml'), 'utf8'))
  } catch {
    return undefined // packaged without a feed, or damaged
  }
  if (typeof config !== 'object' || config === null) return undefined
  const { provider, url } = config as { provider?: unknown; url?: unknown }
  return provider === 'generic' && typeof url === 'string' && isSafeFeed(url) ? url : undefined
}

function isSafeFeed(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password } = new URL(address)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && ownHosts.has(hostname))
}
