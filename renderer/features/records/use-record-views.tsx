// Owns which stored view is on screen, what of it was changed, which columns are shown, and the dialogs that keep views.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import { isEditable } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { connection } from '../../lib/bridge.ts'
import { useCommands } from '../../lib/commands.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import type { RecordQuery, ViewOptions } from './record-query.ts'
import { useViewWrites, useViews, viewConfig } from './record-views.ts'
import type { StoredView, ViewDraft } from './record-views.ts'
import { ViewDialog } from './view-dialog.tsx'
import { NewViewMenu, ViewMenu } from './view-menu.tsx'
import { ViewTabs } from './view-tabs.tsx'
import { withConditions } from './made-filter.ts'
import { requestText } from './view-request.ts'
import { firstOptions, viewTypes } from './view-types.ts'
import type { ViewType } from './view-types.ts'

/** What a view of records needs of stored views. */
export interface RecordViews {
  /** False while the chosen view is still on its way: its kind and its columns are not known. */
  ready: boolean
  type: ViewType
  /** The kind of a stored view, by its id; that of all records where there is none. */
  typeOf(id: string): ViewType
  /** The stored view on screen; undefined for all records. */
  current: StoredView | undefined
  /** What the kind of view is told, changes that are not stored included. */
  options: ViewOptions
  /** The shown fields, in order. */
  columns: readonly FieldDefinition[]
  /** Heading, tabs and menus of the views. */
  bar: ReactNode
  heading: RefObject<HTMLHeadingElement | null>
  /** Shows these fields in this order; kept when the view is saved. */
  showColumns(names: readonly string[]): void
  /** The dialogs. */
  dialogs: ReactNode
}

interface ViewsInput {
  object: string
  /** What the object is called. */
  label: string
  fields: readonly FieldDefinition[]
  context: FieldContext
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
  options: undefined,
  day: undefined,
  frozen: undefined,
  rowHeight: undefined,
}

/** What the dialog is open for. */
interface OpenDialog {
  kind: 'new' | 'copy' | 'rename'
  type: ViewType
  draft: ViewDraft
}

/** The views of an object; the address says which one is chosen. */
export function useRecordViews(input: ViewsInput): RecordViews {
  const { object, label, fields, context, query, filter, onQuery } = input
  const { data: manifest } = useQuery(discoveryQuery)
  const isKept = manifest?.routes.views !== undefined && manifest.routes.views !== null
  const stored = useViews(object, isKept)
  const views = useMemo(() => stored?.map((view) => withConditions(view, fields, context)), [stored, fields, context])
  const writes = useViewWrites(object)
  const viewOf = (id: string): StoredView | undefined => views?.find((view) => view.id === id)
  const current = viewOf(query.view)
  const [dialog, setDialog] = useState<OpenDialog>()
  const [chosen, setChosen] = useState<{ key: string; names: readonly string[] }>()
  const heading = useRef<HTMLHeadingElement>(null)

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

  useOpenedView(object, views, query, onQuery)

  const choose = useCallback(
    (view: StoredView | undefined): void => {
      setChosen(undefined)
      onQuery(view ? { ...everything, ...view.query, view: view.id } : { ...everything, view: '' })
    },
    [onQuery],
  )
  /** Kinds of views that were made a moment ago and are not in the list yet. */
  const made = useRef(new Map<string, ViewType>())
  const typeOf = (id: string): ViewType => viewOf(id)?.type ?? made.current.get(id) ?? 'grid'
  const type = current?.type ?? 'grid'
  const storedOptions = current?.options
  const { options: changedOptions } = query
  const options = useMemo(() => changedOptions ?? storedOptions ?? {}, [changedOptions, storedOptions])
  const config = (): Record<string, unknown> => ({
    ...viewConfig(query, names, filter, type, { ...blank(storedOptions), ...options }),
    // A kind that is shown as a grid stays what it is.
    ...(current?.config['type'] === undefined ? {} : { type: current.config['type'] }),
  })
  const changed =
    current !== undefined &&
    current.type !== 'form' &&
    (textOf(current.query) !== textOf(query) ||
      names.join(' ') !== storedNames.join(' ') ||
      optionsText(options) !== optionsText(current.options))

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      showProblem(error)
    }
  }
  const save = async (draft: ViewDraft): Promise<void> => {
    if (!dialog) return
    if (dialog.kind === 'rename' && current) {
      await writes.change(current.id, { draft })
    } else {
      const id = await writes.create(draft, configOf(dialog), dialog.type === 'form' ? 'form' : 'list')
      made.current.set(id, dialog.type)
      if (dialog.kind === 'copy') onQuery({ ...query, options: undefined, view: id })
      else onQuery({ ...everything, view: id })
    }
    setDialog(undefined)
    showToast({ message: t('views.saved'), tone: 'good' })
  }
  const configOf = ({ kind, type: wanted }: OpenDialog): Record<string, unknown> => {
    if (kind === 'copy') return wanted === 'form' ? { ...current?.config } : config()
    if (wanted === 'form') return { type: 'simple', fields: writable(fields) }
    const plain = { ...everything, filter: undefined }
    return viewConfig(plain, [], undefined, wanted, firstOptions(wanted, fields))
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

  const step = (by: 1 | -1): void => {
    const all = [undefined, ...(views ?? [])]
    const at = all.findIndex((view) => view?.id === current?.id)
    choose(all[(at + by + all.length) % all.length])
  }
  useCommands([
    {
      id: 'views.next',
      label: t('views.next'),
      group: 'records',
      shortcut: 'Alt+PageDown',
      enabled: (views?.length ?? 0) > 0,
      run: () => step(1),
    },
    {
      id: 'views.previous',
      label: t('views.previous'),
      group: 'records',
      shortcut: 'Alt+PageUp',
      enabled: (views?.length ?? 0) > 0,
      run: () => step(-1),
    },
    ...viewTypes.map((wanted) => ({
      id: `views.new.${wanted}`,
      label: t('views.new.title', { type: t(`views.type.${wanted}`) }),
      group: 'records' as const,
      keywords: 'tab add',
      enabled: isKept && firstOptions(wanted, fields) !== undefined,
      run: () => openNew(wanted),
    })),
  ])

  const openNew = (wanted: ViewType): void =>
    setDialog({ kind: 'new', type: wanted, draft: { ...plainDraft, label: t(`views.type.${wanted}`) } })
  const openCopy = (name: string): void => setDialog({ kind: 'copy', type, draft: { ...plainDraft, label: name } })
  const bar = (
    <ViewTabs
      label={label}
      heading={heading}
      views={isKept ? (views ?? []) : undefined}
      current={current}
      changed={changed}
      onChoose={choose}
      menus={
        <>
          <ViewMenu
            name={current?.label ?? t('word.allRecords')}
            current={current}
            changed={changed}
            onUpdate={() =>
              current &&
              void attempt(async () => {
                await writes.change(current.id, { config: config() })
                if (query.options !== undefined) onQuery({ ...query, options: undefined })
              })
            }
            onReset={() => choose(current)}
            onSaveNew={() => openCopy('')}
            onRename={() => current && setDialog({ kind: 'rename', type, draft: draftOf(current) })}
            onDuplicate={() => current && openCopy(t('views.copyName', { view: current.label }))}
            onCopy={(form) =>
              void attempt(async () => {
                const { baseUrl, prefix } = await connection()
                const request = { base: baseUrl + prefix, object, query, filter, columns: names }
                await navigator.clipboard.writeText(requestText(form, request))
                showToast({ message: t('views.copied'), tone: 'good' })
              })
            }
            onDefault={() =>
              current &&
              void attempt(async () =>
                writes.change(current.id, { draft: { ...draftOf(current), isDefault: !current.isDefault } }),
              )
            }
            onDelete={() => current && void attempt(async () => remove(current))}
          />
          <NewViewMenu fields={fields} onNew={openNew} />
        </>
      }
    />
  )
  const showColumns = useCallback((next: readonly string[]) => setChosen({ key, names: next }), [key])
  const dialogs = (
    <ViewDialog
      title={dialog === undefined ? '' : titleOf(dialog)}
      draft={dialog?.draft}
      canComeFirst={dialog?.type !== 'form'}
      onClose={() => setDialog(undefined)}
      onSave={save}
    />
  )
  const ready = query.view === '' || (manifest !== undefined && (!isKept || views !== undefined))
  return { ready, type, typeOf, current, options, columns, showColumns, bar, heading, dialogs }
}

const plainDraft: ViewDraft = { label: '', personal: false, isDefault: false }

function titleOf({ kind, type }: OpenDialog): string {
  if (kind === 'rename') return t('views.rename.title')
  return kind === 'copy' ? t('views.save.title') : t('views.new.title', { type: t(`views.type.${type}`) })
}

/** Every option that is stored, as taken away. */
function blank(stored: ViewOptions = {}): ViewOptions {
  return Object.fromEntries(Object.keys(stored).map((key) => [key, '']))
}

/** Fields that people fill in, as a new form shows them. */
function writable(fields: readonly FieldDefinition[]): string[] {
  return fields.filter((field) => isEditable(field)).map(({ name }) => name)
}

/**
 * An object that is opened without any wish begins with its default view, once; an address that names nothing but a view
 * begins with what that view shows.
 */
function useOpenedView(
  object: string,
  views: readonly StoredView[] | undefined,
  query: RecordQuery,
  onQuery: (query: RecordQuery) => void,
): void {
  const opened = useRef<{ object: string; id: string }>(undefined)
  const { view: id, day } = query
  const isPlain = query.options === undefined && textOf(query) === textOf(everything)
  useEffect(() => {
    if (views === undefined) return
    const before = opened.current
    opened.current = { object, id }
    // Beside the first look at an object, a link that names another view and nothing of it means what is stored.
    if (!isPlain || (before?.object === object && (id === '' || before.id === id))) return
    const named = views.find((view) => view.id === id)
    const first =
      views.find(({ isDefault, personal, type }) => isDefault && personal && type !== 'form') ??
      views.find(({ isDefault, type }) => isDefault && type !== 'form')
    const wanted = id === '' ? first : named
    if (wanted && (id === '' || textOf(wanted.query) !== textOf(everything))) {
      onQuery({ ...wanted.query, day, view: wanted.id })
    }
  }, [object, views, isPlain, id, day, onQuery])
}

function draftOf({ label, personal, isDefault }: StoredView): ViewDraft {
  return { label, personal, isDefault }
}

function textOf({ filter, sort, search, group, totals, frozen, rowHeight }: Omit<RecordQuery, 'view'>): string {
  return JSON.stringify([filter ?? null, sort, search, group ?? [], totals ?? [], frozen ?? null, rowHeight ?? null])
}

function optionsText(options: ViewOptions): string {
  const given = Object.entries(options).filter(([, value]) => value !== '')
  return JSON.stringify(given.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
