// Owns one file in the list of all: looking at it, what names it, deleting it.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FileThumb } from '../../components/files/index.ts'
import { Moment } from '../../components/moment.tsx'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { openFilePreview } from '../../lib/file-preview.ts'
import { formatSize } from '../../lib/file-size.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { FilePlace } from './file-place.tsx'
import { refreshFiles } from './file-queries.ts'
import type { ListedFile } from './file-queries.ts'
import { UsesDialog } from './uses-dialog.tsx'
import classes from './files.module.css'

/** The row; `files` are those of the list, to look at one after the other. */
export function FileRow(props: { file: ListedFile; files: readonly ListedFile[]; at: number; isShared: boolean }) {
  const { file, files, at } = props
  const { fileId, name } = file
  const client = useQueryClient()
  const [showsUses, setShowsUses] = useState(false)
  const remove = async (): Promise<void> => {
    const sure = await confirmAction({
      title: t('word.askDelete', { name }),
      body: t('files.delete.body'),
      confirmLabel: t('word.delete'),
    })
    if (!sure) return
    try {
      await call('deleteFile', { params: { id: fileId }, query: {} })
      showToast({ message: t('files.deleted', { name }), tone: 'good' })
    } catch (error) {
      const isUsed = hasCode(error, 'delete_restricted')
      showToast({ message: isUsed ? t('files.delete.used') : problemText(error), tone: 'bad' })
    }
    await refreshFiles(client)
  }
  return (
    <tr className={classes.row}>
      <th scope="row">
        <button
          type="button"
          className={classes.open}
          aria-label={t('files.look', { name })}
          onClick={() => openFilePreview(files, at)}
        >
          <FileThumb file={file} />
          <span className={classes.name}>{name}</span>
        </button>
      </th>
      <td data-number>{formatSize(file.size)}</td>
      <td data-wide>{file.mimeType}</td>
      <td data-wide>
        <Moment at={file.created} />
      </td>
      {props.isShared && (
        <td>
          <FilePlace file={file} />
        </td>
      )}
      <td>
        {file.used ? (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('files.uses.show.of', { name })}
            onClick={() => setShowsUses(true)}
          >
            {t('word.show')}
          </Button>
        ) : (
          <span className={classes.quiet}>{t('files.uses.none')}</span>
        )}
      </td>
      <td>
        {!file.used && (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('word.deleteOf', { name })}
            onClick={() => void remove()}
          >
            {t('word.delete')}
          </Button>
        )}
        <UsesDialog opened={showsUses} file={file} onClose={() => setShowsUses(false)} />
      </td>
    </tr>
  )
}
