// Owns the history of a record: every change, field by field, narrowed down to one field, and taking an old value back.
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { Delayed } from '../../components/delayed.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import { Initials } from '../../components/presence-avatars.tsx'
import { fieldLabel, findFieldType, isEditable } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { t, tn } from '../../lib/strings.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { showToast } from '../../lib/toast.ts'
import { plainValue, sameContent } from '../records/index.ts'
import { changelogQuery } from './feed-queries.ts'
import type { ChangelogEntry, FieldChange } from './feed-queries.ts'
import { FieldChanges } from './field-changes.tsx'
import { valuesAs } from './shown-values.ts'
import { Moment } from '../../components/moment.tsx'
import { valuesAfter } from './values-at.ts'
import classes from './activity.module.css'

/** The panel. */
export function HistoryPanel(props: {
  object: string
  record: GridRecord
  fields: readonly FieldDefinition[]
  context: FieldContext
  /** Writes one field of the record, undoable. */
  save: (field: string, value: unknown, row: GridRecord) => Promise<GridRecord>
  /** Writes several fields of the record as one undoable step; one message per field, null for saved. */
  saveMany: (values: Readonly<Record<string, unknown>>, row: GridRecord) => Promise<(string | null)[]>
}) {
  const { object, record, fields, context } = props
  const [field, setField] = useState('')
  const [busy, setBusy] = useState('')
  const query = changelogQuery(object, String(record['id']), field)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(query)
  const entries = data?.pages.flatMap((page) => page.entries)

  const definition = (name: string): FieldDefinition | undefined => fields.find((one) => one.name === name)
  const show = valuesAs(fields, context)
  const restore = async (change: FieldChange, key: string): Promise<void> => {
    setBusy(key)
    try {
      await props.save(change.field, change.oldValue ?? null, record)
      showToast({ message: t('history.restored', { field: change.fieldLabel ?? change.field }), tone: 'good' })
    } catch (problem) {
      showToast({ message: problem instanceof Error ? problem.message : String(problem), tone: 'bad' })
    } finally {
      setBusy('')
    }
  }
  const canRestore = (name: string): boolean => {
    const known = definition(name)
    return known !== undefined && isEditable(known) && !findFieldType(known.type)?.concealed
  }
  /** What differs from now in the record as it was right after an entry. */
  const differing = (entry: ChangelogEntry): [string, unknown][] =>
    [...valuesAfter(entries ?? [], entry.id)].filter(
      ([name, value]) => canRestore(name) && !sameContent(plainValue(record[name]), plainValue(value)),
    )
  const restoreAll = async (entry: ChangelogEntry): Promise<void> => {
    const values = differing(entry)
    if (values.length === 0) {
      showToast({ message: t('history.restoreAll.same') })
      return
    }
    const labels = values.map(([name]) => fieldLabel(definition(name) ?? { name, type: 'text' }))
    const sure = await confirmAction({
      title: t('history.restoreAll.title', { time: timeText(entry.timestamp) }),
      body: tn('history.restoreAll.body', values.length, { fields: labels.join(', ') }),
      confirmLabel: t('history.restoreAll.confirm'),
    })
    if (!sure) return
    setBusy(entry.id)
    try {
      const problems = (await props.saveMany(Object.fromEntries(values), record)).filter((problem) => problem !== null)
      if (problems.length > 0) {
        const said = [...new Set(problems)].join(' ')
        showToast({ message: t('history.restoreAll.refused', { problems: said }), tone: 'bad' })
      } else showToast({ message: tn('history.restoreAll.done', values.length), tone: 'good' })
    } finally {
      setBusy('')
    }
  }
  const timeText = (at: string): string =>
    new Intl.DateTimeFormat(context.locale, {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: context.timeZone,
    }).format(new Date(at))
  const restoreButton = (entry: ChangelogEntry, change: FieldChange) => {
    const known = definition(change.field)
    if (!known || entry.action === 'create' || !canRestore(change.field)) return null
    if (sameContent(plainValue(record[change.field]), plainValue(change.oldValue))) return null
    const key = `${entry.id} ${change.field}`
    return (
      <Button
        size="compact-xs"
        variant="subtle"
        className={classes.restore}
        loading={busy === key}
        aria-label={t('history.restoreOf', {
          field: fieldLabel(known),
          value: change.oldDisplayValue ?? show(change.field, change.oldValue) ?? '',
        })}
        onClick={() => void restore(change, key)}
      >
        {t('history.restore')}
      </Button>
    )
  }

  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  return (
    <div className={classes.panel}>
      <label className={classes.due}>
        {t('word.field')}
        <select className={classes.choice} value={field} onChange={(event) => setField(event.currentTarget.value)}>
          <option value="">{t('word.anyField')}</option>
          {fields.map((one) => (
            <option key={one.name} value={one.name}>
              {fieldLabel(one)}
            </option>
          ))}
        </select>
      </label>
      {entries === undefined ? (
        <Delayed>
          <p role="status">{t('history.loading')}</p>
        </Delayed>
      ) : entries.length === 0 ? (
        <p className={classes.empty}>{t(field === '' ? 'history.none' : 'history.noMatch')}</p>
      ) : (
        <ol className={classes.list} aria-label={t('history.entries')}>
          {entries.map((entry, at) => (
            <li key={entry.id} className={classes.entry}>
              <Initials name={nameOf(entry)} id={entry.actor.id} quiet />
              <div className={classes.body}>
                <p className={classes.head}>
                  <strong>{nameOf(entry)}</strong>
                  <span>{t(`history.did.${entry.action}`)}</span>
                  <span className={classes.when}>
                    <Moment at={entry.timestamp} />
                    {entry.source && entry.source !== 'UI' && <> · {t('history.by', { source: entry.source })}</>}
                  </span>
                </p>
                {entry.changes.length > 0 && (
                  <FieldChanges
                    changes={entry.changes}
                    fresh={entry.action === 'create'}
                    show={show}
                    after={(change) => restoreButton(entry, change)}
                  />
                )}
                {/* What followed is only known whole when the list is of all fields. */}
                {field === '' && at > 0 && differing(entry).length > 0 && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    className={classes.restore}
                    loading={busy === entry.id}
                    aria-label={t('history.restoreAll.of', { time: timeText(entry.timestamp) })}
                    onClick={() => void restoreAll(entry)}
                  >
                    {t('history.restoreAll')}
                  </Button>
                )}
              </div>
            </li>
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button variant="default" size="compact-sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('word.showOlder')}
        </Button>
      )}
      <p className="cairn-hidden" role="status">
        {data && tn('history.count', data.pages[0]?.total ?? 0)}
      </p>
    </div>
  )
}

function nameOf({ actor }: ChangelogEntry): string {
  return actor.name ?? (actor.type === 'user' ? t('word.somebody') : t('app.name'))
}
