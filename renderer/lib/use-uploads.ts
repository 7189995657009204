// Owns the uploads of one place on screen: their states in order, and what is done with each file that has arrived.
import { useCallback, useEffect, useRef, useState } from 'react'
import { startUpload } from './file-uploads.ts'
import type { FileReference, Upload, UploadState } from './file-uploads.ts'

/** The uploads of a place. */
export interface Uploads {
  /** Those that are under way or failed. */
  readonly states: readonly UploadState[]
  add(files: Iterable<File>): void
  pause(key: string): void
  resume(key: string): void
  cancel(key: string): void
}

/**
 * Sends files.
 * @param onFile called with each file that has arrived, also after the place is gone when `keeps`
 * @param keeps whether uploads go on when the place is gone
 */
export function useUploads(onFile: (file: FileReference) => void, keeps = false): Uploads {
  const [states, setStates] = useState<readonly UploadState[]>([])
  const uploads = useRef(new Map<string, Upload>())
  const arrived = useRef(onFile)
  arrived.current = onFile

  useEffect(() => {
    const running = uploads.current
    return () => {
      if (!keeps) for (const upload of running.values()) upload.cancel()
    }
  }, [keeps])

  const add = useCallback((files: Iterable<File>): void => {
    for (const file of files) {
      const upload = startUpload(file, (state) => {
        setStates((before) => {
          const isOver = state.status === 'done' || state.status === 'cancelled'
          if (isOver) return before.filter(({ key }) => key !== state.key)
          return before.some(({ key }) => key === state.key)
            ? before.map((one) => (one.key === state.key ? state : one))
            : [...before, state]
        })
      })
      uploads.current.set(upload.key, upload)
      setStates((before) => (before.some(({ key }) => key === upload.key) ? before : [...before, upload.state()]))
      upload.done
        .then((stored) => arrived.current(stored))
        // What failed is shown with its state, and can be tried again.
        .catch(() => undefined)
        .finally(() => uploads.current.delete(upload.key))
    }
  }, [])
  const on = (what: 'pause' | 'resume' | 'cancel') => (key: string) => uploads.current.get(key)?.[what]()
  return { states, add, pause: on('pause'), resume: on('resume'), cancel: on('cancel') }
}
