// One open link to a device or a relay: both prove who they are, and from then on both end with the same log. Puts the
// parts of a session together and hands each frame to the one it is for.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDiskFull } from '#main/kernel/disk-full.ts'
import type { Vector } from '#main/replication/core/types.ts'
import { decodeFrame, encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame, FrameOf } from '#main/replication/wire/frames.ts'
import { awarenessLimit, frameLimit } from '#main/replication/wire/limits.ts'
import { sayAdmission } from '#main/replication/wire/proofs.ts'
import type { AdmissionWord } from '#main/replication/wire/proofs.ts'
import type { Position } from '#main/replication/wire/vector-codec.ts'
import type { Quarantined } from '../engine/replica.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import { createDocumentCheck } from './check-documents.ts'
import type { GreetingRefusal } from './greeting.ts'
import { commonProtocol, greetingFrames, judgeAuth, judgeHello } from './greeting.ts'
import { createBadCount } from './misbehaviour.ts'
import type { Gathered } from './open-runs.ts'
import { createOpenRuns } from './open-runs.ts'
import { createOutgoing } from './outgoing.ts'
import { createPeerView } from './peer-view.ts'
import { createAdmissions, createBarriers, createPings } from './questions.ts'
import { createReader, narrowedCode } from './reader.ts'
import { createReceiveLog } from './receive-log.ts'
import { notSentCodes } from './repair-documents.ts'
import { createSendLog } from './send-log.ts'
import { createBell, createSessionTimes, createWake } from './session-times.ts'
import type { Proof, SessionParts, SessionState, SessionStatus } from './types.ts'

/** How long a peer may take to prove itself. */
const greetingMs = 10_000

/** Forks that are told of one peer. */
const forkLimit = 16

/** How long messages are taken without a pause for others. */
const sliceMs = 4

/** How long changes are gathered before listeners hear of them. */
const tellMs = 20

/** A session over one link. */
export type PeerSession = ReturnType<typeof createPeerSession>

/** Begins a session over a link that has just been opened. */
export function createPeerSession(parts: SessionParts) {
  const { link, peer, kind, replica, clock, timers, log, hooks = {} } = parts
  const bad = parts.bad ?? createBadCount(timers)
  const view = createPeerView(replica)
  const openRuns = createOpenRuns()
  const times = createSessionTimes(timers)
  const bell = createBell(timers, tellMs)
  const changed = (): void => bell.pull()
  const admissions = createAdmissions()
  const forks = new Set<number>()
  let state: SessionState = 'opening'
  let hello: FrameOf<'HELLO'> | undefined
  let lastError: string | undefined
  let lastSeenAt = clock.iso()
  let clockOffsetMs: number | undefined
  let greetedAt = 0
  let progressAt = timers.now()
  /** Whether both sides had the same when something was last heard of the peer. */
  let isEven = false
  let isDoneHeard = false
  /** By its word the peer has another log under the number of this machine. */
  let isDisputed = false
  let sliceFrom = performance.now()

  const moved = (): void => {
    progressAt = timers.now()
    changed()
  }
  /** The time by the peer's clock, as far as it said it; by this machine's before that. */
  const timeThere = (): number =>
    hello === undefined ? clock.now() : hello.time + Math.floor(timers.now() - greetedAt)
  const isOpen = (): boolean => state === 'catching_up' || state === 'open'
  /** What it has of another log is nothing of what was written here. */
  const acked = (): Vector =>
    isDisputed ? new Map(view.vector()).set(replica.identity().inc, parts.hadOwn ?? 0) : view.vector()

  const sender = createSendLog({
    replica,
    now: () => timers.now(),
    wakeIn: createWake(times, () => outgoing.wake()),
  })
  const mayHave = (): boolean => parts.mayHave?.(peer) ?? true
  const outgoing = createOutgoing({ link, next: () => (mayHave() ? sender.next() : undefined), failed })
  const say = (...frames: readonly Frame[]): void => outgoing.say(...frames)
  const pings = createPings(say)
  const reader = createReader({
    ...{ replica, peer, mayHave, say },
    isDevice: kind === 'device',
    resume() {
      sender.sayDone()
      outgoing.wake()
      check.changed()
      changed()
    },
  })
  const receiver = createReceiveLog({
    replica,
    kind,
    now: () => timers.now(),
    later: (ms, run) => void times.after(ms, run),
    say,
    stored({ inc, seq }, count) {
      view.stored(inc, count)
      peerHas(new Map([[inc, seq]]))
      moved()
      settle()
    },
    notStored: sender.notStored,
    refused(code, item, isFault) {
      lastError = code
      if (kind === 'relay') view.leaveOut(item.inc)
      if (code === 'fork') tellFork(item.inc)
      if (isFault) blame(code, item)
      else say({ kind: 'ERR', code, item })
      if (code === 'fork' || code === 'invalid') showHead(item.inc)
      changed()
    },
    roundTrip: pings.ask,
    failed,
  })
  const barriers = createBarriers({
    timers: times,
    sender,
    vector: replica.vector,
    acked,
    wake: () => outgoing.wake(),
  })
  const check = createDocumentCheck({
    replica,
    peer,
    kind,
    clock,
    timers: times,
    say,
    bad: (code) => blame(code),
    isEqual: () => isOpen() && mayHave() && view.isEqual(),
    mayHave,
    onChange: moved,
    differs() {
      lastError = 'documents_differ'
      log.warn({ peer }, 'Documents differ from those of a peer after they were repaired.')
    },
  })

  function failed(error: unknown): void {
    log.error({ peer, err: error }, 'A session with a peer failed.')
    lastError = isDiskFull(error) ? 'disk_full' : 'failed'
    // Nothing but room on this disk helps, which people at the other machine are to know.
    if (lastError === 'disk_full') link.offer(encodeFrame({ kind: 'ERR', code: lastError }))
    link.close('failed')
  }

  /** Ends a session in which both sides cannot go on. */
  function refuse(code: GreetingRefusal | 'out_of_order' | 'silent'): undefined {
    if (state !== 'opening') return
    state = 'refused'
    lastError = code
    log.warn({ peer, code }, 'A peer was refused.')
    link.offer(encodeFrame({ kind: 'ERR', code }))
    link.close(code === 'device_revoked' || code === 'device_unknown' ? 'unpaired' : 'protocol')
    changed()
  }

  /** Holds something against the peer. */
  function blame(code: string, item?: Position): undefined {
    if (state === 'opening') return refuse('out_of_order')
    if (!isOpen()) return
    hold(code, { kind: 'ERR', code, ...(item && { item: { inc: item.inc, seq: item.seq } }) })
  }

  function hold(code: string, word: FrameOf<'ERR'>): void {
    lastError = code
    say(word)
    if (bad.add()) {
      state = 'paused'
      parts.onPaused?.(code)
      log.warn({ peer, code, count: bad.total() }, 'A peer sent too much that cannot be used.')
      link.offer(encodeFrame({ kind: 'ERR', code: 'paused', detail: code }))
      link.close('protocol')
    }
    changed()
  }

  /**
   * Holds against the peer what it wrote itself; what it only passes on it may have to store before anybody can judge it.
   * The word names no item: what is stored is not to be sent again.
   */
  function blameWriter({ device, inc, seq, reason }: Quarantined): void {
    if (kind !== 'device' || device !== peer || !isOpen()) return
    const code = `envelope_${reason}`
    hold(code, { kind: 'ERR', code, detail: `${inc}/${seq}` })
  }

  /** Once for each incarnation: a peer that says so without end must not make its host act without end. */
  function tellFork(inc: number): void {
    if (forks.size >= forkLimit || forks.has(inc)) return
    forks.add(inc)
    hooks.onFork?.(peer, inc)
  }

  /** Shows a device what it signed under its number and is here: it believes nobody without that. */
  function showHead(inc: number): void {
    if (kind !== 'device' || inc !== hello?.inc) return
    const to = replica.vector().get(inc) ?? 0
    const head = replica.read({ inc, from: to, to }, 0).heads.at(-1)
    if (head !== undefined) say({ kind: 'ENV', envelopes: [], head })
  }

  /** Nobody is sent what is not on disk here. */
  function dispute(vector: Vector): boolean {
    const { inc } = replica.identity()
    return (isDisputed ||= (vector.get(inc) ?? 0) > (replica.vector().get(inc) ?? 0))
  }

  function peerHas(vector: Vector): void {
    dispute(vector)
    const news = view.has(vector)
    if (news === 'too_much') return blame('vector_too_large')
    sender.acknowledged(vector)
    outgoing.wake()
    isEven = view.isEqual()
    if (news === 'known') return
    moved()
    check.changed()
  }

  function greet(frame: FrameOf<'HELLO'>): void {
    if (state !== 'opening' || hello !== undefined) return blame('out_of_order')
    const own = replica.identity()
    const refusal = judgeHello(frame, own, { kind, peer })
    if (refusal !== undefined) return refuse(refusal)
    hello = frame
    greetedAt = timers.now()
    const offset = frame.time - clock.now()
    // The greeting was on its way for about half of what a question and its answer take.
    pings.ask(() => void (clockOffsetMs = Math.round(offset + Math.min(greetedAt, timers.now() - greetedAt) / 2)))
    if (kind === 'relay') open(frame)
  }

  function authenticate(frame: FrameOf<'AUTH'>): void {
    if (state !== 'opening' || hello === undefined || kind === 'relay') return blame('out_of_order')
    const refusal = judgeAuth(frame, hello.device, parts)
    if (refusal !== undefined) return refuse(refusal)
    open(hello)
  }

  function open({ vector, inc, appVersion }: FrameOf<'HELLO'>): void {
    cancelGreeting()
    state = 'catching_up'
    log.info({ peer, kind, appVersion }, 'A peer is connected.')
    const own = replica.identity()
    if (dispute(vector) || inc === own.inc) {
      // By its word alone, which changes nothing here: where it is true, what this machine signed follows.
      lastError = 'collision'
      log.error({ peer, inc: own.inc }, 'A peer has more of the incarnation of this machine than the machine itself.')
    }
    if ((replica.vector().get(inc) ?? 0) > (vector.get(inc) ?? 0)) showHead(inc)
    view.has(vector)
    sender.start(vector)
    reader.look()
    moved()
    outgoing.wake()
    settle()
  }

  /** The first exchange is over once each side has said and got what the other one lacked. */
  function settle(): void {
    if (state !== 'catching_up' || !isDoneHeard || !sender.isDone() || view.behindThem() > 0) return
    state = 'open'
    check.start()
    if (kind === 'device') replica.retryFailed()
    changed()
  }

  function gather(gathered: Gathered): Promise<void> | undefined {
    if (!gathered.ok) return blame(gathered.code)
    const { run } = gathered
    if (run === undefined) return undefined
    const { epoch, inc } = replica.identity()
    if (run.envelopes.some((envelope) => envelope.epoch !== epoch)) return blame('epoch_mismatch', run.head)
    // A head alone says something to whoever signed it, and to nobody else.
    if (run.envelopes.length === 0 && run.head.inc !== inc) return undefined
    // Before it is stored: what grows the log here must not go back to where it came from.
    sender.came(run.head)
    return receiver.take(run)
  }

  function hear(frame: FrameOf<'ERR'>): void {
    if (notSentCodes.has(frame.code) && frame.detail !== undefined) return check.notSent(frame.detail)
    lastError = frame.code
    if (frame.item !== undefined) {
      sender.refused(frame.item, frame.code)
    } else if (isOpen()) admissions.answered(false)
    if (state === 'opening') {
      state = 'refused'
      if (frame.code === 'epoch_mismatch') lastError = 'sync_epoch_mismatch'
    }
    changed()
  }

  function takeOpen(frame: Exclude<Frame, FrameOf<'HELLO' | 'AUTH'>>): void | Promise<void> {
    // Who is sent something of the log again may have everything again.
    if (lastError === narrowedCode && (frame.kind === 'ENV' || frame.kind === 'DONE')) lastError = undefined
    switch (frame.kind) {
      case 'ENV':
        return gather(openRuns.add(frame))
      case 'ENVPART':
        return gather(openRuns.addPart(frame))
      case 'ACK':
        peerHas(frame.vector)
        return settle()
      case 'DONE':
        isDoneHeard = true
        peerHas(frame.vector)
        return receiver.whenIdle(() => {
          receiver.done(frame.vector)
          settle()
        })
      case 'WANT':
        if (!sender.want(frame)) return blame('want_acknowledged', { inc: frame.inc, seq: frame.from })
        return outgoing.wake()
      case 'BARRIER':
        if (!frame.reply) return receiver.whenIdle(() => say({ kind: 'BARRIER', id: frame.id, reply: true }))
        return barriers.answered(frame.id) ? undefined : blame('barrier_unexpected')
      case 'LIVE':
        return hooks.onLive?.(peer, frame.doc, frame.update)
      case 'AWARE':
        return hooks.onAware?.(peer, frame.doc, frame.update)
      case 'GRANT':
      case 'REVOKE':
        return kind === 'relay' ? admissions.answered(true) : blame('unexpected')
      case 'NARROW':
        return blame('unexpected')
      case 'DIGESTHASH':
      case 'DIGEST':
        return kind === 'device' ? check.digest(frame) : blame('unexpected')
      case 'BUCKET':
        return kind === 'device' ? check.bucket(frame) : blame('unexpected')
      case 'DOCSYNC':
        return kind === 'device' ? check.docSync(frame) : blame('unexpected')
      case 'PLACE':
        return kind === 'device' ? hooks.onPlace?.(peer, frame.addresses) : blame('unexpected')
      case 'PING':
        return say({ kind: 'PONG', id: frame.id })
      case 'PONG':
        return pings.answered(frame.id)
      case 'ERR':
        return hear(frame)
      case 'unknown':
        return undefined
    }
  }

  function take(frame: Frame): void | Promise<void> {
    if (frame.kind === 'HELLO') return greet(frame)
    if (frame.kind === 'AUTH') return authenticate(frame)
    if (isOpen()) return takeOpen(frame)
    if (state !== 'opening') return undefined
    if (frame.kind === 'ERR') return hear(frame)
    if (frame.kind === 'PING') return say({ kind: 'PONG', id: frame.id })
    return frame.kind === 'PONG' ? pings.answered(frame.id) : refuse('out_of_order')
  }

  async function consume(message: Uint8Array): Promise<void> {
    lastSeenAt = clock.iso()
    try {
      await take(decodeFrame(message))
    } catch (error) {
      if (!(error instanceof WireError)) {
        failed(error)
        throw error
      }
      // Whoever speaks another version opens with it: in words, so that somebody can tell which side is to be updated.
      if (error.code === 'unsupported') refuse('protocol_unsupported')
      blame(`wire_${error.code}`)
    }
    await outgoing.untilLow()
    if (performance.now() - sliceFrom < sliceMs) return
    await nextTurn()
    sliceFrom = performance.now()
  }

  function stop(): void {
    cancelGreeting()
    if (state !== 'paused' && state !== 'refused') state = 'closed'
    stopGrown()
    stopQuarantined()
    stopDamaged()
    stopApplied()
    for (const part of [receiver, check, barriers, outgoing, admissions, times]) part.stop()
    changed()
  }

  const cancelGreeting = timers.after(greetingMs, () => refuse('silent'))
  const stopGrown = replica.onGrown(() => {
    // Before it there was nothing to do, and standing still was no sign of anything.
    if (isEven) progressAt = timers.now()
    isEven = false
    // After those who wait for the write have their answer: noting what leaves costs a write to the disk.
    setImmediate(() => {
      outgoing.wake()
      if (!isOpen()) return
      reader.look()
      check.changed()
      changed()
    })
  })
  const stopQuarantined = replica.onQuarantined(blameWriter)
  const stopDamaged = replica.onDamaged((doc) => {
    if (isOpen() && kind === 'device' && replica.mayMend(peer)) check.mend(doc)
  })
  const stopApplied = replica.onApplied(() => {
    changed()
    if (!isOpen()) return
    reader.look()
    check.changed()
    receiver.reconsider()
  })
  say(...greetingFrames(parts))
  link.onClose(({ reason, here }) => {
    log.info({ peer, reason, here, ...(lastError !== undefined && { lastError }) }, 'A session has ended.')
    if (reason === 'unpaired' && state === 'opening') state = 'refused'
    stop()
  })
  link.onMessage(consume)

  return {
    peer,
    kind,
    status(): SessionStatus {
      const proof = check.proof()
      return {
        peer,
        kind,
        state,
        behindThem: view.behindThem(),
        behindUs: hello === undefined ? 0 : view.behindUs(),
        incoming: view.incoming(),
        ...link.traffic(),
        repairs: check.repairs(),
        refused: bad.total(),
        lastSeenAt,
        ...(clockOffsetMs !== undefined && { clockOffsetMs }),
        ...(lastError !== undefined && { lastError }),
        ...(proof && { proof }),
        ...(hello && { appVersion: hello.appVersion, protocol: commonProtocol(hello) }),
      }
    },
    /** What the peer has acknowledged, over this link. */
    acked,
    /** The time by the peer's clock, in milliseconds since 1970. */
    time: timeThere,
    /** Milliseconds, of a clock that nobody sets, at which something last moved on. */
    lastProgress: (): number => progressAt,
    /** Asks the peer to compare digests now; resolves with the proof, or null when there is none in time. */
    verify: (timeoutMs: number): Promise<Proof | null> => (isOpen() ? check.verify(timeoutMs) : Promise.resolve(null)),
    /** Waits until everything written so far is on the peer's disk. */
    barrier: barriers.wait,
    /** Sends an update of an open text. @returns false: it was dropped */
    sendLive: (doc: string, update: Uint8Array): boolean => lose({ kind: 'LIVE', doc, update }, frameLimit - 2048),
    /** Sends who is in an open text. @returns false: it was dropped */
    sendAware: (doc: string, update: Uint8Array): boolean => lose({ kind: 'AWARE', doc, update }, awarenessLimit),
    /** Sends something beside the documents, which go first. @returns false: nobody is there */
    sendLast(doc: string, update: Uint8Array): boolean {
      if (!isOpen() || (kind === 'relay' && !mayHave())) return false
      outgoing.sayLast({ kind: 'LIVE', doc, update })
      return true
    },
    /** To be called when the peer may have become one that may have everything, or may not any more. */
    lookAtRights(): void {
      if (isOpen()) reader.look()
    },
    /** Says where this machine listens by now; calls back once the peer has read it. */
    sayPlace(addresses: readonly string[], heard: () => void): void {
      say({ kind: 'PLACE', addresses: [...addresses] })
      pings.ask(heard)
    },
    /** Holds something against the peer that was found beside its log. */
    blame: (code: string): void => blame(code),
    /** Tells a relay to admit a device or to close it out, and why; resolves with whether it counts. */
    admit(word: AdmissionWord, signKey: Uint8Array): Promise<boolean> {
      if (kind !== 'relay' || !isOpen()) return Promise.resolve(false)
      const { workspace } = replica.identity()
      // By the clock of the relay: of what machines say by their own, the word of one that is ahead would count for years.
      const about = { signer: parts.keys, workspace, key: signKey, at: timeThere() }
      const words = word === 'NARROW' ? ([word, 'REVOKE'] as const) : [word]
      return admissions.ask(() => say(...words.map((one) => sayAdmission(one, about))))
    },
    /** Hears that the status may have changed, several changes at once. Answers how to stop. */
    onChange: bell.onRing,
    /** Ends the link. */
    close: (reason: 'done' | 'stopping' | 'unpaired' | 'replaced' = 'done'): void => link.close(reason),
  }

  function lose(frame: FrameOf<'LIVE' | 'AWARE'>, limit: number): boolean {
    return isOpen() && mayHave() && frame.update.length <= limit && outgoing.sayLosable(frame)
  }
}
