// Owns bringing a table into an object that exists: source, which column goes where, and the start; the job has its own page.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel, useObject } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import classes from './import-screen.module.css'
import { takeJob, useImportJobs } from './job-queries.ts'
import { JobTable } from './job-table.tsx'
import { MappingStep } from './mapping-step.tsx'
import { SourceArea } from './source-area.tsx'
import { createImportStarter, startProblem } from './start-import.ts'
import type { ImportPlan } from './start-import.ts'
import { rememberImport } from './started-imports.ts'
import { useTable } from './use-table.ts'

/** The page for one object. */
export function ImportScreen(props: { name: string }) {
  const { data: object, error, refetch } = useObject(props.name)
  const title = t('import.map.title', { object: object ? objectPluralLabel(object) : props.name })
  if (object) return <Steps object={object} title={title} />
  if (!error) return null
  return (
    <Page title={title}>
      <LoadFailure error={error} onRetry={() => void refetch()} />
    </Page>
  )
}

function Steps(props: { object: ObjectItem; title: string }) {
  const { object, title } = props
  const client = useQueryClient()
  const reading = useTable()
  const [starter] = useState(createImportStarter)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  const run = async (plan: ImportPlan, dryRun: boolean): Promise<void> => {
    const { table } = reading
    if (!table) return
    setBusy(true)
    setProblem(undefined)
    try {
      const job = await starter.start(plan, table, dryRun)
      rememberImport(job.jobId, { plan, table, newObject: false, forward: true })
      reading.release()
      await takeJob(client, job)
      navigate(`/imports/${job.jobId}`)
    } catch (error) {
      setProblem(startProblem(error))
      setBusy(false)
    }
  }

  if (reading.table && reading.summary) {
    return (
      <MappingStep
        object={object}
        title={title}
        summary={reading.summary}
        problem={problem}
        readProblem={reading.problem}
        busy={busy}
        onReadAgain={(options) => void reading.readAgain(options)}
        onRun={(plan, dryRun) => void run(plan, dryRun)}
        onBack={reading.close}
      />
    )
  }
  return (
    <Page title={title} width="narrow">
      <div style={{ marginBlock: 16 }}>
        {reading.problem && (
          <div style={{ marginBlockEnd: 12 }}>
            <Notice tone="bad" live>
              {reading.problem}
            </Notice>
          </div>
        )}
        <SourceArea
          autoFocus
          onSource={(source) => void reading.open(source)}
          status={reading.reading}
          busy={reading.reading !== undefined}
        />
      </div>
      <Button component="a" href={`#/o/${object.name}`} variant="default">
        {t('app.cancel')}
      </Button>
      <Earlier object={object.name} />
    </Page>
  )
}

/** The latest imports into the object, with the way to take them back. */
function Earlier(props: { object: string }) {
  const { data } = useImportJobs(props.object)
  if (!data || data.total === 0) return null
  return (
    <>
      <h2 className={classes.earlier}>{t('import.list.earlier')}</h2>
      <JobTable jobs={data.jobs} ofOne label={t('import.list.earlier')} />
    </>
  )
}
