// Owns the way of a new table after it was read: check the columns, create the object, and start filling it.
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Page } from '../../components/page.tsx'
import { call } from '../../lib/api-client.ts'
import { navigate } from '../../lib/hash-location.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { refreshObjects, useObjects } from '../objects/index.ts'
import { objectFromPlan } from './import-plan.ts'
import type { ColumnPlan } from './import-plan.ts'
import { takeJob } from './job-queries.ts'
import { PreviewStep } from './preview-step.tsx'
import { RunPanel } from './run-panel.tsx'
import { createImportStarter, startProblem } from './start-import.ts'
import type { ImportPlan } from './start-import.ts'
import { rememberImport } from './started-imports.ts'
import type { OpenTable, ReadAgain } from './table-client.ts'
import type { TableSummary } from './table-types.ts'

/** Everything after the source, until the job has a page of its own. */
export function NewTableSteps(props: {
  table: OpenTable
  summary: TableSummary
  readProblem: string | undefined
  onReadAgain: (options: ReadAgain) => void
  /** The table goes on with the job. */
  onRelease: () => void
  onBack: () => void
}) {
  const { table, summary } = props
  const client = useQueryClient()
  const { data: objects = [] } = useObjects()
  const [starter] = useState(createImportStarter)
  const [sending, setSending] = useState<string>()
  const [problem, setProblem] = useState<string>()
  /** The object of an attempt whose rows could not be sent: it is used again instead of making a second one. */
  const [made, setMade] = useState<ImportPlan>()
  const takenNames = useMemo(() => new Set(objects.map((object) => object.name)), [objects])

  const fill = async (plan: ImportPlan, label: string): Promise<void> => {
    setSending(label)
    setProblem(undefined)
    try {
      const job = await starter.start(plan, table, false)
      rememberImport(job.jobId, { plan, table, newObject: true, forward: true })
      props.onRelease()
      await takeJob(client, job)
      navigate(`/imports/${job.jobId}`)
    } catch (error) {
      setMade(plan)
      setProblem(`${startProblem(error)} ${t('import.preview.made', { object: label })}`)
      setSending(undefined)
    }
  }

  const create = async (label: string, columns: readonly ColumnPlan[]): Promise<void> => {
    if (made) return fill(made, label)
    const { object, targets } = objectFromPlan(label, columns, takenNames)
    setSending(label)
    setProblem(undefined)
    try {
      await call('saveMetadataItem', {
        params: { type: 'object', name: object.name },
        body: { type: 'object', name: object.name, item: object },
        headers: { 'If-None-Match': '*' },
      })
    } catch (error) {
      setSending(undefined)
      setProblem(problemText(error))
      return
    }
    await refreshObjects(client)
    await fill(
      { object: object.name, targets, writeMode: 'insert', matchFields: [], createMissingOptions: false },
      label,
    )
  }

  return (
    <>
      {sending !== undefined && (
        <Page title={t('import.job.running', { object: sending })} width="narrow">
          <RunPanel job={undefined} />
        </Page>
      )}
      <div hidden={sending !== undefined}>
        <PreviewStep
          summary={summary}
          objects={objects}
          takenNames={takenNames}
          problem={problem}
          readProblem={props.readProblem}
          onReadAgain={props.onReadAgain}
          onBack={props.onBack}
          onCreate={(label, columns) => void create(label, columns)}
        />
      </div>
    </>
  )
}
