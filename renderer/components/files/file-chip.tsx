// Owns a file as a person sees it in a row: a small picture or a sign for its kind, and its name.
import { IconFile, IconFileMusic, IconFileText, IconMovie, IconPhoto } from '@tabler/icons-react'
import type { TablerIcon } from '@tabler/icons-react'
import { previewKindOf } from '../../lib/file-bytes.ts'
import type { PreviewKind } from '../../lib/file-bytes.ts'
import type { FileReference } from '../../lib/file-uploads.ts'
import { useThumbnail } from '../../lib/use-thumbnail.ts'
import classes from './files.module.css'

const icons: Readonly<Record<PreviewKind, TablerIcon>> = {
  image: IconPhoto,
  pdf: IconFileText,
  text: IconFileText,
  audio: IconFileMusic,
  video: IconMovie,
}

/** The picture of a file; `large` fills its place. */
export function FileThumb(props: { file: FileReference; large?: boolean }) {
  const { file, large } = props
  const address = useThumbnail(file)
  const kind = previewKindOf(file.mimeType) ?? 'text'
  const Icon = icons[kind] ?? IconFile
  return (
    <span className={classes.thumb} data-large={large || undefined} aria-hidden>
      {address ? (
        // Another picture is another element: one that is given another source shows the last one until that is read.
        <img key={address} src={address} alt="" decoding="async" />
      ) : (
        // A picture on its way leaves its place empty: making a sign for each that is scrolled past costs frames.
        (address === null || kind !== 'image') && <Icon size={large ? 32 : 18} stroke={1.5} />
      )}
    </span>
  )
}
