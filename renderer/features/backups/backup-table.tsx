// Owns the list of backups.
import { Button } from '@mantine/core'
import { ListTable } from '../../components/list-table.tsx'
import { Moment } from '../../components/moment.tsx'
import parts from '../../components/parts.module.css'
import { formatBytes, formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import type { Backup } from './backup-queries.ts'

/** The list; `busy` is the id of the one something is done with. */
export function BackupTable(props: {
  backups: readonly Backup[]
  busy: string | undefined
  onVerify: (backup: Backup) => void
  onRestore: (backup: Backup) => void
  onRemove: (backup: Backup) => void
}) {
  const columns = [
    { label: t('word.made') },
    { label: t('backup.column.kind'), wide: true },
    { label: t('word.size'), number: true },
    { label: t('backup.column.state') },
    { label: t('backup.column.note'), wide: true },
    { label: t('word.whatToDo'), hidden: true },
  ]
  return (
    <ListTable label={t('word.backups')} columns={columns} stacked>
      {props.backups.map((backup) => {
        const made = formatMoment(backup.createdAt)
        const isBusy = props.busy === backup.id
        return (
          <tr key={backup.id}>
            <th scope="row">
              {made}
              <span className={parts.under}>
                <Moment at={backup.createdAt} />
              </span>
            </th>
            <td data-wide>{t(`backup.kind.${backup.kind}`)}</td>
            <td data-number>{formatBytes(backup.sizeBytes)}</td>
            <td>
              <span className={parts.badge} data-tone={backup.verified ? undefined : 'bad'}>
                {t(backup.verified ? 'backup.sound' : 'backup.damaged')}
              </span>
            </td>
            <td data-wide data-quiet>
              {backup.note}
            </td>
            <td>
              <div className={parts.rowButtons}>
                <Button
                  size="compact-sm"
                  variant="default"
                  disabled={isBusy || !backup.verified}
                  aria-label={t('word.restoreBackupOf', { made })}
                  onClick={() => props.onRestore(backup)}
                >
                  {t('word.restore')}
                </Button>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  loading={isBusy}
                  aria-label={t('backup.verifyOf', { made })}
                  onClick={() => props.onVerify(backup)}
                >
                  {t('backup.verify')}
                </Button>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  disabled={isBusy}
                  aria-label={t('backup.deleteOf', { made })}
                  onClick={() => props.onRemove(backup)}
                >
                  {t('word.delete')}
                </Button>
              </div>
            </td>
          </tr>
        )
      })}
    </ListTable>
  )
}
