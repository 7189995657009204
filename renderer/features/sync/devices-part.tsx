// Owns the first part of the screen of sync: how it stands, this device, and the other devices.
import { Button, Progress } from '@mantine/core'
import { useState } from 'react'
import parts from '../../components/parts.module.css'
import { formatBytes } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { AsidePart } from './aside-part.tsx'
import { CheckButton } from './check-button.tsx'
import { OwnNameDialog } from './peer-dialog.tsx'
import { PeerList } from './peer-list.tsx'
import { StateIcon } from './state-icon.tsx'
import { StatusFacts } from './status-facts.tsx'
import type { SyncStatus } from './sync-queries.ts'
import { groupFingerprint, stateText, toneOf } from './sync-words.ts'
import { useNow } from './use-now.ts'
import classes from './sync.module.css'

const clockMs = 60_000

/** The part. */
export function DevicesPart(props: { status: SyncStatus; mayManage: boolean }) {
  const { status } = props
  const now = useNow(clockMs)
  const line = stateText(status, now)
  const share = shareOf(status)
  return (
    <>
      <div className={classes.cards}>
        <section className={classes.card} aria-labelledby="sync-status">
          <h2 id="sync-status">{t('status.title')}</h2>
          <p className={`${classes.line} cairn-numbers`} data-tone={toneOf(status)}>
            <StateIcon status={status} size={20} />
            {line}
          </p>
          {share !== undefined && (
            <Progress.Root size="md">
              <Progress.Section value={share} aria-label={t('status.title')} aria-valuetext={line} />
            </Progress.Root>
          )}
          <StatusFacts status={status} now={now} />
          <p className={classes.help}>{t('status.proofHelp')}</p>
          <CheckButton />
        </section>
        {status.device && (
          <section className={classes.card} aria-labelledby="sync-own">
            <h2 id="sync-own">{t('own.title')}</h2>
            <dl className={parts.facts}>
              <dt>{t('word.name')}</dt>
              <dd>{status.device.name}</dd>
              <dt>{t('word.fingerprint')}</dt>
              <dd>
                <code className={classes.fingerprint}>{groupFingerprint(status.device.fingerprint)}</code>
              </dd>
              <dt>{t('status.size')}</dt>
              <dd>{formatBytes(status.logBytes)}</dd>
            </dl>
            <p className={classes.help}>{t('own.fingerprint.help')}</p>
            {props.mayManage && status.device.role === 'admin' && <Rename name={status.device.name} />}
          </section>
        )}
      </div>
      <PeerList mayManage={props.mayManage} now={now} />
      {props.mayManage && <AsidePart />}
    </>
  )
}

function Rename(props: { name: string }) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {t('word.renameDots')}
      </Button>
      <OwnNameDialog name={props.name} opened={opened} onClose={() => setOpened(false)} />
    </>
  )
}

/** How much of what is under way is done, in percent; undefined when nothing is. */
function shareOf({ state, progress, incoming }: SyncStatus): number | undefined {
  const part = progress ?? { done: incoming.total - incoming.remaining, total: incoming.total }
  if ((state !== 'preparing' && state !== 'receiving') || part.total <= 0) return undefined
  return Math.floor((Math.max(0, part.done) / part.total) * 100)
}
