// Owns the view of an object's records: what the address asks for, the grid over it, its tools and its dialogs.
import { useQueryClient } from '@tanstack/react-query'
import { useMediaQuery } from '@mantine/hooks'
import { Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { DataGrid } from '../../components/grid/index.ts'
import type { DataGridHandle, GridProgress, GridSelection } from '../../components/grid/index.ts'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { useHostStatus } from '../../lib/host-status.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { readRecordAddress, tablePath } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import { useMarkedCells } from '../conflicts/index.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { requestsPath } from '../api/index.ts'
import { objectPluralLabel, refreshRecordCount } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { deleteRecords } from './delete-records.ts'
import { FindBar } from './find-bar.tsx'
import { NewRecordDialog } from './new-record-dialog.tsx'
import { NoRecords } from './no-records.tsx'
import { useRecordPeek } from './record-peek-place.tsx'
import type { RenderPeek } from './record-peek-place.tsx'
import { buildGroup, changeSort, inOwnWords, narrowed, readQuery, sortText, writeQuery } from './record-query.ts'
import type { RecordQuery } from './record-query.ts'
import { RecordToolbar } from './record-toolbar.tsx'
import type { ToolPanel } from './record-toolbar.tsx'
import { createRecordWrites } from './record-writes.ts'
import type { RecordWritesPort } from './record-writes.ts'
import classes from './records.module.css'
import { linkFields, useShownFields } from './shown-fields.ts'
import { StatusBar } from './status-bar.tsx'
import { useColumns } from './use-columns.ts'
import { useConflictQuestion } from './use-conflict-question.ts'
import { useEditedCells } from './use-edited-cells.ts'
import { useFileDrop } from './use-file-drop.ts'
import { useFieldContext } from './use-field-context.ts'
import { useHeaderMenu } from './use-header-menu.tsx'
import { useRecordCommands } from './use-record-commands.ts'
import { useRecordMenu } from './use-record-menu.tsx'
import type { RecordViews } from './use-record-views.tsx'
import { useRowChecks } from './use-row-checks.ts'
import { useViewRows } from './use-view-rows.ts'

const SummaryPanel = lazyPart(async () => ({ default: (await import('./summary-panel.tsx')).SummaryPanel }))
const BulkEditDialog = lazyPart(async () => ({ default: (await import('./bulk-edit-dialog.tsx')).BulkEditDialog }))
const ViewPanels = lazyPart(async () => ({ default: (await import('./view-panels.tsx')).ViewPanels }))

/** Below this width one column at most stays where it is while the others scroll. */
const narrow = '(max-width: 640px)'

/** Grid of all records of an object that has fields; `peek` shows one of them beside it. */
export function RecordView(props: { object: ObjectItem; views: RecordViews; peek?: RenderPeek | undefined }) {
  const { object, views } = props
  const label = objectPluralLabel(object)
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const address = useSearch()
  const context = useFieldContext()
  const host = useHostStatus()
  const fields = useShownFields(object)
  const asked = useMemo(() => readQuery(address), [address])
  const query = useMemo(() => inOwnWords(asked, fields, context), [asked, fields, context])
  const [panel, setPanel] = useState<ToolPanel>()
  /** The field the filter was opened for. */
  const [filterField, setFilterField] = useState<string>()
  const [adding, setAdding] = useState(false)
  const [finding, setFinding] = useState(false)
  const [summing, setSumming] = useState(false)
  /** Undefined until it was wanted once: only then is the dialog loaded. */
  const [bulkEditing, setBulkEditing] = useState<boolean>()
  const [selection, setSelection] = useState<GridSelection>()
  const [progress, setProgress] = useState<GridProgress | null>(null)
  const grid = useRef<DataGridHandle>(null)
  const searchInput = useRef<HTMLInputElement>(null)
  const { heading } = views

  const setQuery = useCallback(
    (next: Partial<RecordQuery>): void => {
      const { rec, tab } = readRecordAddress(address)
      const view = writeQuery({ ...query, ...next })
      navigate(tablePath(object.name, { view, rec, tab }), { replace: next.search !== undefined })
    },
    [address, query, navigate, object.name],
  )

  const condition = useMemo(
    () => (query.filter ? buildGroup(query.filter, fields, context) : undefined),
    [query.filter, fields, context],
  )

  const expand = useMemo(() => linkFields(fields), [fields])
  const view = useViewRows({
    object: object.name,
    label,
    query,
    filter: condition,
    expand,
    fields,
    columns: views.columns,
    context,
    leaves: (search) => views.typeOf(readQuery(search).view) !== 'grid',
    onMoved: () => grid.current?.announce(t('groups.moved')),
  })
  const { rows, terms, totals } = view
  // The editor that had the focus is gone; its cell is in the grid.
  const { conflict, ask } = useConflictQuestion(() => grid.current?.focus())
  const checks = useRowChecks(rows.queryKey, rows.loadRows)
  const columns = useColumns(object, views.columns)
  const isNarrow = useMediaQuery(narrow, undefined, { getInitialValueInEffect: false }) ?? false
  const isTouch = useMediaQuery('(pointer: coarse)', undefined, { getInitialValueInEffect: false }) ?? false
  const frozen = Math.min(query.frozen ?? 1, views.columns.length)
  // On a narrow screen frozen columns would leave no room for the others.
  const shownFrozen = isNarrow ? Math.min(frozen, 1) : frozen

  const port = useRef<RecordWritesPort>(undefined)
  port.current = {
    object: object.name,
    written: (names) => {
      view.written(names)
      void client.invalidateQueries({ queryKey: ['record', object.name] })
    },
    reload: () => {
      tellRecordsChanged(object.name)
      void refreshRecordCount(client, object.name)
    },
    expand,
    labelOf: (name) => fields.find((field) => field.name === name)?.label ?? name,
    ask,
  }
  const writes = useMemo(
    () =>
      createRecordWrites(() => {
        if (!port.current) throw new Error('The view is not mounted.')
        return port.current
      }),
    [],
  )

  const remove = async (ids = [...checks.checked]): Promise<void> => {
    try {
      const done = await deleteRecords(object.name, ids)
      if (done) checks.clear()
      await refreshRecordCount(client, object.name)
      grid.current?.focus()
    } catch (error) {
      showProblem(error)
    }
  }

  const { open: openRecord, peek } = useRecordPeek({
    object,
    address,
    rows,
    render: props.peek,
    onShown: (line) => {
      if (line === undefined) return
      grid.current?.activate(line)
      if (readRecordAddress(window.location.hash.split('?')[1] ?? '').rec === undefined) grid.current?.focus()
    },
  })
  const activeRow = selection?.ranges.at(-1)?.anchor.row ?? -1
  const openActive = (): void => {
    const row = activeRow < 0 ? undefined : rows.getRow(activeRow)
    if (row) openRecord?.(activeRow, String(row.id))
  }
  const edited = useEditedCells(object.name)
  const marked = useMarkedCells(object.name)
  const menu = useRecordMenu({ object, rows, selection, grid, onDelete: (id) => void remove([id]) })

  const requests = requestsPath(
    object.name,
    writeQuery({ ...query, group: undefined, totals: undefined }),
    views.columns.length < fields.length ? views.columns.map(({ name }) => name) : undefined,
  )
  const openPanel = (next: ToolPanel | undefined): void => {
    setFilterField(undefined)
    setPanel(next)
  }
  const header = useHeaderMenu({
    object,
    query,
    terms,
    columns: views.columns,
    frozen,
    grid,
    onQuery: setQuery,
    onColumns: views.showColumns,
    onFilter: (field) => {
      setFilterField(field)
      setPanel('filter')
    },
  })

  const checkedCount = checks.checked.size
  useRecordCommands({
    object,
    checkedCount,
    requests,
    on: {
      add: () => setAdding(true),
      search: () => searchInput.current?.focus(),
      find: () => setFinding(true),
      panel: openPanel,
      summary: () => setSumming((current) => !current),
      bulkEdit: () => setBulkEditing(true),
      remove: () => void remove(),
      open: openRecord && activeRow >= 0 ? openActive : undefined,
    },
  })

  const { error, total } = view
  const drop = useFileDrop({ columns: views.columns, getRow: rows.getRow, save: writes.save })
  const filtered = condition !== undefined || query.search !== ''
  const clear = (): void => setQuery({ filter: undefined, search: '' })
  const panelOf = (id: ToolPanel) => (
    <Suspense fallback={null}>
      <ViewPanels
        panel={id}
        fields={fields}
        context={context}
        query={query}
        columns={views.columns}
        terms={terms}
        totals={totals}
        filterField={filterField}
        found={total}
        onQuery={setQuery}
        onColumns={views.showColumns}
        onToggleAll={view.toggleAll}
      />
    </Suspense>
  )

  return (
    <div className={classes.view}>
      <RecordToolbar
        object={object}
        fields={fields}
        context={context}
        query={query}
        searchInput={searchInput}
        checkedCount={checkedCount}
        onSearch={(search) => setQuery({ search })}
        terms={terms}
        panel={panel}
        onPanel={openPanel}
        panels={{
          filter: panelOf('filter'),
          sort: panelOf('sort'),
          group: panelOf('group'),
          columns: panelOf('columns'),
          rowHeight: panelOf('rowHeight'),
        }}
        columnsHidden={fields.length - views.columns.length}
        exporting={{
          ...(condition === undefined ? {} : { filter: condition }),
          ...(query.sort.length === 0 ? {} : { sort: sortText(query.sort) }),
          ...(query.search === '' ? {} : { search: query.search }),
          select: views.columns.map(({ name }) => name),
        }}
        present={edited.present}
        onOpen={openRecord && openActive}
        requests={requests}
        summing={summing}
        onSummary={() => setSumming((current) => !current)}
        onNew={() => setAdding(true)}
        onBulkEdit={() => setBulkEditing(true)}
        onDelete={() => void remove()}
        onClearChecks={checks.clear}
        onShare={menu.shareOne([...checks.checked])}
      />
      {host === 'down' && (
        <div className={classes.notice}>
          <Notice tone="warn" live>
            {t('records.offline')}
          </Notice>
        </div>
      )}
      {summing && (
        <Suspense fallback={null}>
          <SummaryPanel
            object={object.name}
            label={label}
            fields={fields}
            context={context}
            filter={condition}
            onGroup={(added) => setQuery({ filter: narrowed(query.filter, added) })}
            onClose={() => setSumming(false)}
          />
        </Suspense>
      )}
      {rows.failed ? (
        <LoadFailure error={error} onRetry={view.retry} />
      ) : (
        <div className={classes.beside}>
          <div className={classes.grid} {...drop}>
            {finding && (
              <FindBar
                columns={views.columns}
                context={context}
                rows={rows}
                groups={view.groups}
                from={selection?.ranges.at(-1)?.anchor}
                onHit={({ line, field }) => grid.current?.activate(line, field)}
                onClose={() => {
                  setFinding(false)
                  grid.current?.focus()
                }}
              />
            )}
            <DataGrid
              ref={grid}
              label={t('records.grid', { object: label })}
              columns={columns.list}
              rowCount={rows.rowCount}
              getRow={rows.getRow}
              changes={rows.changes}
              queryKey={rows.queryKey}
              groups={view.groups}
              totals={view.totalsLine}
              fieldContext={context}
              onVisibleRange={rows.onVisibleRange}
              loadRows={rows.loadRows}
              // Headings of groups stand in the first column.
              frozenColumns={view.groups ? Math.max(1, shownFrozen) : shownFrozen}
              rowHeight={query.rowHeight ?? (isTouch ? 36 : 28)}
              sort={query.sort}
              onSort={(field, order, additive) => setQuery({ sort: changeSort(query.sort, field, order, additive) })}
              onEdit={async (_index, field, value, row) => void (await writes.save(field, value, row))}
              onEditMany={writes.saveMany}
              onWriteMany={writes.saveRange}
              growing={!filtered && view.groups === undefined}
              onProgress={setProgress}
              onNotice={({ text, partly, undo }) =>
                showToast({
                  message: text,
                  tone: partly ? 'bad' : 'good',
                  stays: partly,
                  ...(undo ? { action: { label: t('app.undo'), run: undo } } : {}),
                })
              }
              onOpen={openRecord && ((line, row) => openRecord(line, String(row.id)))}
              followRow={rows.follow}
              onInsertBelow={() => setAdding(true)}
              onAppend={filtered || total === 0 ? undefined : () => setAdding(true)}
              checkedRows={checks.checked}
              onCheckRow={checks.onCheckRow}
              onCellMenu={menu.onCellMenu}
              onSelectionChange={setSelection}
              onUnsavedChange={view.onUnsavedChange}
              others={edited.cells}
              conflicts={marked}
              onEditing={edited.onEditing}
              onEscape={() => heading.current?.focus()}
              onColumnResize={columns.resize}
              onColumnMove={header.onColumnMove}
              onHeaderMenu={header.onHeaderMenu}
              emptyState={
                <NoRecords object={object} filtered={filtered} onClear={clear} onNew={() => setAdding(true)} />
              }
              footer={
                <StatusBar
                  total={total}
                  changes={rows.changes}
                  cut={view.cut}
                  error={error}
                  filtered={filtered}
                  checkedCount={checkedCount}
                  selection={selection}
                  progress={progress}
                  onRetry={view.retry}
                />
              }
            />
          </div>
          {peek}
        </div>
      )}
      {bulkEditing !== undefined && (
        <Suspense fallback={null}>
          <BulkEditDialog
            object={object.name}
            fields={fields}
            context={context}
            ids={[...checks.checked]}
            writes={writes}
            opened={bulkEditing}
            onClose={() => {
              setBulkEditing(false)
              setTimeout(() => grid.current?.focus())
            }}
          />
        </Suspense>
      )}
      {menu.elements}
      {header.elements}
      <NewRecordDialog object={object} context={context} opened={adding} onClose={() => setAdding(false)} />
      <ConflictDialog conflict={conflict} fields={fields} context={context} />
    </div>
  )
}
