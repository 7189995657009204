// Owns the sign of sync in the top bar: one line about how it stands, and a popover with the facts behind it. Nothing is
// shown where sync is off or absent. Readers are told of a new state, not of every figure.
import { Button, Popover, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { CheckButton } from './check-button.tsx'
import { StateIcon } from './state-icon.tsx'
import { StatusFacts } from './status-facts.tsx'
import { syncPath } from './sync-places.ts'
import type { SyncStatus } from './sync-queries.ts'
import { reasonText, stateText, toneOf } from './sync-words.ts'
import { useNow } from './use-now.ts'
import { isOn, useSyncEvents, useSyncStatus } from './use-sync-status.ts'
import { useUnsentGuard } from './use-unsent-guard.ts'
import classes from './sync.module.css'

/** Times of today become times of yesterday. */
const clockMs = 60_000

/** The sign; also keeps everything about sync on the screen fresh, and asks before unsent changes are left behind. */
export function SyncPill() {
  const status = useSyncStatus()
  useSyncEvents(status)
  useUnsentGuard(status)
  return isOn(status) ? <Pill status={status} /> : null
}

function Pill(props: { status: SyncStatus }) {
  const { status } = props
  const [opened, setOpened] = useState(false)
  const now = useNow(clockMs)
  const line = stateText(status, now)
  const why = status.state === 'attention' && status.reason ? `${line}: ${reasonText(status.reason)}` : line
  return (
    <>
      <Popover
        opened={opened}
        onChange={setOpened}
        position="bottom-end"
        transitionProps={{ duration: 0 }}
        width="min(320px, calc(100vw - 24px))"
        floatingStrategy="fixed"
        trapFocus
        returnFocus
        withinPortal={false}
      >
        <Popover.Target>
          <UnstyledButton
            className={classes.pill}
            data-tone={toneOf(status)}
            aria-label={t('sync.pill', { state: line })}
            title={why}
            onClick={() => setOpened(!opened)}
          >
            <StateIcon status={status} size={16} />
            <span className={`${classes.pillText} cairn-numbers`}>{line}</span>
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('sync.pill.title')}>
          <p className={classes.popLine} data-tone={toneOf(status)}>
            <StateIcon status={status} size={16} />
            {line}
          </p>
          <StatusFacts status={status} now={now} withDevice />
          <div className={parts.actions}>
            <CheckButton size="compact-sm" />
            <Button
              component="a"
              href={`#${syncPath}`}
              size="compact-sm"
              variant="default"
              onClick={() => setOpened(false)}
            >
              {t('sync.open')}
            </Button>
          </div>
        </Popover.Dropdown>
      </Popover>
      <Announcer status={status} line={line} />
    </>
  )
}

/** Says the line when the state is another one. Figures that count up and down are left to whoever looks. */
function Announcer(props: { status: SyncStatus; line: string }) {
  const { state } = props.status
  const [said, setSaid] = useState({ state, line: '' })
  if (said.state !== state) setSaid({ state, line: t('sync.pill', { state: props.line }) })
  return (
    <span role="status" className="cairn-hidden">
      {said.line}
    </span>
  )
}
