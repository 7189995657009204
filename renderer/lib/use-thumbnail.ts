// Owns showing a small picture of a file where one can be made.
import { useEffect, useState } from 'react'
import { thumbnailOf } from './file-bytes.ts'

/** The address of the picture; undefined until it is there, and for what is no picture. @param edge as of {@link thumbnailOf} */
export function useThumbnail(
  { fileId, mimeType, size }: { fileId: string; mimeType: string; size: number },
  edge?: number,
): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    let isShown = true
    void thumbnailOf({ fileId, mimeType, size }, edge).then((made) => isShown && setAddress(made))
    return () => {
      isShown = false
    }
  }, [fileId, mimeType, size, edge])
  return address
}
