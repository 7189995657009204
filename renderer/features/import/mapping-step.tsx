// Owns deciding how a table goes into an object that exists: which column fills which field, and what happens to records
// that are there already.
import { Button, Checkbox, NativeSelect, Switch } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { t, tn } from '../../lib/strings.ts'
import { fieldList, hasOptions, typeLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { guessMapping, mappingProblem, missingFields, targetsOf, writableFields } from './column-mapping.ts'
import type { ColumnMapping, MappingProblem } from './column-mapping.ts'
import classes from './import-screen.module.css'
import { SourceOptions } from './source-options.tsx'
import type { ImportPlan, WriteMode } from './start-import.ts'
import type { ReadAgain } from './table-client.ts'
import type { TableSummary } from './table-types.ts'

const modes = ['insert', 'upsert', 'update'] as const satisfies readonly WriteMode[]

/** The step. `onRun` gets the plan, and whether it is only to be checked. */
export function MappingStep(props: {
  object: ObjectItem
  title: string
  summary: TableSummary
  problem: string | undefined
  readProblem: string | undefined
  busy: boolean
  onReadAgain: (options: ReadAgain) => void
  onRun: (plan: ImportPlan, dryRun: boolean) => void
  onBack: () => void
}) {
  const { object, summary } = props
  const fields = useMemo(() => writableFields(fieldList(object)), [object])
  const [mapping, setMapping] = useState<ColumnMapping>(() => guessMapping(summary.columns, fields))
  const hasIds = Object.values(mapping).includes('id')
  const [mode, setMode] = useState<WriteMode>(hasIds ? 'upsert' : 'insert')
  const [match, setMatch] = useState<ReadonlySet<string>>(() => new Set(hasIds ? ['id'] : []))
  const [newChoices, setNewChoices] = useState(false)
  const runButton = useRef<HTMLButtonElement>(null)
  const read = useRef(summary)

  useEffect(() => {
    runButton.current?.focus()
  }, [])

  useEffect(() => {
    // Another sheet, or read again with other names: the columns are other ones now.
    if (read.current === summary) return
    read.current = summary
    setMapping(guessMapping(summary.columns, fields))
  }, [summary, fields])

  const matching = mode === 'insert' ? [] : Object.values(mapping).filter((field) => match.has(field))
  const problem = mappingProblem(mapping, mode, matching)
  const missing = mode === 'update' ? [] : missingFields(mapping, fields)
  const labelOf = (name: string): string => fields.find((field) => field.name === name)?.label ?? name
  const choices = fields.some((field) => hasOptions(field.type) && Object.values(mapping).includes(field.name))

  const run = (dryRun: boolean): void =>
    props.onRun(
      {
        object: object.name,
        targets: targetsOf(mapping, summary.columns, fields),
        writeMode: mode,
        matchFields: matching,
        createMissingOptions: choices && newChoices,
      },
      dryRun,
    )

  return (
    <Page title={props.title} lead={t('import.map.lead')}>
      <div className={classes.actions}>
        <Button
          ref={runButton}
          onClick={() => run(false)}
          // Not the attribute: a button that is off keeps the focus it was given.
          data-disabled={problem !== undefined || undefined}
          aria-disabled={problem !== undefined}
          onClickCapture={(event) => {
            if (problem !== undefined) event.stopPropagation()
          }}
          loading={props.busy}
        >
          {tn('import.map.run', summary.rowCount)}
        </Button>
        <Button variant="default" onClick={() => run(true)} disabled={problem !== undefined || props.busy}>
          {t('import.map.check')}
        </Button>
        <Button variant="default" onClick={props.onBack} disabled={props.busy}>
          {t('import.preview.back')}
        </Button>
        <Button component="a" variant="default" href={`#/o/${object.name}`}>
          {t('app.cancel')}
        </Button>
      </div>
      {props.problem && (
        <Notice tone="bad" live>
          {props.problem}
        </Notice>
      )}
      <div role="status">
        {problem && <Notice tone="warn">{problemSentence(problem, labelOf)}</Notice>}
        {!problem && missing.length > 0 && (
          <Notice tone="warn">
            {t('import.map.missing', { fields: missing.map((field) => field.label ?? field.name).join(', ') })}
          </Notice>
        )}
      </div>
      <SourceOptions summary={summary} problem={props.readProblem} onReadAgain={props.onReadAgain} />
      <div className={classes.options}>
        <NativeSelect
          className={classes.mode}
          size="xs"
          label={t('import.map.mode')}
          value={mode}
          data={modes.map((value) => ({ value, label: t(`import.map.mode.${value}`) }))}
          onChange={(event) => setMode(event.currentTarget.value as WriteMode)}
        />
        {choices && (
          <Switch
            size="sm"
            label={t('import.map.newChoices')}
            checked={newChoices}
            onChange={(event) => setNewChoices(event.currentTarget.checked)}
          />
        )}
      </div>
      <table className={classes.table} aria-label={t('word.columns')}>
        <thead>
          <tr>
            <th scope="col">{t('import.map.column')}</th>
            <th scope="col">{t('word.field')}</th>
            {mode !== 'insert' && (
              <th scope="col" className={classes.match}>
                {t('import.map.match')}
              </th>
            )}
            <th scope="col">{t('import.preview.sample')}</th>
          </tr>
        </thead>
        <tbody>
          {summary.columns.map((column) => {
            const target = mapping[column.index]
            return (
              <tr key={column.index}>
                <th scope="row">{column.title}</th>
                <td>
                  <NativeSelect
                    size="xs"
                    aria-label={t('import.map.fieldOf', { column: column.title })}
                    value={target ?? ''}
                    data={[
                      { value: '', label: t('import.map.skip') },
                      ...fields.map((field) => ({
                        value: field.name,
                        label: `${field.label ?? field.name} (${typeLabel(field.type)})`,
                      })),
                      { value: 'id', label: t('import.map.recordId') },
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
                {mode !== 'insert' && (
                  <td className={classes.match}>
                    <span className={classes.matchWord} aria-hidden>
                      {t('import.map.match')}
                    </span>
                    <Checkbox
                      aria-label={t('import.map.matchBy', { column: column.title })}
                      checked={target !== undefined && match.has(target)}
                      disabled={target === undefined}
                      onChange={(event) => {
                        const { checked } = event.currentTarget
                        if (target === undefined) return
                        setMatch((current) => {
                          const next = new Set(current)
                          if (checked) next.add(target)
                          else next.delete(target)
                          return next
                        })
                      }}
                    />
                  </td>
                )}
                <td className={classes.samples}>{column.samples.join(' · ') || t('import.preview.noSample')}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Page>
  )
}

function problemSentence(problem: MappingProblem, labelOf: (name: string) => string): string {
  if (problem.code === 'twice') return t('import.map.twice', { field: labelOf(problem.field) })
  return t(problem.code === 'none' ? 'import.map.none' : 'import.map.noMatch')
}
