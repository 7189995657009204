// Owns which files are looked at: opened from anywhere, shown by the frame.
import { create } from 'zustand'
import type { FileReference } from './file-uploads.ts'

/** Files that are looked at one after the other. */
export interface OpenPreview {
  readonly files: readonly FileReference[]
  readonly at: number
}

const useStore = create<{ open: OpenPreview | undefined }>(() => ({ open: undefined }))

/** Looks at a file, with others of the same place beside it. */
export function openFilePreview(files: readonly FileReference[], at: number): void {
  useStore.setState({ open: { files, at } })
}

/** Ends looking. */
export function closeFilePreview(): void {
  useStore.setState({ open: undefined })
}

/** What is looked at; undefined for nothing. */
export function useFilePreview(): OpenPreview | undefined {
  return useStore((state) => state.open)
}
