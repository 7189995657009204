// Owns showing a small picture of a file where one can be made.
import { useEffect, useState } from 'react'
import { madeThumbnail, thumbnailOf } from './file-bytes.ts'

/** What is passed by is not made a picture of: that costs the frames of who scrolls. */
const RESTING_MS = 120

/** The address of the picture; undefined until it is known, null where there is none. @param edge as of {@link thumbnailOf} */
export function useThumbnail(
  { fileId, mimeType, size }: { fileId: string; mimeType: string; size: number },
  edge?: number,
): string | null | undefined {
  const [made, setMade] = useState<{ fileId: string; address: string | undefined }>()
  const known = madeThumbnail(fileId, edge)
  const isKnown = known !== undefined
  useEffect(() => {
    if (isKnown) return
    let isShown = true
    const resting = setTimeout(() => {
      void thumbnailOf({ fileId, mimeType, size }, edge).then((address) => isShown && setMade({ fileId, address }))
    }, RESTING_MS)
    return () => {
      isShown = false
      clearTimeout(resting)
    }
  }, [isKnown, fileId, mimeType, size, edge])
  // A cell that is scrolled shows another file from one moment to the next.
  return known ?? (made?.fileId === fileId ? (made.address ?? null) : undefined)
}
