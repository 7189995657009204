// Owns the backups of the workspace on screen: which there are, one more, and the way back to one.
import { Button, Progress } from '@mantine/core'
import { IconArchive } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Delayed } from '../../components/delayed.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { backupsQuery } from './backup-queries.ts'
import type { Backup } from './backup-queries.ts'
import { BackupTable } from './backup-table.tsx'
import { RestoreDialog } from './restore-dialog.tsx'
import { RestoringPage } from './restoring-page.tsx'

/** The page. */
export function BackupsScreen() {
  const client = useQueryClient()
  const [isMaking, setMaking] = useState(false)
  const [busy, setBusy] = useState<string>()
  const [restoring, setRestoring] = useState<Backup>()
  const [isRestarting, setRestarting] = useState(false)
  const { data, error, refetch } = useQuery(backupsQuery(isMaking))
  if (isRestarting) return <RestoringPage />
  if (error && !data) {
    const absent = hasCode(error, 'resource_not_found')
    const denied = hasCode(error, 'permission_denied')
    return (
      <Page title={t('word.backups')}>
        {absent || denied ? (
          <EmptyState title={t(absent ? 'backup.absent' : 'backup.denied')} />
        ) : (
          <LoadFailure error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    )
  }

  const refresh = async (): Promise<void> => client.invalidateQueries({ queryKey: ['workspace-backups'] })
  const make = async (): Promise<void> => {
    setMaking(true)
    try {
      await call('createBackup', { body: {} })
      showToast({ message: t('backup.made'), tone: 'good' })
    } catch (failure) {
      showProblem(failure)
    } finally {
      setMaking(false)
      await refresh()
    }
  }
  const during = async (id: string, work: () => Promise<void>): Promise<void> => {
    setBusy(id)
    try {
      await work()
    } catch (failure) {
      showProblem(failure)
    } finally {
      setBusy(undefined)
      await refresh()
    }
  }
  const verify = async ({ id, createdAt }: Backup): Promise<void> =>
    during(id, async () => {
      const { verified, problems } = await call('verifyBackup', { params: { id } })
      const made = formatMoment(createdAt)
      if (verified) showToast({ message: t('backup.verified', { made }), tone: 'good' })
      else showToast({ message: t('backup.broken', { made, problem: problems[0] ?? '' }), tone: 'bad' })
    })
  const remove = async ({ id, createdAt }: Backup): Promise<void> => {
    const yes = await confirmAction({
      title: t('backup.delete.title', { made: formatMoment(createdAt) }),
      body: t('backup.delete.body'),
      confirmLabel: t('word.delete'),
    })
    if (!yes) return
    await during(id, async () => {
      await call('deleteBackup', { params: { id } })
      showToast({ message: t('backup.deleted'), tone: 'good' })
    })
  }
  return (
    <Page
      title={t('word.backups')}
      lead={t('backup.lead')}
      actions={
        data && (
          <Button leftSection={<IconArchive size={16} aria-hidden />} loading={isMaking} onClick={() => void make()}>
            {t('backup.make')}
          </Button>
        )
      }
    >
      {!data && (
        <Delayed>
          <p role="status">{t('word.loading')}</p>
        </Delayed>
      )}
      {(isMaking || data?.running) && <Running running={data?.running ?? null} />}
      {data?.backups.length === 0 && (
        <EmptyState title={t('backup.none')} icon={<IconArchive size={32} stroke={1.5} aria-hidden />}>
          {t('backup.none.text')}
        </EmptyState>
      )}
      {data && data.backups.length > 0 && (
        <BackupTable
          backups={data.backups}
          busy={busy}
          onVerify={(backup) => void verify(backup)}
          onRestore={setRestoring}
          onRemove={(backup) => void remove(backup)}
        />
      )}
      <RestoreDialog
        backup={restoring}
        onClose={() => setRestoring(undefined)}
        onRestarting={() => setRestarting(true)}
      />
    </Page>
  )
}

function Running(props: { running: { copiedBytes: number; totalBytes: number } | null }) {
  const { copiedBytes = 0, totalBytes = 1 } = props.running ?? {}
  const percent = Math.min(100, Math.floor((copiedBytes / Math.max(totalBytes, 1)) * 100))
  const text = percent >= 100 ? t('backup.checking') : t('backup.making', { percent })
  return (
    <div className={parts.section} role="status">
      <p className={parts.quiet}>{text}</p>
      <Progress value={percent} aria-label={t('backup.make')} mt={8} />
    </div>
  )
}
