// Owns the line above the records: search, the tools of the view, and what can be done with ticked rows. Tools that
// do not fit are in the menu at its end.
import { Button, CloseButton, Popover } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import {
  IconChartBar,
  IconCode,
  IconColumns3,
  IconFilter,
  IconLayoutList,
  IconLayoutSidebarRight,
  IconPlus,
  IconShare,
  IconTableImport,
  IconTools,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { PresenceAvatars } from '../../components/presence-avatars.tsx'
import type { Avatar } from '../../components/presence-avatars.tsx'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { t, tn } from '../../lib/strings.ts'
import { ExportItems, ExportMenu, useExport } from '../import/index.ts'
import type { ExportQuery } from '../import/index.ts'
import { objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { useFittingTools } from './fitting-tools.ts'
import { groupingText } from './group-labels.ts'
import type { GroupTerm } from './group-terms.ts'
import { MoreMenu } from './more-menu.tsx'
import { conditionWords } from './filter-words.ts'
import type { RecordQuery } from './record-query.ts'
import classes from './records.module.css'
import { SearchBox } from './search-box.tsx'

/** A tool, as a button of the line and as an entry of the menu. */
interface Tool {
  key: string
  label: string
  icon: ReactNode
  /** Whether it is in force: a filter, a grouping, an open panel. */
  isOn?: boolean
  expanded?: boolean
  /** What it does; absent for tools that bring their own button. */
  onClick?: () => void
  href?: string
  /** In place of the plain button. */
  button?: ReactNode
  /** In place of the plain entry. */
  items?: ReactNode
}

/** The tools of a view. */
export function RecordToolbar(props: {
  object: ObjectItem
  fields: readonly FieldDefinition[]
  context: FieldContext
  query: RecordQuery
  terms: readonly GroupTerm[]
  searchInput: RefObject<HTMLInputElement | null>
  /** What only this kind of view asks for; stands first. */
  own?: ReactNode
  checkedCount: number
  /** Choosing columns; null where nothing is chosen. */
  columns: ReactNode
  /** Whether some fields are no columns. */
  columnsHidden: boolean
  /** What is shown, as a file of it is asked for. */
  exporting: ExportQuery
  /** Path of the requests behind the view. */
  requests: string
  /** Whether the summary is open. */
  summing?: boolean
  /** Absent where the view has no summary beside it. */
  onSummary?: () => void
  /** Who else looks at these records. */
  present: readonly Avatar[]
  /** Opens the record of the active row; absent where records have no page. */
  onOpen?: (() => void) | undefined
  /** Absent where the view cannot be searched. */
  onSearch?: (text: string) => void
  onFilter: () => void
  /** Absent where the view has no headings. */
  onGroup?: () => void
  onNew: () => void
  onDelete: () => void
  onClearChecks: () => void
  /** Shares the one ticked record; undefined where that is not possible. */
  onShare: (() => void) | undefined
}) {
  const { object, query } = props
  const label = objectPluralLabel(object)
  const summary = filterSummary(props)
  const { data: manifest } = useQuery(discoveryQuery)
  // A capability that is not there has no entry; until the host has said so, it is taken to be there.
  const canSearch = manifest?.features.search !== false && object.enable?.searchable !== false
  const canImport = manifest?.features.import !== false
  const canSummarise = manifest?.features.analytics !== false
  const exporting = useExport({ object: object.name, query: props.exporting })
  const [choosingColumns, setChoosingColumns] = useState(false)
  const grouping = groupingText(props.terms, props.fields)

  const { row, count } = useFittingTools(
    JSON.stringify([label, summary, grouping, props.columns === null, canSummarise, canImport]) +
      `${query.view} ${props.checkedCount}`,
  )
  // In a popover while its button is there, else in a dialog: also when the window changes meanwhile.
  const columnsFit = count > (props.onGroup ? 2 : 1)

  // In the order of how soon they are wanted: the last ones go into the menu first.
  const tools: Tool[] = [
    {
      key: 'filter',
      label: summary === undefined ? t('records.filter') : t('records.filterOn', { summary }),
      icon: <IconFilter size={14} aria-hidden />,
      isOn: summary !== undefined,
      onClick: props.onFilter,
    },
    ...(props.onGroup
      ? [
          {
            key: 'group',
            label: grouping === '' ? t('groups.open') : t('groups.openOn', { fields: grouping }),
            icon: <IconLayoutList size={14} aria-hidden />,
            isOn: grouping !== '',
            onClick: props.onGroup,
          },
        ]
      : []),
    ...(props.columns === null
      ? []
      : [
          {
            key: 'columns',
            label: t('views.columns'),
            icon: <IconColumns3 size={14} aria-hidden />,
            isOn: props.columnsHidden,
            onClick: () => setChoosingColumns(true),
            button: (
              <ColumnsButton
                isOn={props.columnsHidden}
                opened={choosingColumns && columnsFit}
                onChange={setChoosingColumns}
              >
                {props.columns}
              </ColumnsButton>
            ),
          },
        ]),
    ...(canSummarise && props.onSummary
      ? [
          {
            key: 'summary',
            label: t('summary.open'),
            icon: <IconChartBar size={14} aria-hidden />,
            isOn: props.summing === true,
            expanded: props.summing === true,
            onClick: props.onSummary,
          },
        ]
      : []),
    ...(canImport
      ? [
          {
            key: 'export',
            label: t('export.open'),
            icon: null,
            button: <ExportMenu label={label} exporting={exporting} />,
            items: <ExportItems busy={exporting.busy} onChoose={(format) => void exporting.save(format)} />,
          },
          {
            key: 'import',
            label: t('records.import'),
            icon: <IconTableImport size={14} aria-hidden />,
            href: `#/o/${object.name}/import`,
          },
        ]
      : []),
    {
      key: 'api',
      label: t('records.api'),
      icon: <IconCode size={14} aria-hidden />,
      href: `#${props.requests}`,
    },
    {
      key: 'fields',
      label: t('records.fields'),
      icon: <IconTools size={14} aria-hidden />,
      href: `#/objects/${object.name}`,
    },
    ...(props.onOpen
      ? [
          {
            key: 'open',
            label: t('records.open'),
            icon: <IconLayoutSidebarRight size={14} aria-hidden />,
            onClick: props.onOpen,
          },
        ]
      : []),
  ]
  const left = tools.slice(count)

  return (
    <div className={classes.toolbar}>
      {props.own}
      {canSearch && props.onSearch && (
        <div className={classes.search}>
          <SearchBox
            ref={props.searchInput}
            label={t('records.search', { object: label })}
            value={query.search}
            onSearch={props.onSearch}
          />
        </div>
      )}
      {props.checkedCount > 0 && (
        <div className={classes.checked}>
          <span role="status">{tn('records.checked', props.checkedCount)}</span>
          <CloseButton size="sm" aria-label={t('records.clearSelection')} onClick={props.onClearChecks} />
          {props.onShare && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconShare size={14} aria-hidden />}
              onClick={props.onShare}
            >
              {t('records.share')}
            </Button>
          )}
          <Button
            size="xs"
            variant="light"
            color="red"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={props.onDelete}
          >
            {tn('records.delete', props.checkedCount)}
          </Button>
        </div>
      )}
      <PresenceAvatars members={props.present} />
      <div ref={row} className={classes.tools}>
        {tools.map((tool, at) => (
          <div key={tool.key} data-tool hidden={at >= count}>
            {tool.button ?? <ToolButton tool={tool} />}
          </div>
        ))}
        <div data-more hidden={left.length === 0}>
          <MoreMenu isOn={left.some(({ isOn }) => isOn)} entries={left} />
        </div>
        <div data-always>
          <Button size="xs" leftSection={<IconPlus size={14} aria-hidden />} onClick={props.onNew}>
            {t('records.new')}
          </Button>
        </div>
      </div>
      <Dialog
        opened={choosingColumns && !columnsFit}
        onClose={() => setChoosingColumns(false)}
        title={t('views.columns')}
        size="sm"
      >
        {props.columns}
      </Dialog>
    </div>
  )
}

function ToolButton({ tool }: { tool: Tool }) {
  const look = {
    size: 'xs',
    variant: tool.isOn ? 'light' : 'default',
    leftSection: tool.icon,
    classNames: { label: classes.toolLabel },
  } as const
  if (tool.href !== undefined) {
    return (
      <Button component="a" href={tool.href} {...look}>
        {tool.label}
      </Button>
    )
  }
  return (
    <Button aria-expanded={tool.expanded} onClick={tool.onClick} {...look}>
      {tool.label}
    </Button>
  )
}

function ColumnsButton(props: {
  isOn: boolean
  opened: boolean
  onChange: (opened: boolean) => void
  children: ReactNode
}) {
  return (
    <Popover
      opened={props.opened}
      onChange={props.onChange}
      position="bottom-end"
      transitionProps={{ duration: 0 }}
      trapFocus
      withinPortal={false}
      returnFocus
    >
      <Popover.Target>
        <Button
          size="xs"
          variant={props.isOn ? 'light' : 'default'}
          onClick={() => props.onChange(!props.opened)}
          leftSection={<IconColumns3 size={14} aria-hidden />}
        >
          {t('views.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('views.columns')}>{props.children}</Popover.Dropdown>
    </Popover>
  )
}

/** The first condition in words, and how many more there are. */
function filterSummary(props: {
  fields: readonly FieldDefinition[]
  context: FieldContext
  query: RecordQuery
}): string | undefined {
  const { filter } = props.query
  const [summary, ...more] = filter === undefined ? [] : conditionWords(filter, props.fields, props.context)
  return summary === undefined || more.length === 0 ? summary : tn('filter.more', more.length, { summary })
}
