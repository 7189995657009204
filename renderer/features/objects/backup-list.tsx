// Owns the list of what changes of an object removed, and bringing it back.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { formatNumber } from '../../lib/format.ts'
import { problemText } from '../../lib/problem-text.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { locale } from '../../lib/language.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { backupsQuery, refreshObjects, refreshRecordCount } from './object-queries.ts'
import parts from '../../components/parts.module.css'

type Backup = CallResult<'listSchemaBackups'>[number]

const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const dateText = (text: string): string => dates.format(new Date(text))

function whatText({ kind, field }: Backup): string {
  return t(`backups.kind.${kind}`, { field: field ?? '' })
}

/** The list; `locked` while the draft has changes that a restore would collide with. */
export function BackupList(props: { object: string; label: string; locked: boolean }) {
  const client = useQueryClient()
  const { data: backups, error, refetch } = useQuery(backupsQuery(props.object))
  const [busy, setBusy] = useState<string>()
  const [problem, setProblem] = useState<string>()

  const restore = async (backup: Backup): Promise<void> => {
    const what = whatText(backup)
    const created = dateText(backup.createdAt)
    const yes = await confirmAction({
      title: t('backups.ask.title'),
      body: t('backups.ask.body', { what, created }),
      confirmLabel: t('word.restore'),
    })
    if (!yes) return
    setBusy(backup.id)
    setProblem(undefined)
    try {
      await call('restoreSchemaBackup', { params: { name: props.object, id: backup.id } })
      showToast({ message: t('backups.done', { what }), tone: 'good' })
      tellRecordsChanged(props.object)
      await Promise.all([refreshObjects(client), refreshRecordCount(client, props.object), refetch()])
    } catch (failure) {
      setProblem(problemText(failure))
    } finally {
      setBusy(undefined)
    }
  }

  if (error && !backups) return <LoadFailure error={error} onRetry={() => void refetch()} />
  const columns = [
    { label: t('word.what') },
    { label: t('backups.column.records'), number: true },
    { label: t('word.made'), wide: true },
    { label: t('backups.column.expires'), wide: true },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <>
      <p>{t('backups.lead')}</p>
      {props.locked && backups && backups.length > 0 && <Notice tone="info">{t('backups.unsaved')}</Notice>}
      {problem && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      {backups?.length === 0 && <p>{t('backups.none')}</p>}
      {backups && backups.length > 0 && (
        <ListTable label={t('backups.list', { object: props.label })} columns={columns} stacked>
          {backups.map((backup) => (
            <tr key={backup.id}>
              <th scope="row">{whatText(backup)}</th>
              <td data-number>{formatNumber(backup.records)}</td>
              <td data-wide data-time>
                {dateText(backup.createdAt)}
              </td>
              <td data-wide data-time>
                {dateText(backup.expiresAt)}
              </td>
              <td>
                <div className={parts.rowButtons}>
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t('backups.restoreOf', { what: whatText(backup) })}
                    disabled={props.locked}
                    loading={busy === backup.id}
                    onClick={() => void restore(backup)}
                  >
                    {t('word.restore')}
                  </Button>
                </div>
              </td>
            </tr>
          ))}
        </ListTable>
      )}
    </>
  )
}
