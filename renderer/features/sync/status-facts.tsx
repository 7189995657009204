// Owns the facts behind the one line about sync: what waits, what arrives, what was proved when and with whom, and what is
// wrong. Shown in the popover of the sign and on the screen of sync.
import parts from '../../components/parts.module.css'
import { t, tn } from '../../lib/strings.ts'
import { asidePath, conflictsPath } from './sync-places.ts'
import type { SyncStatus } from './sync-queries.ts'
import { awayText, listNames, problemCount, putBackText, shortMoment, reasonText } from './sync-words.ts'

/** The facts as a list of terms. */
export function StatusFacts(props: { status: SyncStatus; now: Date; withDevice?: boolean }) {
  const { status, now } = props
  const { outgoing, incoming, proof, counts, lastError } = status
  // A proof is over with the next change: the host tells of one only while it holds.
  const isAlone = status.state === 'local_only' || status.state === 'preparing'
  const putBack = putBackText(status, now)
  const waiting =
    outgoing.waiting === 0
      ? t('sync.fact.waiting.none')
      : outgoing.oldestAt === undefined
        ? tn('sync.fact.waiting.some', outgoing.waiting)
        : tn('sync.fact.waiting.since', outgoing.waiting, { time: shortMoment(outgoing.oldestAt, now) })
  return (
    <dl className={`${parts.facts} cairn-numbers`}>
      {props.withDevice && status.device && (
        <>
          <dt>{t('sync.fact.device')}</dt>
          <dd>{status.device.name}</dd>
        </>
      )}
      {status.reason !== undefined && status.state !== 'stalled' && (
        <>
          <dt>{t('sync.fact.why')}</dt>
          <dd>{reasonText(status.reason)}</dd>
        </>
      )}
      <dt>{t('sync.fact.waiting')}</dt>
      <dd>{waiting}</dd>
      {incoming.remaining > 0 && (
        <>
          <dt>{t('sync.fact.incoming')}</dt>
          <dd>{tn('sync.fact.incoming.some', incoming.remaining)}</dd>
        </>
      )}
      <dt>{t('sync.fact.proof')}</dt>
      <dd>
        {!proof
          ? t(isAlone ? 'sync.fact.proof.none' : 'sync.fact.proof.over')
          : proof.with.length === 0
            ? shortMoment(proof.at, now)
            : t('sync.fact.proof.with', { time: shortMoment(proof.at, now), names: listNames(proof.with) })}
      </dd>
      {proof !== undefined && proof.without.length > 0 && (
        <>
          <dt>{t('sync.fact.without')}</dt>
          <dd>
            {proof.without.map((device) => (
              <span key={device.id} className={parts.address}>
                {awayText(device, now)}
              </span>
            ))}
          </dd>
        </>
      )}
      {putBack !== undefined && (
        <>
          <dt>{t('sync.fact.put_back')}</dt>
          <dd>{putBack}</dd>
        </>
      )}
      <dt>{t('sync.fact.problems')}</dt>
      <dd>
        {problemCount(status) + counts.waiting + counts.repairs + counts.keptHere === 0 && t('sync.fact.problems.none')}
        {(['refused', 'conflicts'] as const).map(
          (kind) =>
            counts[kind] > 0 && (
              <span key={kind} className={parts.address}>
                <a href={`#${conflictsPath}`} className={parts.link}>
                  {tn(`sync.${kind}`, counts[kind])}
                </a>
              </span>
            ),
        )}
        {counts.keptHere > 0 && (
          <span className={parts.address}>
            <a href={`#${conflictsPath}?state=resolved`} className={parts.link}>
              {tn('sync.keptHere', counts.keptHere)}
            </a>
          </span>
        )}
        {(['parked', 'quarantined', 'waiting'] as const).map(
          (kind) =>
            counts[kind] > 0 && (
              <span key={kind} className={parts.address}>
                <a href={`#${asidePath}`} className={parts.link}>
                  {tn(`sync.${kind}`, counts[kind])}
                </a>
              </span>
            ),
        )}
        {counts.repairs > 0 && <span className={parts.address}>{tn('sync.repairs', counts.repairs)}</span>}
        {incoming.partial && <span className={parts.address}>{t('sync.fact.partial')}</span>}
      </dd>
      {lastError && (
        <>
          <dt>{t('sync.fact.error')}</dt>
          <dd>
            {shortMoment(lastError.at, now)}: {reasonText(lastError.reason)}
          </dd>
        </>
      )}
    </dl>
  )
}
