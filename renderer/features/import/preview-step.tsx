// Owns checking a table before it is created: its name, what was understood, one line per column, and Create.
import { Button, TextInput } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { ShortcutKeys } from '../../components/shortcut-keys.tsx'
import { t, tn } from '../../lib/strings.ts'
import { isApple } from '../../lib/shortcuts.ts'
import { nameFromLabel, uniqueName } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { ColumnPlanTable } from './column-plan.tsx'
import { labelFromTitle, planColumns, planProblem } from './import-plan.ts'
import type { ColumnPlan, PlanProblem } from './import-plan.ts'
import classes from './preview-step.module.css'
import { SourceOptions } from './source-options.tsx'
import type { ReadAgain } from './table-client.ts'
import type { TableSummary } from './table-types.ts'

const problemKeys = {
  nameMissing: 'import.preview.nameMissing',
  noColumns: 'import.preview.noColumns',
  fieldMissing: 'import.preview.fieldMissing',
} as const

/** The step; the focus begins in the name, Ctrl+Enter creates. */
export function PreviewStep(props: {
  summary: TableSummary
  /** Objects a column can link to. */
  objects: readonly ObjectItem[]
  takenNames: ReadonlySet<string>
  problem: string | undefined
  readProblem: string | undefined
  onReadAgain: (options: ReadAgain) => void
  onBack: () => void
  onCreate: (label: string, columns: readonly ColumnPlan[]) => void
}) {
  const { summary } = props
  const [label, setLabel] = useState(() => (summary.name ? labelFromTitle(summary.name) : ''))
  const [columns, setColumns] = useState<ColumnPlan[]>(() => planColumns(summary))
  const [shown, setShown] = useState<PlanProblem>()
  const nameInput = useRef<HTMLInputElement>(null)
  const read = useRef(summary)

  useEffect(() => {
    nameInput.current?.focus()
    nameInput.current?.select()
  }, [])

  useEffect(() => {
    // Read again with or without a header: the columns are other ones now.
    if (read.current === summary) return
    read.current = summary
    setColumns(planColumns(summary))
  }, [summary])

  const name = useMemo(() => uniqueName(nameFromLabel(label, 'table'), props.takenNames), [label, props.takenNames])

  const create = (): void => {
    const problem = planProblem(label, columns)
    setShown(problem)
    if (problem === undefined) props.onCreate(label, columns)
    else if (problem === 'nameMissing') nameInput.current?.focus()
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (isApple ? event.metaKey : event.ctrlKey)) {
      event.preventDefault()
      create()
    }
  }

  return (
    <div onKeyDown={onKeyDown}>
      <Page
        title={t('import.preview.title')}
        lead={tn('import.preview.summary', summary.rowCount, {
          columns: summary.columns.length,
          format: t(`import.format.${summary.format}`),
        })}
      >
        <div className={classes.bar}>
          <TextInput
            ref={nameInput}
            className={classes.name}
            label={t('import.preview.objectName')}
            description={label.trim() === '' ? undefined : t('import.preview.technical', { name })}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={label}
            error={shown === 'nameMissing' && label.trim() === '' ? t(problemKeys.nameMissing) : undefined}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <div className={classes.actions}>
            <Button onClick={create} rightSection={<ButtonKeys />}>
              {tn('import.preview.create', summary.rowCount)}
            </Button>
            <Button variant="default" onClick={props.onBack}>
              {t('import.preview.back')}
            </Button>
          </div>
        </div>
        {shown !== undefined && shown !== 'nameMissing' && planProblem(label, columns) === shown && (
          <Notice tone="bad" live>
            {t(problemKeys[shown])}
          </Notice>
        )}
        {props.problem && (
          <Notice tone="bad" live>
            {props.problem}
          </Notice>
        )}
        <SourceOptions summary={summary} problem={props.readProblem} onReadAgain={props.onReadAgain} />
        <ColumnPlanTable columns={columns} objects={props.objects} onChange={setColumns} />
      </Page>
    </div>
  )
}

function ButtonKeys() {
  return (
    <span className={classes.keys} aria-hidden>
      <ShortcutKeys shortcut="Mod+Enter" />
    </span>
  )
}
