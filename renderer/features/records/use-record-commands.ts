// Owns the commands of a grid of records: what each is called, its key, and when it can be run. What they do is the view's.
import { useLocation } from 'wouter'
import { useCommands } from '../../lib/commands.ts'
import { t, tn } from '../../lib/strings.ts'
import { objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import type { ToolPanel } from './record-toolbar.tsx'

/** What the commands lead to. */
export interface RecordCommandActions {
  add(): void
  search(): void
  find(): void
  panel(panel: ToolPanel): void
  summary(): void
  bulkEdit(): void
  remove(): void
  /** Absent where no record can be opened. */
  open: (() => void) | undefined
}

/** Registers the commands while the grid is shown; `requests` is the path of the page with its requests. */
export function useRecordCommands(input: {
  object: ObjectItem
  checkedCount: number
  requests: string
  on: RecordCommandActions
}): void {
  const { object, checkedCount, on } = input
  const [, navigate] = useLocation()
  const label = objectPluralLabel(object)
  useCommands([
    {
      id: 'records.new',
      label: t('records.new'),
      group: 'records',
      shortcut: 'N',
      keywords: 'add create insert',
      run: on.add,
    },
    {
      id: 'records.search',
      label: t('records.search', { object: label }),
      group: 'records',
      shortcut: 'Mod+F',
      inTextFields: true,
      run: on.search,
    },
    {
      id: 'records.find',
      label: t('word.findInView'),
      group: 'records',
      shortcut: 'Mod+Shift+F',
      keywords: 'search next hit',
      inTextFields: true,
      run: on.find,
    },
    {
      id: 'records.filter',
      label: t('records.filter'),
      group: 'records',
      shortcut: 'F',
      run: () => on.panel('filter'),
    },
    {
      id: 'records.group',
      label: t('groups.title'),
      group: 'records',
      keywords: 'sum average headings pivot',
      run: () => on.panel('group'),
    },
    {
      id: 'records.sort',
      label: t('sort.title'),
      group: 'records',
      shortcut: 'S',
      keywords: 'order ascending descending',
      run: () => on.panel('sort'),
    },
    {
      id: 'records.columns',
      label: t('word.columns'),
      group: 'records',
      keywords: 'fields hide show reorder',
      run: () => on.panel('columns'),
    },
    {
      id: 'records.rowHeight',
      label: t('rowHeight.open'),
      group: 'records',
      keywords: 'dense compact tall',
      run: () => on.panel('rowHeight'),
    },
    {
      id: 'records.summary',
      label: t('summary.title', { object: label }),
      group: 'records',
      keywords: 'chart group pivot total',
      run: on.summary,
    },
    {
      id: 'records.bulkEdit',
      label: tn('bulk.open', checkedCount),
      group: 'records',
      shortcut: 'E',
      keywords: 'change many ticked fill',
      enabled: checkedCount > 0,
      run: on.bulkEdit,
    },
    {
      id: 'records.delete',
      label: checkedCount > 0 ? tn('records.delete', checkedCount) : t('records.deleteChecked'),
      group: 'records',
      shortcut: 'Mod+Delete',
      enabled: checkedCount > 0,
      run: on.remove,
    },
    {
      id: 'records.open',
      label: t('records.open'),
      group: 'records',
      keywords: 'peek details comments history',
      enabled: on.open !== undefined,
      run: () => on.open?.(),
    },
    {
      id: 'records.import',
      label: t('import.map.title', { object: label }),
      group: 'records',
      shortcut: 'I',
      run: () => navigate(`/o/${object.name}/import`),
    },
    {
      id: 'records.api',
      label: t('records.api.of'),
      group: 'records',
      keywords: 'rest graphql odata curl javascript python code',
      run: () => navigate(input.requests),
    },
    {
      id: 'records.fields',
      label: t('objects.editOf', { object: label }),
      group: 'records',
      run: () => navigate(`/objects/${object.name}`),
    },
  ])
}
