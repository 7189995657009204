// One link per device: which of two stays when both sides dialled each other, or when a dead one is still held.
// Knows no roster and no message.
import type { PeerLink } from './peer-link.ts'

/** The links of this device, one to each other device. */
export interface LinkTable {
  /**
   * Takes a new link unless a better one is open; the one that is not kept is closed as `replaced`.
   * @returns whether it is kept
   */
  add(link: PeerLink): Promise<boolean>
  of(peer: string): PeerLink | undefined
  all(): readonly PeerLink[]
}

/** How long the link that is open may take for a sign of life. */
const probeMs = 2_000

/**
 * Makes a table for the device with the fingerprint `own`. Of two links in different directions both sides keep the one
 * that the smaller fingerprint dialled, so that they keep the same one without asking. Of two in one direction the newer
 * one stays: its side has given up the other.
 */
export function createLinkTable(own: string): LinkTable {
  const links = new Map<string, PeerLink>()

  const isPreferred = (link: PeerLink): boolean => (link.direction === 'out') === own < link.peer

  function keep(link: PeerLink): true {
    links.get(link.peer)?.close('replaced')
    links.set(link.peer, link)
    link.onClose(() => {
      if (links.get(link.peer) === link) links.delete(link.peer)
    })
    return true
  }

  const table: LinkTable = {
    async add(link) {
      const open = links.get(link.peer)
      if (open === undefined || open.direction === link.direction || isPreferred(link)) return keep(link)
      // A preferred link that died unnoticed must not keep a living one away; another one may have come meanwhile.
      if (!(await open.probe(probeMs))) return links.get(link.peer) === open ? keep(link) : table.add(link)
      link.close('replaced')
      return false
    },
    of: (peer) => links.get(peer),
    all: () => [...links.values()],
  }
  return table
}
