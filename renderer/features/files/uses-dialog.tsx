// Owns what names a file: the records and comments one may see, as ways there.
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../components/delayed.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { problemText } from '../../lib/problem-text.ts'
import { recordPath } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import { usesQuery } from './file-queries.ts'
import type { ListedFile } from './file-queries.ts'
import classes from './files.module.css'

/** The dialog. */
export function UsesDialog(props: { opened: boolean; file: ListedFile; onClose: () => void }) {
  const { file } = props
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('files.uses.of', { name: file.name })}>
      {props.opened && <Uses fileId={file.fileId} onLeave={props.onClose} />}
    </Dialog>
  )
}

function Uses({ fileId, onLeave }: { fileId: string; onLeave: () => void }) {
  const { data, error } = useQuery(usesQuery(fileId))
  const { data: objects } = useObjects()
  if (error) return <Notice tone="bad">{problemText(error)}</Notice>
  if (!data) return <Loading />
  if (data.uses.length === 0) return <p className={classes.quiet}>{t('files.uses.hidden')}</p>
  return (
    <ul className={classes.uses}>
      {data.uses.map(({ object, recordId, field }) => {
        const known = objects?.find(({ name }) => name === object)
        const label = field === null ? t('files.uses.comment') : (known?.fields[field]?.label ?? field)
        return (
          <li key={`${object} ${recordId} ${field ?? ''}`}>
            <span>{t('files.uses.entry', { object: known ? objectPluralLabel(known) : object, field: label })}</span>
            <a className={parts.link} href={`#${recordPath(object, recordId)}`} onClick={onLeave}>
              {t('files.uses.open')}
            </a>
          </li>
        )
      })}
    </ul>
  )
}
