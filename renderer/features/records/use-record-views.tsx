// Owns which stored view is on screen, what of it was changed, which columns are shown, and the dialogs that keep views.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { FieldDefinition } from '../../fields/index.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import type { RecordQuery } from './record-query.ts'
import { useViewWrites, useViews, viewConfig } from './record-views.ts'
import type { StoredView, ViewDraft } from './record-views.ts'
import { ViewDialog } from './view-dialog.tsx'
import { ColumnsList, ViewMenu } from './view-menu.tsx'

/** What a view of records needs of stored views. */
export interface RecordViews {
  /** False while the chosen view is still on its way: its columns are not known. */
  ready: boolean
  /** The shown fields, in order. */
  columns: readonly FieldDefinition[]
  /** The menu of views; null where the host keeps none. */
  menu: ReactNode
  /** The list that chooses columns; null where the host keeps no views. */
  columnsList: ReactNode
  /** Shows these fields in this order; kept when the view is saved. */
  showColumns(names: readonly string[]): void
  /** The dialogs. */
  dialogs: ReactNode
}

interface ViewsInput {
  object: string
  fields: readonly FieldDefinition[]
  query: RecordQuery
  /** The condition in force as the API takes it. */
  filter: Record<string, unknown> | undefined
  onQuery: (query: RecordQuery) => void
}

const everything: Omit<RecordQuery, 'view'> = {
  filter: undefined,
  sort: [],
  search: '',
  group: undefined,
  totals: undefined,
  frozen: undefined,
  rowHeight: undefined,
}

/** The views of an object; the address says which one is chosen. */
export function useRecordViews({ object, fields, query, filter, onQuery }: ViewsInput): RecordViews {
  const { data: manifest } = useQuery(discoveryQuery)
  const isKept = manifest?.routes.views !== undefined && manifest.routes.views !== null
  const views = useViews(object, isKept)
  const writes = useViewWrites(object)
  const current = views?.find(({ id }) => id === query.view)
  const [dialog, setDialog] = useState<{ kind: 'new' | 'rename'; draft: ViewDraft }>()
  const [chosen, setChosen] = useState<{ key: string; names: readonly string[] }>()

  const allNames = useMemo(() => fields.map(({ name }) => name), [fields])
  const storedNames = useMemo(() => {
    const known = (current?.columns ?? []).filter((name) => allNames.includes(name))
    return known.length > 0 ? known : allNames
  }, [current, allNames])
  const key = `${object} ${query.view}`
  const names = chosen?.key === key ? chosen.names.filter((name) => allNames.includes(name)) : storedNames
  const columns = useMemo(
    () => names.flatMap((name) => fields.filter((field) => field.name === name)),
    // The names decide; a new array of the same names changes nothing.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- names is compared by its text
    [names.join(' '), fields],
  )

  useDefaultView(object, views, query, onQuery)

  const choose = useCallback(
    (view: StoredView | undefined): void => {
      setChosen(undefined)
      onQuery(view ? { ...view.query, view: view.id } : { ...everything, view: '' })
    },
    [onQuery],
  )
  const config = (): Record<string, unknown> => viewConfig(query, names, filter)
  const changed =
    current !== undefined && (textOf(current.query) !== textOf(query) || names.join(' ') !== storedNames.join(' '))

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      showProblem(error)
    }
  }
  const save = async (draft: ViewDraft): Promise<void> => {
    if (dialog?.kind === 'rename' && current) {
      await writes.change(current.id, { draft })
    } else {
      const id = await writes.create(draft, config())
      onQuery({ ...query, view: id })
    }
    setDialog(undefined)
    showToast({ message: t('views.saved'), tone: 'good' })
  }
  const remove = async (view: StoredView): Promise<void> => {
    const sure = await confirmAction({
      title: t('views.delete.title'),
      body: t('views.delete.question', { view: view.label }),
      confirmLabel: t('views.delete'),
    })
    if (!sure) return
    await writes.remove(view.id)
    choose(undefined)
    showToast({ message: t('views.deleted') })
  }

  const menu = isKept && (
    <ViewMenu
      views={views ?? []}
      current={current}
      changed={changed}
      onChoose={choose}
      onSaveNew={() => setDialog({ kind: 'new', draft: { label: '', personal: false, isDefault: false } })}
      onUpdate={() => current && void attempt(() => writes.change(current.id, { config: config() }))}
      onRename={() => current && setDialog({ kind: 'rename', draft: draftOf(current) })}
      onDelete={() => current && void attempt(() => remove(current))}
    />
  )
  const columnsList = isKept && (
    <ColumnsList fields={fields} shown={names} onChange={(next) => setChosen({ key, names: next })} />
  )
  const showColumns = useCallback((next: readonly string[]) => setChosen({ key, names: next }), [key])
  const dialogs = (
    <ViewDialog
      title={dialog?.kind === 'rename' ? t('views.rename.title') : t('views.save.title')}
      draft={dialog?.draft}
      onClose={() => setDialog(undefined)}
      onSave={save}
    />
  )
  const ready = query.view === '' || (manifest !== undefined && (!isKept || views !== undefined))
  return { ready, columns, menu: menu || null, columnsList: columnsList || null, showColumns, dialogs }
}

/** An object that is opened without any wish begins with its default view, once. */
function useDefaultView(
  object: string,
  views: readonly StoredView[] | undefined,
  query: RecordQuery,
  onQuery: (query: RecordQuery) => void,
): void {
  const opened = useRef<string>(undefined)
  const isPlain = query.view === '' && textOf(query) === textOf(everything)
  useEffect(() => {
    if (views === undefined || opened.current === object) return
    opened.current = object
    const first =
      views.find(({ isDefault, personal }) => isDefault && personal) ?? views.find(({ isDefault }) => isDefault)
    if (isPlain && first) onQuery({ ...first.query, view: first.id })
  }, [object, views, isPlain, onQuery])
}

function draftOf({ label, personal, isDefault }: StoredView): ViewDraft {
  return { label, personal, isDefault }
}

function textOf({ filter, sort, search, group, totals, frozen, rowHeight }: Omit<RecordQuery, 'view'>): string {
  return JSON.stringify([filter ?? null, sort, search, group ?? [], totals ?? [], frozen ?? null, rowHeight ?? null])
}
