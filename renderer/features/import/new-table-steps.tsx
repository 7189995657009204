// Owns the way of a new table after it was read: check the columns, create the object, fill it, report.
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { navigate } from '../../lib/hash-location.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { deleteObject, labelsOf, refreshObjects, refreshRecordCount, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { useImportJob } from './import-job.ts'
import { objectFromPlan } from './import-plan.ts'
import type { ColumnPlan } from './import-plan.ts'
import { ImportReport } from './import-report.tsx'
import { PreviewStep } from './preview-step.tsx'
import { createRowIds } from './row-ids.ts'
import { RunPanel } from './run-panel.tsx'
import type { OpenTable } from './table-client.ts'
import type { ColumnTarget, TableSummary } from './table-types.ts'

interface Made {
  object: ObjectItem
  targets: ColumnTarget[]
  rowId(row: number): string
}

/** Everything after the source. The table stays open until `onBack` or until the screen goes. */
export function NewTableSteps(props: {
  table: OpenTable
  summary: TableSummary
  onReadAgain: (hasHeader: boolean) => void
  onBack: () => void
}) {
  const { table, summary } = props
  const client = useQueryClient()
  const { data: objects = [] } = useObjects()
  const job = useImportJob()
  const [made, setMade] = useState<Made>()
  const [problem, setProblem] = useState<string>()
  const [undoing, setUndoing] = useState(false)
  const takenNames = useMemo(() => new Set(objects.map((object) => object.name)), [objects])

  const create = async (label: string, columns: readonly ColumnPlan[]): Promise<void> => {
    const plan = { ...objectFromPlan(label, columns, takenNames), rowId: createRowIds() }
    setProblem(undefined)
    setMade(plan)
    try {
      const { object } = plan
      await call('saveMetadataItem', {
        params: { type: 'object', name: object.name },
        body: { type: 'object', name: object.name, item: object },
        headers: { 'If-None-Match': '*' },
      })
    } catch (error) {
      setMade(undefined)
      setProblem(problemText(error))
      return
    }
    void refreshObjects(client)
    const outcome = await job.start({ object: plan.object.name, table, targets: plan.targets, rowId: plan.rowId })
    void refreshRecordCount(client, plan.object.name)
    if (outcome.status === 'done' && outcome.failed === 0) finish(plan.object, outcome.created)
  }

  const finish = (object: ObjectItem, created: number): void => {
    navigate(`/o/${object.name}`, { replace: true })
    showToast({
      message: tn('import.toast.done', created),
      tone: 'good',
      action: { label: t('app.undo'), run: () => void undo(object, created) },
    })
  }

  const undo = async (object: ObjectItem, created: number): Promise<void> => {
    const yes = await confirmAction({
      title: t('import.undo.title'),
      body: tn('import.undo.body', created, { object: object.label ?? object.name }),
      confirmLabel: t('import.undo.confirm'),
    })
    if (!yes) return
    setUndoing(true)
    try {
      await deleteObject(client, object.name)
      navigate('/')
      showToast({ message: t('import.report.undone') })
    } catch (error) {
      showProblem(error)
    } finally {
      setUndoing(false)
    }
  }

  if (!made) {
    return (
      <PreviewStep
        summary={summary}
        takenNames={takenNames}
        problem={problem}
        onReadAgain={props.onReadAgain}
        onBack={props.onBack}
        onCreate={(label, columns) => void create(label, columns)}
      />
    )
  }
  const name = made.object.label ?? made.object.name
  const { outcome } = job
  if (!outcome) {
    return (
      <Page title={`${t('import.run.title')}: ${name}`} width="narrow">
        <RunPanel progress={job.progress} stopping={job.stopping} onStop={job.stop} />
      </Page>
    )
  }
  return (
    <Page title={`${t(`import.report.${outcome.status}`)}: ${name}`}>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <ImportReport
        outcome={outcome}
        table={table}
        fileName={made.object.name}
        openHref={`#/o/${made.object.name}`}
        labels={labelsOf(made.object)}
        undoLabel={t('import.report.undoTable')}
        undoEmpty
        undoing={undoing}
        onUndo={() => void undo(made.object, outcome.created)}
        onResume={() => void job.start({ ...made, object: made.object.name, table }, outcome)}
      />
    </Page>
  )
}
