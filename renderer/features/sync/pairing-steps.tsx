// Owns the steps both sides of a pairing share, from the number two people compare to the end. What is shown before that,
// and what comes after, is each side's own.
import { Button, Group, Progress } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { Step } from './step.tsx'
import type { Pairing } from './sync-queries.ts'
import { groupDigits, groupFingerprint, refusalText, spellDigits } from './sync-words.ts'
import classes from './sync.module.css'

/** The step a pairing is at. */
export function PairingSteps(props: {
  pairing: Pairing
  /** What is shown until the other device has come. */
  waiting: ReactNode
  /** Ways on after the end, good or bad. */
  onDone: ReactNode
  onFailed: ReactNode
  /** Asks where the pairing stands. */
  onAnswered: () => void
}) {
  const { pairing } = props
  switch (pairing.state) {
    case 'waiting':
      return props.waiting
    case 'comparing':
      return <Compare pairing={pairing} onAnswered={props.onAnswered} />
    case 'confirmed':
      return <Confirmed pairing={pairing} />
    case 'transferring':
      return <Transfer pairing={pairing} />
    case 'done':
      return (
        <Step title={t(pairing.side === 'inviter' ? 'pair.done.out' : 'pair.done.in', { name: otherName(pairing) })}>
          <p className={classes.text}>{t(pairing.side === 'inviter' ? 'pair.done.out.text' : 'pair.done.in.text')}</p>
          <Group justify="flex-end">{props.onDone}</Group>
        </Step>
      )
    case 'failed':
    case 'expired':
      return (
        <Step title={t('pair.failed')}>
          <Notice tone="bad">
            {refusalText(pairing.state === 'expired' ? 'expired' : pairing.reason)} {t('pair.nothing')}
          </Notice>
          <Group justify="flex-end">{props.onFailed}</Group>
        </Step>
      )
  }
}

function otherName({ peer }: Pairing): string {
  return peer?.name ?? t('pair.other')
}

function Compare(props: { pairing: Pairing; onAnswered: () => void }) {
  const { pairing } = props
  const [busy, setBusy] = useState<boolean>()
  const [problem, setProblem] = useState<unknown>()
  const answer = async (matches: boolean): Promise<void> => {
    setBusy(matches)
    setProblem(undefined)
    try {
      await call('confirmPairing', { params: { id: pairing.pairingId }, body: { matches } })
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(undefined)
    }
    props.onAnswered()
  }
  return (
    <Step title={t('pair.compare')}>
      <Digits digits={pairing.comparison ?? ''} label="pair.compare.number" />
      <dl className={parts.facts}>
        <dt>{t('pair.compare.name')}</dt>
        <dd>{otherName(pairing)}</dd>
        {pairing.peer && (
          <>
            <dt>{t('pair.compare.fingerprint')}</dt>
            <dd>
              <code className={classes.fingerprint}>{groupFingerprint(pairing.peer.fingerprint)}</code>
            </dd>
          </>
        )}
      </dl>
      <p className={classes.text}>{t('pair.compare.help')}</p>
      {problem !== undefined && (
        <Notice tone="bad" live>
          {problemText(problem)}
        </Notice>
      )}
      <Group justify="flex-end">
        <Button variant="default" loading={busy === false} disabled={busy === true} onClick={() => void answer(false)}>
          {t('pair.compare.no')}
        </Button>
        <Button loading={busy === true} disabled={busy === false} onClick={() => void answer(true)}>
          {t('pair.compare.yes')}
        </Button>
      </Group>
    </Step>
  )
}

function Confirmed(props: { pairing: Pairing }) {
  const { pairing } = props
  const digits = pairing.comparison ?? ''
  return (
    <Step title={t('pair.confirmed')}>
      <Digits digits={digits} label="pair.compare.number" />
      <p className={classes.text} role="status">
        {t('pair.confirmed.text', { name: otherName(pairing), digits: groupDigits(digits) })}
      </p>
    </Step>
  )
}

function Transfer(props: { pairing: Pairing }) {
  const { pairing } = props
  const side = pairing.side === 'inviter' ? 'out' : 'in'
  const { done, total } = pairing.progress ?? { done: 0, total: 0 }
  const line = total > 0 ? t(`pair.progress.${side}`, { done, total }) : ''
  return (
    <Step title={t(`pair.transfer.${side}`, { name: otherName(pairing) })}>
      <Progress.Root size="lg">
        <Progress.Section
          value={total > 0 ? Math.floor((done / total) * 100) : 0}
          aria-label={t('pair.transfer.bar')}
          aria-valuetext={line}
        />
      </Progress.Root>
      <p className={`${classes.text} cairn-numbers`}>{line}</p>
      <p className={classes.text}>{t('pair.transfer.text')}</p>
    </Step>
  )
}

/** Digits to be read off a screen: large, in groups; one by one for readers. */
export function Digits(props: { digits: string; label: 'pair.compare.number' | 'pair.code.spelled' }) {
  return (
    <p className={classes.digits}>
      <span aria-hidden>{groupDigits(props.digits)}</span>
      <span className="cairn-hidden">{t(props.label, { digits: spellDigits(props.digits) })}</span>
    </p>
  )
}
