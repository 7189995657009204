// Owns a list of files that can be looked at and, where that may be, taken out again.
import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { openFilePreview } from '../../lib/file-preview.ts'
import { formatSize } from '../../lib/file-size.ts'
import type { FileReference } from '../../lib/file-uploads.ts'
import { t } from '../../lib/strings.ts'
import { FileThumb } from './file-chip.tsx'
import classes from './files.module.css'

/** The list. */
export function ChosenFiles(props: {
  files: readonly FileReference[]
  label: string
  onRemove?: (file: FileReference) => void
}) {
  const { files, onRemove } = props
  if (files.length === 0) return null
  return (
    <ul className={classes.chosen} aria-label={props.label}>
      {files.map((file, at) => (
        <li key={file.fileId} className={classes.file}>
          <button type="button" className={classes.fileButton} onClick={() => openFilePreview(files, at)}>
            <FileThumb file={file} />
            <span className="cairn-hidden">{t('files.look.verb')} </span>
            <span className={classes.fileName}>{file.name}</span>
            <span className={classes.fileSize}>{formatSize(file.size)}</span>
          </button>
          {onRemove && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={24}
              c="var(--cairn-text-quiet)"
              aria-label={t('word.removeOf', { name: file.name })}
              title={t('word.removeOf', { name: file.name })}
              onClick={() => onRemove(file)}
            >
              <IconX size={14} />
            </ActionIcon>
          )}
        </li>
      ))}
    </ul>
  )
}
