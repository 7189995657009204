// Owns what is shown of one run: how it stands, why it failed, what may be done with it, and its steps.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CodeText, readable } from '../../components/code-text.tsx'
import { FactList } from '../../components/fact-list.tsx'
import type { Fact } from '../../components/fact-list.tsx'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { formatMoment } from '../../lib/format.ts'
import { useMay } from '../../lib/own-rights.ts'
import { t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { runQuery, runsKey } from './automation-queries.ts'
import type { Run } from './automation-queries.ts'
import { ResumeDialog } from './resume-dialog.tsx'
import { RunDrawing } from './run-drawing.tsx'
import { RunSteps } from './run-steps.tsx'
import { actsOf, durationText, runTone, triggerText, waitText } from './run-words.ts'
import classes from './automation.module.css'

/** The detail. */
export function RunDetail(props: { name: string; runId: string }) {
  const { name, runId } = props
  const client = useQueryClient()
  const mayDesign = useMay('manage_flows') === true
  const { data: run, error, refetch } = useQuery(runQuery(name, runId))
  const [resuming, setResuming] = useState(false)
  const params = { name, runId }
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (failure) {
      showProblem(failure)
    }
    await client.invalidateQueries({ queryKey: runsKey(name) })
  }
  const cancel = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('runs.cancel.title'),
      body: t('runs.cancel.body'),
      confirmLabel: t('runs.cancel'),
      cancelLabel: t('runs.cancel.keep'),
    })
    if (yes) await act(async () => call('cancelRun', { params, body: {} }))
  }
  const retry = async (fromNodeId?: string): Promise<void> =>
    act(async () => call('retryRun', { params, body: fromNodeId === undefined ? {} : { fromNodeId } }))

  if (error && !run) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!run) return null
  const may = actsOf(run, mayDesign)
  return (
    <section aria-labelledby="run-name">
      <div className={parts.head}>
        <h2 id="run-name">{t('runs.one', { when: formatMoment(run.createdAt) })}</h2>
        <span className={parts.badge} data-tone={runTone(run.status)} role="status">
          {t(`runs.status.${run.status}`)}
        </span>
        <div className={classes.tools}>
          {may.resume && (
            <Button variant="default" onClick={() => setResuming(true)}>
              {t('runs.resume')}
            </Button>
          )}
          {may.retry && (
            <Button variant="default" onClick={() => void retry()}>
              {t('word.tryAgain')}
            </Button>
          )}
          {may.cancel && (
            <Button variant="subtle" onClick={() => void cancel()}>
              {t('runs.cancel.open')}
            </Button>
          )}
        </div>
      </div>
      <Facts run={run} />
      <Messages run={run} />
      {run.withheld !== true && <Content run={run} />}
      <RunDrawing name={name} run={run} />
      <RunSteps steps={run.steps ?? []} onRetry={may.retry ? (nodeId) => void retry(nodeId) : undefined} />
      <ResumeDialog run={resuming ? run : undefined} onClose={() => setResuming(false)} />
    </section>
  )
}

function Facts({ run }: { run: Run }) {
  const facts: readonly Fact[] = [
    [t('runs.trigger'), triggerText(run.trigger)],
    ...(run.trigger.recordId === undefined ? [] : [[t('word.record'), run.trigger.recordId] as const]),
    [t('runs.version'), String(run.flowVersion)],
    [t('runs.runAs'), t(`runs.runAs.${run.runAs}`)],
    ...(run.durationMs === undefined ? [] : [[t('runs.duration'), durationText(run.durationMs)] as const]),
    ...(run.attempt > 1 ? [[t('runs.attempt'), String(run.attempt)] as const] : []),
    ...(run.resumeAt === undefined ? [] : [[t('runs.resumeAt'), formatMoment(run.resumeAt)] as const]),
    [t('word.id'), run.id],
  ]
  return <FactList facts={facts} />
}

function Messages({ run }: { run: Run }) {
  return (
    <>
      {run.error && (
        <div className={classes.notice}>
          <Notice tone="bad" title={t('runs.error')}>
            {t('runs.error.text', { code: run.error.code, message: run.error.message })}
          </Notice>
        </div>
      )}
      {run.status === 'paused' && (
        <div className={classes.notice}>
          <Notice tone="info" title={waitText(run.waitingFor)} />
        </div>
      )}
      {run.withheld === true && (
        <div className={classes.notice}>
          <Notice tone="info" title={t('runs.withheld')}>
            {t('runs.withheld.text')}
          </Notice>
        </div>
      )}
    </>
  )
}

function Content({ run }: { run: Run }) {
  const shown = [
    [t('runs.params'), run.params],
    [t('word.variables'), run.variables],
    [t('runs.output'), run.output],
  ] as const
  const full = shown.filter(([, value]) => value != null && JSON.stringify(value) !== '{}')
  if (full.length === 0) return null
  return (
    <details className={classes.details}>
      <summary>{t('runs.content')}</summary>
      <div className={parts.stack}>
        {full.map(([label, value]) => (
          <CodeText key={label} label={label} text={readable(value)} />
        ))}
      </div>
    </details>
  )
}
