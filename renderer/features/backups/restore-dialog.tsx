// Owns the question before a restore: what would change, what is kept, and that somebody means it.
import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { formatMoment } from '../../lib/format.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { changesQuery } from './backup-queries.ts'
import type { Backup } from './backup-queries.ts'
import classes from './backups.module.css'
import { RestoreChanges } from './restore-changes.tsx'

/** The dialog; open while there is a backup. */
export function RestoreDialog(props: { backup: Backup | undefined; onClose: () => void; onRestarting: () => void }) {
  const made = formatMoment(props.backup?.createdAt)
  return (
    <Dialog
      opened={props.backup !== undefined}
      onClose={props.onClose}
      title={t('word.restoreBackupOf', { made })}
      size="lg"
    >
      {props.backup && <RestoreForm {...props} backup={props.backup} made={made} />}
    </Dialog>
  )
}

function RestoreForm(props: { backup: Backup; made: string; onClose: () => void; onRestarting: () => void }) {
  const { id } = props.backup
  const [sure, setSure] = useState(false)
  const { data: changes, error } = useQuery(changesQuery(id))
  const restore = async (): Promise<void> => {
    await call('restoreBackup', { params: { id }, body: { confirm: id } })
    props.onRestarting()
  }
  return (
    <DialogForm
      submit={t('backup.restore.do')}
      dangerous
      ready={sure && changes !== undefined}
      onClose={props.onClose}
      onSubmit={restore}
    >
      {(tried) => (
        <>
          <ul className={classes.points}>
            <li>{t('backup.restore.what')}</li>
            <li>{t('backup.restore.saved')}</li>
            <li>{t('backup.restore.restart')}</li>
          </ul>
          {error && (
            <Notice tone="bad" live>
              {problemText(error)}
            </Notice>
          )}
          {!changes && !error && <p role="status">{t('backup.restore.comparing')}</p>}
          {changes && <RestoreChanges changes={changes} />}
          <Checkbox
            label={t('backup.restore.sure', { made: props.made })}
            checked={sure}
            error={tried && !sure}
            onChange={(event) => setSure(event.currentTarget.checked)}
          />
        </>
      )}
    </DialogForm>
  )
}
