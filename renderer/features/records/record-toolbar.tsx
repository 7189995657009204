// Owns the line above the records: search, the tools of the view, and what can be done with ticked rows. Tools that
// do not fit are in the menu at its end.
import { Button, CloseButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import {
  IconArrowsSort,
  IconChartBar,
  IconCode,
  IconColumns3,
  IconFilter,
  IconLayoutList,
  IconLayoutSidebarRight,
  IconLineHeight,
  IconPencil,
  IconPlus,
  IconShare,
  IconTableImport,
  IconTools,
  IconTrash,
} from '@tabler/icons-react'
import type { ReactNode, RefObject } from 'react'
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
import { ToolDialog, ToolPopover } from './tool-panel.tsx'

/** A tool, as a button of the line and as an entry of the menu. */
interface Tool {
  key: string
  label: string
  icon: ReactNode
  /** Whether it is in force: a filter, a grouping, an open panel. */
  isOn?: boolean
  expanded?: boolean
  /** The panel it opens, and what that is called. */
  panel?: { id: ToolPanel; title: string }
  /** What it does; absent for tools that bring their own button. */
  onClick?: () => void
  href?: string
  /** In place of the plain button. */
  button?: ReactNode
  /** In place of the plain entry. */
  items?: ReactNode
}

/** Panels of the toolbar; one is open at a time. */
export type ToolPanel = 'filter' | 'sort' | 'group' | 'columns' | 'rowHeight'

/** Below this width a panel is a dialog: a popover would be wider than the window. */
const narrow = '(max-width: 640px)'

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
  /** What the panels show; one that is absent has no tool. */
  panels: Readonly<Partial<Record<ToolPanel, ReactNode>>>
  /** The open panel. */
  panel: ToolPanel | undefined
  onPanel: (panel: ToolPanel | undefined) => void
  /** Number of fields that are no columns. */
  columnsHidden: number
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
  onNew: () => void
  /** What is done with ticked records; absent where none can be ticked. */
  onBulkEdit?: () => void
  onDelete?: () => void
  onClearChecks?: () => void
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
  const isNarrow = useMediaQuery(narrow, undefined, { getInitialValueInEffect: false }) ?? false
  const grouping = groupingText(props.terms, props.fields)

  const { row, count } = useFittingTools(
    JSON.stringify([label, summary, grouping, query.sort.length, props.columnsHidden, Object.keys(props.panels)]) +
      `${canSummarise} ${canImport} ${query.view} ${props.checkedCount}`,
  )
  const has = ({ panel }: Tool): boolean => panel === undefined || props.panels[panel.id] !== undefined
  // In the order of how soon they are wanted: the last ones go into the menu first.
  const all: Tool[] = [
    {
      key: 'filter',
      label: summary === undefined ? t('records.filter') : t('records.filterOn', { summary }),
      icon: <IconFilter size={14} aria-hidden />,
      isOn: summary !== undefined,
      panel: { id: 'filter', title: t('filter.title') },
    },
    {
      key: 'sort',
      label: query.sort.length === 0 ? t('sort.open') : tn('sort.openOn', query.sort.length),
      icon: <IconArrowsSort size={14} aria-hidden />,
      isOn: query.sort.length > 0,
      panel: { id: 'sort', title: t('sort.title') },
    },
    {
      key: 'group',
      label: grouping === '' ? t('groups.open') : t('groups.openOn', { fields: grouping }),
      icon: <IconLayoutList size={14} aria-hidden />,
      isOn: grouping !== '',
      panel: { id: 'group', title: t('groups.title') },
    },
    {
      key: 'columns',
      label: props.columnsHidden === 0 ? t('word.columns') : tn('columns.hidden', props.columnsHidden),
      icon: <IconColumns3 size={14} aria-hidden />,
      isOn: props.columnsHidden > 0,
      panel: { id: 'columns', title: t('word.columns') },
    },
    {
      key: 'rowHeight',
      label: t('rowHeight.open'),
      icon: <IconLineHeight size={14} aria-hidden />,
      isOn: query.rowHeight !== undefined,
      panel: { id: 'rowHeight', title: t('rowHeight.open') },
    },
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
  const tools = all.filter(has)
  const left = tools.slice(count).map((tool) => ({
    ...tool,
    ...(tool.panel ? { onClick: () => props.onPanel(tool.panel?.id) } : {}),
  }))
  // In a popover while its button is there, else in a dialog: also when the window changes meanwhile.
  const place = tools.findIndex(({ panel }) => panel !== undefined && panel.id === props.panel)
  const open = tools[place]?.panel
  const inDialog = place >= 0 && (isNarrow || place >= count)

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
          <span role="status">{tn('word.selected', props.checkedCount)}</span>
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
            variant="default"
            leftSection={<IconPencil size={14} aria-hidden />}
            onClick={props.onBulkEdit}
          >
            {tn('bulk.open', props.checkedCount)}
          </Button>
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
            {tool.panel ? (
              <ToolPopover
                label={tool.label}
                title={tool.panel.title}
                icon={tool.icon}
                isOn={tool.isOn === true}
                opened={open?.id === tool.panel.id && !inDialog}
                labelClass={classes.toolLabel}
                onChange={(opened) => props.onPanel(opened ? tool.panel?.id : undefined)}
              >
                {props.panels[tool.panel.id]}
              </ToolPopover>
            ) : (
              (tool.button ?? <ToolButton tool={tool} />)
            )}
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
      <ToolDialog title={open?.title ?? ''} opened={inDialog} onClose={() => props.onPanel(undefined)}>
        {open && props.panels[open.id]}
      </ToolDialog>
    </div>
  )
}

function ToolButton({ tool }: { tool: Tool }) {
  const look = {
    size: 'xs',
    variant: tool.isOn ? 'light' : 'subtle',
    ...(tool.isOn ? {} : { color: 'gray' }),
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
