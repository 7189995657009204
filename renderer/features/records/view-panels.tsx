// Owns the panels of the toolbar: each changes what the view shows, at once. Loaded with the first one that is opened.
import { FocusTrap, Radio, Stack } from '@mantine/core'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { ColumnPanel } from './column-panel.tsx'
import { FilterPanel } from './filter-panel.tsx'
import { GroupPanel } from './group-panel.tsx'
import type { GroupTerm, TotalTerm } from './group-terms.ts'
import { readRowHeight, rowHeights } from './record-query.ts'
import type { RecordQuery } from './record-query.ts'
import type { ToolPanel } from './record-toolbar.tsx'
import { SortPanel } from './sort-panel.tsx'

interface ViewPanelsProps {
  panel: ToolPanel
  fields: readonly FieldDefinition[]
  context: FieldContext
  query: RecordQuery
  columns: readonly FieldDefinition[]
  terms: readonly GroupTerm[]
  totals: readonly TotalTerm[]
  /** The field the filter was opened for. */
  filterField: string | undefined
  found: number | undefined
  onQuery: (next: Partial<RecordQuery>) => void
  onColumns: (names: readonly string[]) => void
  onToggleAll: (open: boolean) => void
}

/** One of the panels; it takes the focus when it is there, which is after the frame around it where it had to be loaded. */
export function ViewPanels(props: ViewPanelsProps) {
  return (
    <FocusTrap active>
      <div>
        <Panel {...props} />
      </div>
    </FocusTrap>
  )
}

function Panel(props: ViewPanelsProps) {
  const { fields, query, columns, onQuery } = props
  switch (props.panel) {
    case 'filter':
      return (
        <FilterPanel
          fields={fields}
          context={props.context}
          filter={query.filter}
          startField={props.filterField}
          found={props.found}
          onFilter={(filter) => onQuery({ filter })}
        />
      )
    case 'sort':
      return <SortPanel fields={fields} sort={query.sort} onSort={(sort) => onQuery({ sort })} />
    case 'group':
      return (
        <GroupPanel
          fields={fields}
          columns={columns}
          terms={props.terms}
          totals={props.totals}
          onTerms={(group) => onQuery({ group })}
          onTotals={(totals) => onQuery({ totals })}
          onToggleAll={props.onToggleAll}
          onClear={() => onQuery({ group: undefined, totals: undefined })}
        />
      )
    case 'columns':
      return <ColumnPanel fields={fields} shown={columns.map(({ name }) => name)} onShown={props.onColumns} />
    case 'rowHeight':
      return (
        <Radio.Group
          aria-label={t('rowHeight.open')}
          value={String(query.rowHeight ?? rowHeights[0])}
          onChange={(height) => onQuery({ rowHeight: readRowHeight(Number(height)) })}
        >
          <Stack gap={8}>
            {rowHeights.map((height) => (
              <Radio key={height} size="xs" value={String(height)} label={t(`rowHeight.${height}` as StringKey)} />
            ))}
          </Stack>
        </Radio.Group>
      )
  }
}
