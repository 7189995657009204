// Owns where the bytes of a file are: on this device, on another one, or on their way.
import { Progress } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../components/delayed.tsx'
import { formatSize } from '../../lib/file-size.ts'
import type { FileReference } from '../../lib/file-uploads.ts'
import { t } from '../../lib/strings.ts'
import type { ListedFile } from './file-queries.ts'
import { fileQuery } from './file-queries.ts'
import classes from './files.module.css'

/** The words for a list. */
export function FilePlace({ file }: { file: ListedFile }) {
  const { here, receivedBytes, machine } = file.place
  if (here) return <span className={classes.quiet}>{t('filePlace.here')}</span>
  if (receivedBytes !== null) return <span>{comingText(receivedBytes, file.size)}</span>
  return <span>{machine === null ? t('filePlace.away') : t('filePlace.away.of', { machine })}</span>
}

/** What is shown while bytes come; those of another device are counted. */
export function FetchProgress({ file }: { file: FileReference }) {
  const { data } = useQuery(fileQuery(file.fileId))
  if (data === undefined || data.place.here) return <Loading />
  const { receivedBytes, machine } = data.place
  const received = receivedBytes ?? 0
  return (
    <div className={classes.none} role="status">
      <p>{machine === null ? t('filePlace.waiting') : t('filePlace.waiting.of', { machine })}</p>
      <Progress
        aria-label={t('filePlace.progress', { name: file.name })}
        value={data.size === 0 ? 0 : (100 * received) / data.size}
      />
      <p className={classes.quiet}>{comingText(received, data.size)}</p>
    </div>
  )
}

function comingText(received: number, size: number): string {
  return t('filePlace.coming', { received: formatSize(received), size: formatSize(size) })
}
