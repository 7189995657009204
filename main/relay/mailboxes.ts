// Mailboxes: where two devices meet that cannot reach each other, before one of them belongs to a workspace. Bytes are
// passed on as they are, few of them and not for long. Knows ends as callbacks, no socket and not what is said.

/** One side of a mailbox as it is seen here. */
export interface MailboxEnd {
  /** The other side is there: everything that comes from now on goes into the pipe. */
  join(pipe: MailboxPipe): void
  /** Takes bytes of the other side; resolves when the next may come. */
  take(bytes: Uint8Array): Promise<unknown>
  /** Nothing follows. */
  end(): void
}

/** What one side puts its bytes into. */
export interface MailboxPipe {
  /** Passes bytes on; resolves when the next may come. */
  pass(bytes: Uint8Array): Promise<void>
  /** Ends it for both. */
  close(): void
}

/** Why nobody is joined. */
export type MailboxRefusal =
  /** There is no such mailbox, or not any more. */
  | 'unknown'
  /** Whoever opened the mailbox comes again at once; or the relay was started anew and does not know yet. */
  | 'nobody_waits'
  /** The name is taken by another device. */
  | 'taken'
  /** The mailbox was open for as long as one may be. */
  | 'expired'
  /** Too many at once, or too often. */
  | 'too_many'

/** A device that waits. */
export interface MailboxSeat {
  /** It waits no more. @param isOver closes the mailbox, so that nobody is told to come again */
  leave(isOver: boolean): void
}

/** What became of a request to wait. */
export type SeatVerdict =
  | { readonly ok: true; readonly seat: MailboxSeat }
  | { readonly ok: false; readonly code: MailboxRefusal }

/** The mailboxes of a relay. */
export interface Mailboxes {
  /** Waits for one visitor. @param owner names the device, of the workspace `workspace` */
  open(box: Uint8Array, owner: string, workspace: string, end: MailboxEnd): SeatVerdict
  /** Joins a visitor with the device that waits. @param from whose tries are counted together */
  visit(box: Uint8Array, from: string, end: MailboxEnd): MailboxRefusal | undefined
  /** How much there is at present. */
  size(): { readonly mailboxes: number; readonly pipes: number }
}

/** Bounds of mailboxes. */
export interface MailboxLimits {
  /** Mailboxes at once; default 1,000. */
  readonly mailboxes: number
  /** Mailboxes of one workspace at once; default 4. */
  readonly perWorkspace: number
  /** Joined pairs at once; default 64. */
  readonly pipes: number
  /** Joined pairs of one mailbox at once; default 4. */
  readonly pipesPerMailbox: number
  /** Bytes that go in one direction of a pair, in all: what is handed over while pairing has 128 KiB; default 256 KiB. */
  readonly bytes: number
  /** How long a mailbox takes visitors: as long as a code is good; default 5 minutes. */
  readonly openMs: number
  /** How long a pair is joined: as long as two people may compare and what is handed over may take; default 7 minutes. */
  readonly pipeMs: number
}

/** What mailboxes work with. */
export interface MailboxParts {
  readonly timers: {
    now(): number
    /** Calls once; the answer takes the call back. */
    after(ms: number, run: () => void): () => void
  }
  /** How often one address visits, and one device opens: answers 0, or what is to be waited. */
  readonly rates: { take(who: string, count: number): number }
  readonly limits?: Partial<MailboxLimits>
  /**
   * How long whoever had a mailbox may take to come again to a relay that was started anew: until then a name that was
   * never heard may be one of theirs. Default: 0, for a relay that had none before.
   */
  readonly returnMs?: number
}

const defaultLimits: MailboxLimits = {
  mailboxes: 1_000,
  perWorkspace: 4,
  pipes: 64,
  pipesPerMailbox: 4,
  bytes: 256 * 1024,
  openMs: 5 * 60_000,
  pipeMs: 7 * 60_000,
}

interface Mailbox {
  readonly owner: string
  readonly workspace: string
  readonly until: number
  waiting: MailboxEnd | undefined
  pipes: number
  forget(): void
}

/** Makes a relay's mailboxes, none so far. */
export function createMailboxes({ timers, rates, limits: given = {}, returnMs = 0 }: MailboxParts): Mailboxes {
  const limits = { ...defaultLimits, ...given }
  const returnedAt = timers.now() + returnMs
  /** Names of mailboxes that were closed while others may still come again. */
  const closed = new Set<string>()
  const mailboxes = new Map<string, Mailbox>()
  let pipes = 0

  const nameOf = (box: Uint8Array): string => Buffer.from(box).toString('hex')

  function add(name: string, owner: string, workspace: string): Mailbox | undefined {
    const ofWorkspace = [...mailboxes].filter(([, mailbox]) => mailbox.workspace === workspace)
    if (ofWorkspace.length >= limits.perWorkspace) {
      // The oldest where nobody waits gives way: its invite was given up, or its device is gone.
      const left = ofWorkspace.find(([, mailbox]) => mailbox.waiting === undefined)
      if (left === undefined) return undefined
      left[1].forget()
    }
    if (mailboxes.size >= limits.mailboxes) return undefined
    const expire = (): void => {
      const { waiting } = mailbox
      mailbox.forget()
      waiting?.end()
    }
    const stopClock = timers.after(limits.openMs, expire)
    const mailbox: Mailbox = {
      owner,
      workspace,
      until: timers.now() + limits.openMs,
      waiting: undefined,
      pipes: 0,
      forget() {
        stopClock()
        mailbox.waiting = undefined
        if (mailboxes.get(name) === mailbox) mailboxes.delete(name)
        if (timers.now() < returnedAt) closed.add(name)
        else closed.clear()
      },
    }
    mailboxes.set(name, mailbox)
    return mailbox
  }

  function join(mailbox: Mailbox, one: MailboxEnd, other: MailboxEnd): void {
    let isOpen = true
    pipes += 1
    mailbox.pipes += 1
    const close = (): void => {
      if (!isOpen) return
      isOpen = false
      stopClock()
      pipes -= 1
      mailbox.pipes -= 1
      one.end()
      other.end()
    }
    const stopClock = timers.after(limits.pipeMs, close)
    const pipeTo = (end: MailboxEnd): MailboxPipe => {
      let bytesLeft = limits.bytes
      return {
        async pass(bytes) {
          if (!isOpen) return
          bytesLeft -= bytes.byteLength
          if (bytesLeft < 0) close()
          else await end.take(bytes)
        },
        close,
      }
    }
    one.join(pipeTo(other))
    other.join(pipeTo(one))
  }

  return {
    open(box, owner, workspace, end) {
      if (rates.take(`open ${owner}`, 1) > 0) return { ok: false, code: 'too_many' }
      const name = nameOf(box)
      const known = mailboxes.get(name)
      if (known !== undefined && timers.now() >= known.until) return { ok: false, code: 'expired' }
      if (known !== undefined && known.owner !== owner) return { ok: false, code: 'taken' }
      const mailbox = known ?? add(name, owner, workspace)
      if (mailbox === undefined) return { ok: false, code: 'too_many' }
      // A device that comes again has given up the link it waited on before, which may be dead without a word.
      mailbox.waiting?.end()
      mailbox.waiting = end
      return {
        ok: true,
        seat: {
          leave(isOver) {
            if (mailbox.waiting !== end) return
            if (isOver) mailbox.forget()
            else mailbox.waiting = undefined
          },
        },
      }
    },
    visit(box, from, end) {
      if (rates.take(`visit ${from}`, 1) > 0) return 'too_many'
      const name = nameOf(box)
      const mailbox = mailboxes.get(name)
      if (mailbox === undefined && timers.now() < returnedAt && !closed.has(name)) return 'nobody_waits'
      if (mailbox === undefined || timers.now() >= mailbox.until) return 'unknown'
      if (mailbox.waiting === undefined) return 'nobody_waits'
      if (pipes >= limits.pipes || mailbox.pipes >= limits.pipesPerMailbox) return 'too_many'
      const { waiting } = mailbox
      mailbox.waiting = undefined
      join(mailbox, waiting, end)
      return undefined
    },
    size: () => ({ mailboxes: mailboxes.size, pipes }),
  }
}
