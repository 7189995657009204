// Attaches one link to the mailboxes: its first message says whether it waits or visits, and everything after the answer
// is passed on unread. Knows whom a relay lets wait, no pairing.
import type { Logger } from '#main/kernel/logger.ts'
import { addressKey } from '#main/replication/channel/address-key.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import type { MailboxWord } from '#main/replication/wire/mailbox-words.ts'
import { boxAuthLabel, decodeMailboxWord, encodeMailboxWord } from '#main/replication/wire/mailbox-words.ts'
import { isChannelProven } from '#main/replication/wire/proofs.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import type { Admission } from '../admission.ts'
import type { MailboxEnd, Mailboxes, MailboxPipe, MailboxSeat } from '../mailboxes.ts'

/** What links of mailboxes are served with. */
export interface MailboxDoor {
  readonly mailboxes: Mailboxes
  readonly admission: Admission
  readonly log: Logger
}

/** How long a link may stay without a word, and how long its last one may take to leave. */
const wordMs = 10_000

/** Serves a link until either side ends it. */
export function serveMailbox({ mailboxes, admission, log }: MailboxDoor, link: PeerLink): void {
  const who = { address: link.address, fingerprint: link.peer }
  let pipe: MailboxPipe | undefined
  let seat: MailboxSeat | undefined
  let isAsked = false
  const timer = setTimeout(() => link.close('protocol'), wordMs)

  const say = (word: MailboxWord): void => void link.offer(encodeMailboxWord(word))
  const refuse = (code: string): void => {
    log.info({ ...who, code }, 'A mailbox was refused.')
    say({ kind: 'refused', code })
    link.close('done')
  }
  const end: MailboxEnd = {
    join(joined) {
      pipe = joined
      say({ kind: 'joined' })
    },
    take: (bytes) => link.send(bytes),
    end: () => link.close('done'),
  }

  function open({ box, ws, epoch, key, sig }: MailboxWord & { kind: 'open' }): void {
    if (!isChannelProven({ kind: 'AUTH', key, sig }, link.secret(boxAuthLabel), 'client')) {
      refuse('signature_invalid')
      return
    }
    // Without a token: a mailbox registers nothing.
    const admitted = admission.admit({ ws, epoch, key })
    if (!admitted.ok) {
      refuse(admitted.code)
      return
    }
    const owner = Buffer.from(key).toString('base64url')
    const verdict = mailboxes.open(box, owner, String(admitted.workspace.id), end)
    if (!verdict.ok) {
      refuse(verdict.code)
      return
    }
    seat = verdict.seat
    say({ kind: 'opened' })
    log.info(who, 'A device waits in a mailbox.')
  }

  function visit({ box }: MailboxWord & { kind: 'visit' }): void {
    const from = addressKey(link.address.slice(0, link.address.lastIndexOf(':')))
    const refusal = mailboxes.visit(box, from, end)
    if (refusal !== undefined) refuse(refusal)
    else log.info(who, 'Two devices meet in a mailbox.')
  }

  function hear(message: Uint8Array): void {
    if (isAsked) {
      // Nobody is there to pass it on to.
      link.close('protocol')
      return
    }
    isAsked = true
    clearTimeout(timer)
    const word = decodeMailboxWord(message)
    if (word.kind === 'open') open(word)
    else if (word.kind === 'visit') visit(word)
    else link.close('protocol')
  }

  link.onClose(({ reason, here }) => {
    clearTimeout(timer)
    seat?.leave(reason === 'done' && !here)
    pipe?.close()
    log.info({ ...who, reason, here }, 'A link of a mailbox has ended.')
  })
  link.onMessage((message) => {
    if (pipe !== undefined) return pipe.pass(message)
    try {
      hear(message)
    } catch (error) {
      if (!(error instanceof WireError)) log.error({ ...who, err: error }, 'A mailbox failed.')
      link.close(error instanceof WireError ? 'protocol' : 'failed')
    }
    return undefined
  })
}
