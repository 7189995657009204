// Owns stored views of an object as the screen uses them: reading, saving, changing, deleting.
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call } from '../../lib/api-client.ts'
import type { ViewKind } from '#shared/contracts/views.ts'
import { readConditions, readRowHeight, writeConditions } from './record-query.ts'
import type { RecordQuery, ViewOptions } from './record-query.ts'
import { t } from '../../lib/strings.ts'
import { readTerms, readTotals } from './group-terms.ts'
import { bodyOf, rememberView } from './view-steps.ts'
import type { ViewBody } from './view-steps.ts'
import type { ViewType } from './view-types.ts'
import { readViewType } from './view-types.ts'

/** What a stored view shows. */
export interface StoredView {
  id: string
  label: string
  type: ViewType
  personal: boolean
  isDefault: boolean
  query: Omit<RecordQuery, 'view' | 'options' | 'day'>
  /** What its kind is told beside the query. */
  options: ViewOptions
  /** Names of the shown fields in order; empty for all of them. */
  columns: readonly string[]
  /** Everything that is stored, for what only one kind of view reads. */
  config: Readonly<Record<string, unknown>>
}

/** What a person says of a view when saving it. */
export interface ViewDraft {
  label: string
  personal: boolean
  isDefault: boolean
}

function viewsQuery(object: string) {
  return queryOptions({
    queryKey: ['views', object] as const,
    queryFn: async ({ signal }): Promise<StoredView[]> => {
      const { views } = await call('listViews', { query: { object }, signal })
      return views.filter(({ hidden }) => hidden !== true).map(readView)
    },
  })
}

/** The stored views of an object; undefined until they are known, empty when the host keeps none. */
export function useViews(object: string, enabled: boolean): readonly StoredView[] | undefined {
  return useQuery({ ...viewsQuery(object), enabled }).data
}

/** The stored views of an object, and why they are not there. */
export function useStoredViews(object: string) {
  return useQuery(viewsQuery(object))
}

function readView(view: {
  id: string
  label: string
  viewKind: ViewKind
  scope: string
  isDefault: boolean
  config: Record<string, unknown>
}): StoredView {
  const { conditions, sort, search, columns, grouping, rowHeight } = view.config
  const type = readViewType(view.viewKind, view.config)
  return {
    id: view.id,
    label: view.label,
    type,
    options: readOptions(view.config[type]),
    config: view.config,
    personal: view.scope === 'personal',
    isDefault: view.isDefault,
    query: {
      filter: readConditions(conditions),
      sort: (Array.isArray(sort) ? sort : []).flatMap((term: unknown) => {
        const { field, order } = (term ?? {}) as { field?: unknown; order?: unknown }
        return typeof field === 'string'
          ? [{ field, order: order === 'desc' ? ('desc' as const) : ('asc' as const) }]
          : []
      }),
      search: typeof search === 'string' ? search : '',
      group: readTerms(listOf(grouping, ({ field, dateGranularity }) => [field, dateGranularity])),
      totals: readTotals(listOf(columns, ({ field, summary }) => (summary === undefined ? [] : [field, summary]))),
      frozen: frozenOf(columns),
      rowHeight: readRowHeight(rowHeight),
    },
    columns: (Array.isArray(columns) ? columns : []).flatMap((column: unknown) => {
      if (typeof column === 'string') return [column]
      const { field, hidden } = (column ?? {}) as { field?: unknown; hidden?: unknown }
      return typeof field === 'string' && hidden !== true ? [field] : []
    }),
  }
}

/** The options of a kind that are texts; others are kept by their kind. */
function readOptions(value: unknown): ViewOptions {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, option]) => {
      // Measures may be a list; screens draw one.
      const [first] = Array.isArray(option) ? (option as unknown[]) : [option]
      return typeof first === 'string' && first !== '' ? [[key, first]] : []
    }),
  )
}

/** Number of pinned columns at the start; undefined where the view says nothing of it. */
function frozenOf(columns: unknown): number | undefined {
  const pinned = (Array.isArray(columns) ? (columns as unknown[]) : []).map(
    (column) => (column as { pinned?: unknown } | null)?.pinned,
  )
  if (pinned.every((pin) => pin === undefined)) return undefined
  const end = pinned.findIndex((pin) => pin !== true && pin !== 'left')
  return end < 0 ? pinned.length : end
}

/** The entries of a list as the address writes them; a bare name is an entry too. */
function listOf(list: unknown, wordsOf: (entry: Record<string, unknown>) => unknown[]): string {
  const entries = Array.isArray(list) ? (list as unknown[]) : []
  return entries
    .map((entry) => wordsOf(typeof entry === 'string' ? { field: entry } : ((entry ?? {}) as Record<string, unknown>)))
    .map((words) => words.filter((word) => typeof word === 'string').join('.'))
    .join(',')
}

/**
 * What is on screen as the configuration of a view. `filter` is what other clients read; `conditions` keeps the operands
 * as they were typed.
 */
export function viewConfig(
  query: Omit<RecordQuery, 'view'>,
  columns: readonly string[],
  filter: Record<string, unknown> | undefined,
  type: ViewType = 'grid',
  options: ViewOptions = {},
): Record<string, unknown> {
  return {
    type,
    // An option that is taken away is a null in the change (JSON Merge Patch).
    ...(type === 'grid'
      ? {}
      : { [type]: Object.fromEntries(Object.entries(options).map(([key, value]) => [key, value || null])) }),
    columns: columns.map((name, index) => {
      const total = query.totals?.find(({ field }) => field === name)
      const { frozen } = query
      const isPinned = frozen !== undefined && index < frozen
      // The first column is pinned where nothing is said: that it is not has to be said.
      const pin = isPinned || (frozen === 0 && index === 0) ? { pinned: isPinned } : {}
      if (total === undefined && Object.keys(pin).length === 0) return name
      return { field: name, ...(total === undefined ? {} : { summary: total.fn }), ...pin }
    }),
    rowHeight: query.rowHeight ?? null,
    grouping:
      query.group?.map(({ field, bucket }) => ({
        field,
        ...(bucket === undefined ? {} : { dateGranularity: bucket }),
      })) ?? null,
    filter: filter ?? null,
    conditions: query.filter ? writeConditions(query.filter) : null,
    sort: query.sort.map(({ field, order }) => ({ field, order })),
    search: query.search,
  }
}

/** Writing views; each answers when the list of views is fresh again. */
export function useViewWrites(object: string) {
  const client = useQueryClient()
  const remember = (viewId: string, before: ViewBody | null, after: ViewBody | null): void => {
    const view = (after ?? before)?.label ?? viewId
    const step = before === null ? 'undo.view.created' : after === null ? 'undo.view.deleted' : 'undo.view.step'
    rememberView(t(step, { view }), { viewId, object, before, after })
  }
  const refresh = useCallback(() => client.invalidateQueries({ queryKey: ['views', object] }), [client, object])
  return {
    async create(draft: ViewDraft, config: Record<string, unknown>, viewKind: ViewKind = 'list'): Promise<string> {
      const { viewId, view } = await call('createView', {
        params: {},
        body: {
          object,
          viewKind,
          label: draft.label,
          scope: draft.personal ? 'personal' : 'shared',
          isDefault: draft.isDefault,
          config: withoutNulls(config),
        },
      })
      remember(viewId, null, bodyOf(view))
      await refresh()
      return viewId
    },
    async change(viewId: string, patch: { draft?: ViewDraft; config?: Record<string, unknown> }): Promise<void> {
      const { draft, config } = patch
      const before = await currentBody(object, viewId)
      const { view } = await call('updateView', {
        params: { viewId },
        body: {
          ...(draft === undefined
            ? {}
            : { label: draft.label, scope: draft.personal ? 'personal' : 'shared', isDefault: draft.isDefault }),
          ...(config === undefined ? {} : { config }),
        },
      })
      remember(viewId, before, bodyOf(view))
      await refresh()
    },
    async remove(viewId: string): Promise<void> {
      const before = await currentBody(object, viewId)
      await call('deleteView', { params: { viewId } })
      remember(viewId, before, null)
      await refresh()
    },
  }
}

async function currentBody(object: string, viewId: string): Promise<ViewBody> {
  const { views } = await call('listViews', { query: { object } })
  const view = views.find(({ id }) => id === viewId)
  if (!view) throw new Error(`The host does not name the view ${viewId}.`)
  return bodyOf(view)
}

/** A null means "take it away" in a change and nothing in a new view. */
function withoutNulls(config: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config)
      .filter(([, value]) => value !== null)
      .map(([key, value]: [string, unknown]) => [key, isMap(value) && key !== 'filter' ? withoutNulls(value) : value]),
  )
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
