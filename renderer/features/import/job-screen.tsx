// Owns the page of one import: how far it is, what it did, and taking it back. Works the same after a reload.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { call } from '../../lib/api-client.ts'
import { navigate } from '../../lib/hash-location.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { locale } from '../../lib/language.ts'
import { t, tn } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { labelsOf, objectPluralLabel, refreshRecordCount, useObject } from '../objects/index.ts'
import { JobReport } from './job-report.tsx'
import { isUnderWay, isUndoing, takeJob, useImportJob } from './job-queries.ts'
import type { ImportJob } from './job-queries.ts'
import { RunPanel } from './run-panel.tsx'
import { createImportStarter } from './start-import.ts'
import { rememberImport, startedImport } from './started-imports.ts'
import { undoImport, undoNewTable } from './undo-import.ts'

/** The page. */
export function JobScreen(props: { jobId: string }) {
  const { data: job, error, refetch } = useImportJob(props.jobId)
  if (job) return <Job key={job.jobId} job={job} lost={error !== null} onRetry={() => void refetch()} />
  if (!error) return null
  return (
    <Page title={t('import.job.title')}>
      <LoadFailure error={error} onRetry={() => void refetch()} />
    </Page>
  )
}

function Job(props: { job: ImportJob; lost: boolean; onRetry: () => void }) {
  const { job } = props
  const client = useQueryClient()
  const { data: object } = useObject(job.object)
  const [busy, setBusy] = useState(false)
  const [starter] = useState(createImportStarter)
  const label = object ? objectPluralLabel(object) : job.object
  const started = startedImport(job.jobId)
  const open = isUnderWay(job) || job.paused
  // The records follow at once: a report in between would only flash.
  const [forwards] = useState(() => started?.forward === true)
  const leaving = forwards && wentWell(job)
  useAfterEnd(job, label)

  const act = async (operation: 'pauseImportJob' | 'resumeImportJob' | 'cancelImportJob'): Promise<void> => {
    setBusy(true)
    try {
      await takeJob(client, await call(operation, { params: { jobId: job.jobId } }))
    } catch (error) {
      // It may have ended meanwhile: the screen shows that, and nothing is lost.
      showProblem(error)
      props.onRetry()
    } finally {
      setBusy(false)
    }
  }

  const importNow = async (): Promise<void> => {
    if (!started) return
    setBusy(true)
    try {
      const next = await starter.start(started.plan, started.table, false)
      rememberImport(next.jobId, { ...started, forward: true })
      navigate(`/imports/${next.jobId}`, { replace: true })
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }

  const takesObject = started?.newObject === true && job.undo === undefined
  const undo = async (): Promise<void> => {
    setBusy(true)
    await (takesObject ? undoNewTable(client, job, label) : undoImport(client, job, label))
    setBusy(false)
  }
  const canUndo = object !== undefined && !job.dryRun && job.status !== 'undone'
  const hasEffect = job.created + job.updated > 0 || takesObject

  return (
    <Page title={t(titleOf(job), { object: label })} lead={leadOf(job)} width={open || leaving ? 'narrow' : 'wide'}>
      {props.lost && open && <Notice tone="warn">{t('import.run.lost')}</Notice>}
      {open || leaving ? (
        <RunPanel
          job={job}
          busy={busy}
          onPause={() => void act('pauseImportJob')}
          onResume={() => void act('resumeImportJob')}
          onCancel={() => void act('cancelImportJob')}
        />
      ) : (
        <JobReport
          job={job}
          started={started}
          labels={object ? labelsOf(object) : {}}
          openHref={object ? `#/o/${job.object}` : undefined}
          undoLabel={t(takesObject ? 'import.report.undoTable' : 'import.report.undo')}
          onUndo={canUndo && hasEffect ? () => void undo() : undefined}
          onImport={job.dryRun && job.status === 'completed' && started ? () => void importNow() : undefined}
          busy={busy}
        />
      )}
    </Page>
  )
}

function wentWell(job: ImportJob): boolean {
  return job.status === 'completed' && job.failed === 0 && !job.dryRun
}

function titleOf(job: ImportJob): StringKey {
  if (isUndoing(job)) return 'import.job.undoing'
  if (job.paused) return 'import.job.paused'
  if (isUnderWay(job)) return job.dryRun ? 'import.job.checking' : 'import.job.running'
  if (job.status === 'completed') return job.dryRun ? 'import.job.checked' : 'import.job.completed'
  if (job.status === 'undone') return 'import.job.undone'
  return job.status === 'cancelled' ? 'import.job.cancelled' : 'import.job.failed'
}

function leadOf(job: ImportJob): string {
  const at = new Date(job.createdAt).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })
  return t('import.job.lead', { name: job.fileName ?? t('import.pasted'), at })
}

/** What follows the end of a job that was seen running: fresh counts and grids, and on to the records when all went well. */
function useAfterEnd(job: ImportJob, label: string): void {
  const client = useQueryClient()
  const done = useRef<string>(undefined)
  const open = isUnderWay(job) || job.paused
  useEffect(() => {
    const state = `${job.jobId} ${job.status}`
    if (open || done.current === state) return
    done.current = state
    void refreshRecordCount(client, job.object)
    void client.invalidateQueries({ queryKey: ['import-jobs'] })
    tellRecordsChanged(job.object)
    const started = startedImport(job.jobId)
    if (!started?.forward) return
    started.forward = false
    if (!wentWell(job)) return
    navigate(`/o/${job.object}`, { replace: true })
    showToast({
      message:
        job.updated > 0 ? tn('import.toast.updated', job.created + job.updated) : tn('import.toast.done', job.created),
      tone: 'good',
      action: {
        label: t('app.undo'),
        run: () => {
          if (started.newObject) void undoNewTable(client, job, label)
          else
            void undoImport(client, job, label).then((begun) => {
              if (begun) navigate(`/imports/${job.jobId}`)
            })
        },
      },
    })
  }, [client, job, label, open])
}
