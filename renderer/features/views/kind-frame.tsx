// Owns what stands around every kind of view that is no grid: its tools, notices, the record beside it, the status line.
import { NativeSelect } from '@mantine/core'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { useCommands } from '../../lib/commands.ts'
import { useHostStatus } from '../../lib/host-status.ts'
import { t } from '../../lib/strings.ts'
import { requestsPath } from '../api/index.ts'
import { objectPluralLabel } from '../objects/index.ts'
import { RecordToolbar, ViewPanels, sortText, writeQuery } from '../records/index.ts'
import type { ToolPanel } from '../records/index.ts'
import type { KindPart } from './use-kind-part.tsx'
import classes from './views.module.css'

/** A choice of the kind in the line of tools. */
export function OptionSelect(props: {
  label: string
  value: string
  choices: readonly { value: string; label: string }[]
  /** Text of the choice of nothing; absent where something must be chosen. */
  none?: string
  onChange: (value: string) => void
}) {
  const isUnknown = props.value !== '' && !props.choices.some(({ value }) => value === props.value)
  return (
    <label className={classes.option}>
      <span>{props.label}</span>
      <NativeSelect
        size="xs"
        value={props.value}
        data={[
          ...(props.none === undefined && props.value !== '' ? [] : [{ value: '', label: props.none ?? '' }]),
          ...(isUnknown ? [{ value: props.value, label: props.value }] : []),
          ...props.choices,
        ]}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
    </label>
  )
}

/** The frame. */
export function KindFrame(props: {
  part: KindPart
  /** Choices of the kind. */
  own: ReactNode
  /** False where the order means nothing. */
  sorted?: boolean
  /** False where the records cannot be searched. */
  searched?: boolean
  /** What went wrong when nothing can be shown. */
  failure: unknown
  onRetry: () => void
  status: ReactNode
  hint?: string
  /** Values a new record begins with. */
  initial?: (() => Readonly<Record<string, unknown>>) | undefined
  peek: ReactNode
  children: ReactNode
}) {
  const { part } = props
  const { object, fields, context, query, filter, views, onQuery } = part
  const label = objectPluralLabel(object)
  const host = useHostStatus()
  const [, navigate] = useLocation()
  const [panel, setPanel] = useState<ToolPanel>()
  const searchInput = useRef<HTMLInputElement>(null)
  const add = (): void => part.openNew(props.initial?.())
  const isSearched = props.searched !== false

  useCommands([
    { id: 'records.new', label: t('records.new'), group: 'records', shortcut: 'N', keywords: 'add create', run: add },
    {
      id: 'records.search',
      label: t('records.search', { object: label }),
      group: 'records',
      shortcut: 'Mod+F',
      inTextFields: true,
      enabled: isSearched,
      run: () => searchInput.current?.focus(),
    },
    {
      id: 'records.filter',
      label: t('records.filter'),
      group: 'records',
      shortcut: 'F',
      run: () => setPanel('filter'),
    },
    {
      id: 'records.import',
      label: t('import.map.title', { object: label }),
      group: 'records',
      shortcut: 'I',
      run: () => navigate(`/o/${object.name}/import`),
    },
    {
      id: 'records.fields',
      label: t('objects.editOf', { object: label }),
      group: 'records',
      run: () => navigate(`/objects/${object.name}`),
    },
  ])

  const panelOf = (id: ToolPanel) => (
    <ViewPanels
      panel={id}
      fields={fields}
      context={context}
      query={query}
      columns={views.columns}
      terms={[]}
      totals={[]}
      filterField={undefined}
      found={undefined}
      onQuery={onQuery}
      onColumns={views.showColumns}
      onToggleAll={() => undefined}
    />
  )

  return (
    <div className={classes.kind}>
      <RecordToolbar
        object={object}
        fields={fields}
        context={context}
        query={query}
        terms={[]}
        searchInput={searchInput}
        own={<div className={classes.own}>{props.own}</div>}
        checkedCount={0}
        panel={panel}
        onPanel={setPanel}
        panels={{
          filter: panelOf('filter'),
          ...(props.sorted === false ? {} : { sort: panelOf('sort') }),
          columns: panelOf('columns'),
        }}
        columnsHidden={fields.length - views.columns.length}
        requests={requestsPath(
          object.name,
          writeQuery(query),
          views.columns.length < fields.length ? views.columns.map(({ name }) => name) : undefined,
        )}
        exporting={{
          ...(filter === undefined ? {} : { filter }),
          ...(query.sort.length === 0 ? {} : { sort: sortText(query.sort) }),
          ...(query.search === '' ? {} : { search: query.search }),
          select: views.columns.map(({ name }) => name),
        }}
        present={[]}
        {...(isSearched ? { onSearch: (search: string) => onQuery({ search }) } : {})}
        onNew={add}
        onShare={undefined}
      />
      {host === 'down' && (
        <div className={classes.notice}>
          <Notice tone="warn" live>
            {t('records.offline')}
          </Notice>
        </div>
      )}
      <div className={classes.beside}>
        <div className={classes.body}>
          {props.failure ? <LoadFailure error={props.failure} onRetry={props.onRetry} /> : props.children}
        </div>
        {props.peek}
      </div>
      <div className={`${classes.status} cairn-numbers`}>
        {props.status}
        {props.hint !== undefined && <span className={classes.hint}>{props.hint}</span>}
      </div>
      {part.dialogs}
    </div>
  )
}
