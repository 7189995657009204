// Owns looking at files: one in the middle of a dialog, others of the same place before and after it.
import { Button, Group } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { uploadProblem } from '../../components/files/index.ts'
import { fetchFile, previewBytes, previewKindOf } from '../../lib/file-bytes.ts'
import { closeFilePreview, openFilePreview, useFilePreview } from '../../lib/file-preview.ts'
import { formatSize } from '../../lib/file-size.ts'
import type { FileReference } from '../../lib/file-uploads.ts'
import { saveFile } from '../../lib/save-file.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { FetchProgress } from './file-place.tsx'
import { refreshFiles } from './file-queries.ts'
import classes from './files.module.css'

/** Characters of a text that are shown. */
const shownText = 200_000

/** The dialog; closed while nothing is looked at. */
export function FilePreview() {
  const open = useFilePreview()
  const file = open?.files[open.at]
  const count = open?.files.length ?? 0
  const move = (by: number): void => {
    if (open) openFilePreview(open.files, (open.at + by + count) % count)
  }
  return (
    <Dialog opened={file !== undefined} onClose={closeFilePreview} title={file?.name ?? ''} size="xl">
      {file && open && (
        <div
          onKeyDown={(event) => {
            const isPlayer = event.target instanceof HTMLMediaElement
            if (count < 2 || isPlayer || event.altKey) return
            if (event.key === 'ArrowRight') move(1)
            if (event.key === 'ArrowLeft') move(-1)
          }}
        >
          <div className={classes.stage}>
            <Content key={file.fileId} file={file} />
          </div>
          <Group justify="space-between" mt="sm">
            <Group gap={4}>
              {count > 1 && (
                <>
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    leftSection={<IconChevronLeft size={14} aria-hidden />}
                    onClick={() => move(-1)}
                  >
                    {t('files.preview.previous')}
                  </Button>
                  <span className={classes.quiet} aria-live="polite">
                    {t('files.preview.of', { at: open.at + 1, count })}
                  </span>
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    rightSection={<IconChevronRight size={14} aria-hidden />}
                    onClick={() => move(1)}
                  >
                    {t('files.preview.next')}
                  </Button>
                </>
              )}
            </Group>
            <Group gap={8}>
              <span className={classes.quiet}>{formatSize(file.size)}</span>
              <Button
                variant="default"
                size="compact-sm"
                leftSection={<IconDownload size={14} aria-hidden />}
                onClick={() => void save(file)}
              >
                {t('word.save')}
              </Button>
            </Group>
          </Group>
        </div>
      )}
    </Dialog>
  )
}

async function save({ fileId, name }: FileReference): Promise<void> {
  try {
    saveFile(name, await fetchFile(fileId))
  } catch (error) {
    showToast({ message: uploadProblem(error), tone: 'bad' })
  }
}

function Content({ file }: { file: FileReference }) {
  const { fileId, mimeType, size } = file
  const kind = previewKindOf(mimeType)
  const isShown = kind !== undefined && size <= previewBytes
  const { data: bytes, error } = useQuery({
    queryKey: ['file-bytes', fileId],
    queryFn: async ({ signal, client }) => {
      const found = await fetchFile(fileId, signal)
      // They may have come from another device just now.
      void refreshFiles(client)
      return found
    },
    enabled: isShown,
    staleTime: Infinity,
    gcTime: 60_000,
  })
  if (kind === undefined) return <p className={classes.none}>{t('files.preview.none')}</p>
  if (!isShown) return <p className={classes.none}>{t('files.preview.large')}</p>
  if (error) return <Notice tone="bad">{uploadProblem(error)}</Notice>
  if (!bytes) return <FetchProgress file={file} />
  if (kind === 'text') return <Text fileId={fileId} bytes={bytes} />
  return <Bytes file={file} kind={kind} bytes={bytes} />
}

function Bytes(props: { file: FileReference; kind: 'image' | 'pdf' | 'audio' | 'video'; bytes: Blob }) {
  const { file, kind, bytes } = props
  const address = useAddress(bytes, kind === 'pdf' ? 'application/pdf' : file.mimeType)
  if (address === undefined) return null
  if (kind === 'image') return <img className={classes.image} src={address} alt={file.name} />
  if (kind === 'audio') return <audio className={classes.audio} src={address} controls aria-label={file.name} />
  if (kind === 'video') return <video className={classes.image} src={address} controls aria-label={file.name} />
  return <iframe className={classes.page} src={address} title={file.name} />
}

/** An address of bytes that are taken for one type, whatever they are; it ends with whoever shows them. */
function useAddress(bytes: Blob, type: string): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, type])
  return address
}

function Text({ fileId, bytes }: { fileId: string; bytes: Blob }) {
  const { data: text } = useQuery({
    queryKey: ['file-text', fileId],
    queryFn: async () => bytes.slice(0, shownText * 4).text(),
    gcTime: 0,
  })
  if (text === undefined) return null
  return (
    <>
      <pre className={classes.text} tabIndex={0}>
        {text.slice(0, shownText)}
      </pre>
      {text.length > shownText && <p className={classes.quiet}>{t('files.preview.cut')}</p>}
    </>
  )
}
