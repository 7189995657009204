// Owns the screen of sync: which of its parts the address shows, and what is shown before it is turned on.
import { Button } from '@mantine/core'
import { IconDevicesPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { EmptyState, LoadFailure, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { DevicesPart } from './devices-part.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { syncPath } from './sync-places.ts'
import { statusQuery, settingsQuery } from './sync-queries.ts'
import type { SyncStatus } from './sync-queries.ts'
import { problemCount } from './sync-words.ts'
import { TurnOnPart } from './turn-on-part.tsx'
import { useMayManage } from './use-may-manage.ts'
import { useSyncStatus } from './use-sync-status.ts'
import { WaitingPart } from './waiting-part.tsx'
import classes from './sync.module.css'
import { KeepFiles } from './keep-files.tsx'
import { ListenForm } from './listen-form.tsx'
import { OffPart } from './off-part.tsx'
import { RelayForm } from './relay-form.tsx'

const everyPart = ['devices', 'connection', 'waiting'] as const

/** The screen; `part` is one of its tabs, the devices when absent. */
export function SyncScreen(props: { part: string | undefined }) {
  const status = useSyncStatus()
  const { error, refetch } = useQuery({ ...statusQuery, enabled: false })
  const mayManage = useMayManage()
  if (status === null) {
    return (
      <Page title={t('devices.title')}>
        <EmptyState title={t('devices.absent')}>{t('devices.absent.text')}</EmptyState>
      </Page>
    )
  }
  if (status === undefined || mayManage === undefined) {
    return (
      <Page title={t('devices.title')}>
        {error && !status ? <LoadFailure error={error} onRetry={() => void refetch()} /> : <Loading />}
      </Page>
    )
  }
  if (status.state === 'off') {
    return (
      <Page title={t('devices.title')} width="narrow">
        {mayManage ? <TurnOnPart name={status.device?.name ?? ''} /> : <ReadOnly />}
      </Page>
    )
  }
  return <Parts status={status} part={props.part} mayManage={mayManage} />
}

function Parts(props: { status: SyncStatus; part: string | undefined; mayManage: boolean }) {
  const { status, mayManage } = props
  const [inviting, setInviting] = useState(false)
  // How this device is reached is told only to who may change it.
  const shown = everyPart.filter((part) => mayManage || part !== 'connection')
  const chosen = shown.find((part) => part === props.part) ?? 'devices'
  const tabs = shown.map((key) => ({
    key,
    label: t(`devices.tab.${key}`),
    ...(key === 'waiting' ? { count: problemCount(status) } : {}),
  }))
  const invite = (
    <Button leftSection={<IconDevicesPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
      {t('word.addADevice')}
    </Button>
  )
  return (
    <Page title={t('devices.title')} actions={mayManage && invite}>
      {!mayManage && (
        <div className={classes.note}>
          <ReadOnly />
        </div>
      )}
      <TabbedParts
        label={t('devices.parts')}
        tabs={tabs}
        chosen={chosen}
        onChoose={(key) => navigate(key === 'devices' ? syncPath : `${syncPath}/${key}`, { replace: true })}
      >
        {chosen === 'devices' && <DevicesPart status={status} mayManage={mayManage} />}
        {chosen === 'connection' && <ConnectionPart />}
        {chosen === 'waiting' && <WaitingPart status={status} mayManage={mayManage} />}
      </TabbedParts>
      <InviteDialog opened={inviting} onClose={() => setInviting(false)} />
    </Page>
  )
}

function ReadOnly() {
  return (
    <Notice tone="info" title={t('devices.readOnly')}>
      {t('devices.readOnly.text')}
    </Notice>
  )
}

/** The part. */
function ConnectionPart() {
  const { data: given, error, refetch } = useQuery(settingsQuery)
  if (error && !given) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!given) return null
  return (
    <>
      <ListenForm given={given} />
      <RelayForm given={given} />
      <KeepFiles keepFiles={given.settings.keepFiles} />
      <OffPart paused={given.settings.paused} />
    </>
  )
}
