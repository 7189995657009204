// A relay that does not keep to its part: it joins whoever asks with whoever waits, and either changes bytes on the way or
// speaks TLS with each of the two itself. Keeps nothing and knows no workspace.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createFileSecrets } from '#main/kernel/file-secrets.ts'
import { acceptOver } from '#main/replication/channel/accept-over.ts'
import { loadDeviceKeys } from '#main/replication/channel/device-keys.ts'
import { createLinkStream } from '#main/replication/channel/link-stream.ts'
import type { LinkStream } from '#main/replication/channel/link-stream.ts'
import { pairChannel } from '#main/replication/channel/pairing.ts'
import { proofOf } from '#main/replication/channel/pairing-proofs.ts'
import { dialPeer } from '#main/replication/channel/peer-dial.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { createPeerListener } from '#main/replication/channel/peer-listener.ts'
import { pairCodec } from '#main/plugins/sync/peers/pair-codec.ts'
import { boxMessageLimit, decodeMailboxWord, encodeMailboxWord } from '#main/replication/wire/mailbox-words.ts'

/** A relay in the middle. */
export interface MiddlemanRelay {
  readonly port: number
  readonly fingerprint: string
  /** Lets it know the code of the invite. */
  tell(code: string): void
  close(): Promise<void>
}

/** The link of one end; what comes is handed to `take` once there is one. */
interface End {
  readonly link: PeerLink
  take: ((message: Uint8Array) => void | Promise<void>) | undefined
}

/** Starts it on a port of loopback. @param how whether it speaks itself, or changes a byte of what it passes on */
export async function startMiddlemanRelay(dir: string, how: 'replace' | 'flip'): Promise<MiddlemanRelay> {
  mkdirSync(dir)
  const keys = await loadDeviceKeys(join(dir, 'keys.json'), createFileSecrets(join(dir, 'secret.key')))
  let waiting: End | undefined
  let code: string | undefined

  function onLink(link: PeerLink): void {
    const end: End = { link, take: undefined }
    link.onMessage((message) => {
      if (end.take !== undefined) return end.take(message)
      // Anything but a mailbox is left without an answer.
      if (link.purpose !== 'mailbox') return undefined
      if (decodeMailboxWord(message).kind === 'open') {
        waiting = end
        link.offer(encodeMailboxWord({ kind: 'opened' }))
      } else meet(end, waiting!)
      return undefined
    })
  }

  function meet(visitor: End, host: End): void {
    for (const { link } of [visitor, host]) link.offer(encodeMailboxWord({ kind: 'joined' }))
    if (how === 'flip') passOn(visitor, host)
    else standBetween(visitor, host)
  }

  function passOn(visitor: End, host: End): void {
    let seen = 0
    visitor.take = (message) => {
      seen += message.byteLength
      const changed = Uint8Array.from(message)
      // Not in the first words, which are in clear, but in what is sealed.
      if (seen > 600) changed[changed.byteLength - 1]! ^= 1
      host.link.offer(changed)
    }
    host.take = (message) => void visitor.link.offer(message)
    visitor.link.onClose(() => host.link.close('done'))
    host.link.onClose(() => visitor.link.close('done'))
  }

  function standBetween(visitor: End, host: End): void {
    const [near, far] = [streamOf(visitor), streamOf(host)]
    Promise.all([
      acceptOver(near.stream, { identity: keys.channel, fingerprint: keys.fingerprint }),
      dialPeer(far.stream, { identity: keys.channel, peer: null, purpose: 'pairing' }),
    ]).then(
      ([one, two]) => bridge(one, two),
      () => {
        visitor.link.close('done')
        host.link.close('done')
      },
    )
  }

  /** Repeats to each what the other one says; where it knows the code, as its own words. */
  function bridge(visitor: PeerLink, host: PeerLink): void {
    const [near, far] = [pairChannel(visitor, pairCodec), pairChannel(host, pairCodec)]
    near.onMessage((message) => {
      const isCode = message.kind === 'commit' && code !== undefined
      far.send(isCode ? { ...message, proof: proofOf(far.secret, code!) } : message)
    })
    far.onMessage((message) => near.send(message))
    near.onClose(() => far.close())
    far.onClose(() => near.close())
  }

  const listener = createPeerListener({
    identity: keys.channel,
    fingerprint: keys.fingerprint,
    admit: () => 'known',
    onLink,
    mailboxMessageBytes: boxMessageLimit,
  })
  const port = await listener.listen(['127.0.0.1'], 0)
  return {
    port,
    fingerprint: keys.fingerprint,
    tell: (told) => void (code = told),
    close: () => listener.close(),
  }
}

function streamOf(end: End): LinkStream {
  const made = createLinkStream(end.link, boxMessageLimit)
  end.take = (message) => made.put(message)
  return made
}
