// Owns the words for how sync stands: one line for the sign in the top bar, reasons, moments, durations. Pure: it is told
// what the host says and what time it is. Knows no screen.
import { locale } from '../../lib/language.ts'
import { t, tn } from '../../lib/strings.ts'
import type { SyncPeer, SyncProblem, SyncStatus } from './sync-queries.ts'

/** How a state looks: its colour is never the only sign, each has a picture and words too. */
export type Tone = 'good' | 'quiet' | 'busy' | 'warn' | 'bad'

/** A moment as short as it is clear: only the time when it is of today, the day before it otherwise. */
export function shortMoment(iso: string, now: Date): string {
  const at = new Date(iso)
  const time = at.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  if (at.toDateString() === now.toDateString()) return time
  const sameYear = at.getFullYear() === now.getFullYear()
  const day = at.toLocaleDateString(locale, {
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' }),
  })
  return `${day}, ${time}`
}

/** Names as a list of the language: `Laptop, Relay`. */
export function listNames(devices: readonly { name: string }[]): string {
  return devices.map(({ name }) => name).join(', ')
}

/** Problems a person can do something about: conflicts, what others did not accept, and changes set aside or refused. */
export function problemCount(status: SyncStatus): number {
  const { conflicts, refused, parked, quarantined } = status.counts
  return conflicts + refused + parked + quarantined
}

/**
 * The proof that this device holds what others hold; undefined unless the host both says so and tells when it was
 * proved. Only this makes anything on a screen say "up to date". @source design of sync, requirement R4
 */
export function proofOf(status: SyncStatus): NonNullable<SyncStatus['proof']> | undefined {
  return status.state === 'up_to_date' && status.proof && status.proof.at !== '' ? status.proof : undefined
}

/** One line about how sync stands. */
export function stateText(status: SyncStatus, now: Date): string {
  const { outgoing, incoming } = status
  switch (status.state) {
    case 'up_to_date': {
      const proof = proofOf(status)
      if (!proof) return t('sync.state.unproved')
      const time = shortMoment(proof.at, now)
      if (proof.with.length === 0) return t('sync.state.up_to_date', { time })
      const line = t('sync.state.up_to_date.with', { time, names: listNames(proof.with) })
      const [away, ...others] = proof.without
      if (away === undefined) return line
      return t('sync.state.up_to_date.without', {
        line,
        away: others.length === 0 ? awayText(away, now) : tn('sync.away.some', proof.without.length),
      })
    }
    case 'preparing': {
      const { progress } = status
      return progress && progress.total > 0 ? t('sync.state.preparing.of', { ...progress }) : t('sync.state.preparing')
    }
    case 'sending':
      if (outgoing.waiting > 0) return t('sync.state.sending.of', { count: outgoing.waiting })
      return t(status.reason === 'checking' ? 'sync.state.checking' : 'sync.state.sending')
    case 'receiving': {
      const { remaining, total } = incoming
      if (total <= 0) return t('sync.state.receiving')
      return t('sync.state.receiving.of', { done: Math.max(0, total - remaining), total })
    }
    case 'offline':
      if (outgoing.waiting === 0) return t('sync.state.offline')
      return outgoing.oldestAt === undefined
        ? tn('sync.state.offline.waiting', outgoing.waiting)
        : tn('sync.state.offline.since', outgoing.waiting, { time: shortMoment(outgoing.oldestAt, now) })
    case 'attention': {
      const { refused, keptHere } = status.counts
      if (status.reason === 'not_accepted') return tn('sync.state.refused', refused)
      if (status.reason === 'kept_here') return tn('sync.state.kept', keptHere)
      const count = problemCount(status)
      if (count > 0) return t('sync.state.attention.of', { count })
      return status.reason === undefined
        ? t('sync.state.attention')
        : t('sync.state.attention.why', { reason: reasonText(status.reason) })
    }
    case 'stalled':
      return status.reason === undefined
        ? t('sync.state.stalled')
        : t('sync.state.stalled.why', { reason: reasonText(status.reason) })
    case 'off':
    case 'local_only':
      return t(`sync.state.${status.state}`)
  }
}

/** A machine that a proof says nothing of: `Tablet away since 20 Nov, 09:10`. */
export function awayText(device: { name: string; lastSeenAt: string | null }, now: Date): string {
  const { name, lastSeenAt } = device
  return lastSeenAt === null
    ? t('sync.away.never', { name })
    : t('sync.away.since', { name, time: shortMoment(lastSeenAt, now) })
}

/** For how long a person is told that a copy of the data folder was put in its place. */
const putBackMs = 14 * 86_400_000

/** That a copy of the data folder was put in its place a short while ago; undefined where there was none. */
export function putBackText({ putBackAt }: Pick<SyncStatus, 'putBackAt'>, now: Date): string | undefined {
  if (putBackAt === undefined || now.getTime() - Date.parse(putBackAt) > putBackMs) return undefined
  return t('sync.fact.put_back.text', { time: shortMoment(putBackAt, now) })
}

/** The colour of a state. */
export function toneOf(status: SyncStatus): Tone {
  switch (status.state) {
    case 'up_to_date':
      return proofOf(status) ? 'good' : 'quiet'
    case 'preparing':
    case 'sending':
    case 'receiving':
      return 'busy'
    case 'offline':
      return status.outgoing.waiting > 0 ? 'warn' : 'quiet'
    case 'attention':
      return 'warn'
    case 'stalled':
      return 'bad'
    case 'off':
    case 'local_only':
      return 'quiet'
  }
}

const reasons = [
  'not_answered',
  'not_received',
  'not_acknowledged',
  'not_proved',
  'not_applied',
  'not_projected',
  'paused',
  'unreachable',
  'timeout',
  'wrong_peer',
  'refused',
  'not_accepted',
  'kept_here',
  'unpaired',
  'silent',
  'lost',
  'failed',
  'protocol',
  'too_large',
  'conflicts',
  'problems',
  'waiting',
  'checking',
  'rights',
  'collision',
  'documents_differ',
  'sync_epoch_mismatch',
  'listen_failed',
  'keys_unreadable',
  'not_started',
  'disk_full',
] as const

/** Words for why something stands as it does; the host's own where there are none. */
export function reasonText(reason: string): string {
  // A change of this device that lies aside on another one.
  if (reason.startsWith('envelope_')) return t('sync.reason.not_accepted')
  const known = reasons.find((each) => each === reason)
  return known ? t(`sync.reason.${known}`) : reason
}

const pairingReasons = [
  'rights',
  'organizations',
  'workspace_not_empty',
  'version',
  'code_invalid',
  'too_many_tries',
  'used',
  'expired',
  'not_matching',
  'cancelled',
  'protocol',
  'connection',
  'payload',
  'unreachable',
  'timeout',
  'wrong_peer',
  'refused',
  'not_listening',
  'relay_unreachable',
  'relay_busy',
  'not_comparing',
  'under_way',
] as const

/** Words for why two devices were not connected. */
export function refusalText(reason: string | undefined): string {
  if (reason === undefined) return t('pair.refused.connection')
  const known = pairingReasons.find((each) => each === reason)
  return known ? t(`pair.refused.${known}`) : t('pair.refused.other', { reason })
}

const problemReasons = [
  'newer_schema',
  'missing_dep',
  'group_incomplete',
  'unknown_kind',
  'forbidden',
  'invalid',
  'too_big',
  'bad_signature',
  'crashed',
] as const

/** Words for why a change is not in its place; the host's own where there are none. */
export function waitText(reason: string): string {
  const known = problemReasons.find((each) => each === reason)
  return known ? t(`wait.reason.${known}`) : reason
}

/** Words for what happened to a change. */
export function problemKindText(kind: SyncProblem['kind']): string {
  return t(`wait.kind.${kind}`)
}

const units = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1_000],
] as const

/** A duration in its largest unit: `2 hours`. */
export function durationText(ms: number): string {
  const [unit, size] = units.find(([, each]) => Math.abs(ms) >= each) ?? units[3]
  return tn(`peers.time.${unit}`, Math.round(Math.abs(ms) / size))
}

/** Below this a clock that differs is not worth a word; above it concurrent edits may be ranked wrongly. */
const clockMs = 2_000

/** A warning about the clock of a device; undefined for one that is right. */
export function clockText(peer: Pick<SyncPeer, 'clockOffsetMs'>): string | undefined {
  const offset = peer.clockOffsetMs
  if (offset == null || Math.abs(offset) <= clockMs) return undefined
  return t(offset > 0 ? 'peers.ahead' : 'peers.behind', { time: durationText(offset) })
}

/** How far two devices are apart, as up to two lines. */
export function stepTexts(peer: Pick<SyncPeer, 'behindThem' | 'behindUs'>): string[] {
  const { behindThem, behindUs } = peer
  if (behindThem == null && behindUs == null) return [t('peers.step.unknown')]
  const lines: string[] = []
  if (behindThem) lines.push(tn('peers.step.them', behindThem))
  if (behindUs) lines.push(tn('peers.step.us', behindUs))
  return lines.length === 0 ? [t('peers.step.equal')] : lines
}

/** Minutes and seconds that are left: `4:32`. */
export function countdownText(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Digits in groups that can be read aloud: seven as `123 4567`, six as `123 456`. */
export function groupDigits(digits: string): string {
  return digits.length > 4 ? `${digits.slice(0, 3)} ${digits.slice(3)}` : digits
}

/** Digits one by one, for readers. */
export function spellDigits(digits: string): string {
  return [...digits].join(' ')
}

/** A fingerprint in groups of four, so that two can be compared by eye. */
export function groupFingerprint(fingerprint: string): string {
  const plain = fingerprint.replaceAll(/[^0-9a-z]/gi, '')
  return (plain.match(/.{1,4}/g) ?? []).join(' ')
}
