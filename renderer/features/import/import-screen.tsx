// Owns bringing a table into an object that exists: source, which column goes where, run, report.
import { Button, NativeSelect } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { navigate } from '../../lib/hash-location.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { fieldList, labelsOf, objectPluralLabel, refreshRecordCount, typeLabel, useObject } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { guessMapping, mappingProblem, missingFields, targetsOf, writableFields } from './column-mapping.ts'
import type { ColumnMapping } from './column-mapping.ts'
import { useImportJob } from './import-job.ts'
import { ImportReport } from './import-report.tsx'
import classes from './import-screen.module.css'
import { createRowIds } from './row-ids.ts'
import { RunPanel } from './run-panel.tsx'
import { SourceArea } from './source-area.tsx'
import type { OpenTable } from './table-client.ts'
import type { ColumnTarget, TableSummary } from './table-types.ts'
import { useTable } from './use-table.ts'
import { useUndoImport } from './use-undo-import.ts'

/** The page for one object. */
export function ImportScreen(props: { name: string }) {
  const { data: object, error, refetch } = useObject(props.name)
  const reading = useTable()
  const title = t('import.map.title', { object: object ? objectPluralLabel(object) : props.name })
  if (error && !object) {
    return (
      <Page title={title}>
        <LoadFailure error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  if (!object) return null
  if (reading.table && reading.summary) {
    return (
      <Steps object={object} title={title} table={reading.table} summary={reading.summary} onBack={reading.close} />
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
    </Page>
  )
}

function Steps(props: {
  object: ObjectItem
  title: string
  table: OpenTable
  summary: TableSummary
  onBack: () => void
}) {
  const { object, table, summary } = props
  const client = useQueryClient()
  const fields = useMemo(() => writableFields(fieldList(object)), [object])
  const [mapping, setMapping] = useState<ColumnMapping>(() => guessMapping(summary.columns, fields))
  const [targets, setTargets] = useState<ColumnTarget[]>()
  const job = useImportJob()
  const [rowId] = useState(createRowIds)
  const { undo, undoing } = useUndoImport(object, rowId)
  const runButton = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    runButton.current?.focus()
  }, [])

  const problem = mappingProblem(mapping)
  const missing = missingFields(mapping, fields)

  const run = async (): Promise<void> => {
    const chosen = targetsOf(mapping, summary.columns, fields)
    setTargets(chosen)
    const outcome = await job.start({ object: object.name, table, targets: chosen, rowId })
    await refreshRecordCount(client, object.name)
    tellRecordsChanged(object.name)
    if (outcome.status === 'done' && outcome.failed === 0) {
      navigate(`/o/${object.name}`)
      showToast({
        message: tn('import.toast.done', outcome.created),
        tone: 'good',
        action: { label: t('app.undo'), run: () => void undo(outcome) },
      })
    }
  }

  if (targets && !job.outcome) {
    return (
      <Page title={`${t('import.run.title')}: ${objectPluralLabel(object)}`} width="narrow">
        <RunPanel progress={job.progress} stopping={job.stopping} onStop={job.stop} />
      </Page>
    )
  }
  const { outcome } = job
  if (targets && outcome) {
    return (
      <Page title={`${t(`import.report.${outcome.status}`)}: ${objectPluralLabel(object)}`}>
        <ImportReport
          outcome={outcome}
          table={table}
          fileName={object.name}
          openHref={`#/o/${object.name}`}
          labels={labelsOf(object)}
          undoLabel={t('import.report.undo')}
          undoing={undoing}
          onUndo={() => void undo(outcome)}
          onResume={() => void job.start({ object: object.name, table, targets, rowId }, outcome)}
        />
      </Page>
    )
  }
  return (
    <Page title={props.title} lead={t('import.map.lead')}>
      <div className={classes.actions}>
        <Button ref={runButton} onClick={() => void run()} disabled={problem !== undefined}>
          {tn('import.map.run', summary.rowCount)}
        </Button>
        <Button variant="default" onClick={props.onBack}>
          {t('import.preview.back')}
        </Button>
        <Button component="a" variant="default" href={`#/o/${object.name}`}>
          {t('app.cancel')}
        </Button>
      </div>
      <div role="status">
        {problem && (
          <Notice tone="warn">
            {problem.code === 'none' ? t('import.map.none') : t('import.map.twice', { field: problem.field })}
          </Notice>
        )}
        {!problem && missing.length > 0 && (
          <Notice tone="warn">
            {t('import.map.missing', { fields: missing.map((field) => field.label ?? field.name).join(', ') })}
          </Notice>
        )}
      </div>
      <table className={classes.table} aria-label={t('import.preview.columns')}>
        <thead>
          <tr>
            <th scope="col">{t('import.map.column')}</th>
            <th scope="col">{t('import.map.field')}</th>
            <th scope="col">{t('import.preview.sample')}</th>
          </tr>
        </thead>
        <tbody>
          {summary.columns.map((column) => (
            <tr key={column.index}>
              <th scope="row">{column.title}</th>
              <td>
                <NativeSelect
                  size="xs"
                  aria-label={t('import.map.fieldOf', { column: column.title })}
                  value={mapping[column.index] ?? ''}
                  data={[
                    { value: '', label: t('import.map.skip') },
                    ...fields.map((field) => ({
                      value: field.name,
                      label: `${field.label ?? field.name} (${typeLabel(field.type)})`,
                    })),
                  ]}
                  onChange={(event) => {
                    const field = event.currentTarget.value
                    setMapping((current) => {
                      const { [column.index]: _old, ...rest } = current
                      return field === '' ? rest : { ...rest, [column.index]: field }
                    })
                  }}
                />
              </td>
              <td className={classes.samples}>{column.samples.join(' · ') || t('import.preview.noSample')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Page>
  )
}
