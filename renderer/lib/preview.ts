// Owns whose view is previewed: the frame says so, and the navigation offers only what that person or role could open.
// Nothing is asked of the host in their name: what is seen stays the own view.
import { create } from 'zustand'

/** A preview; `readable` holds the names of objects whose records could be read. */
export interface Preview {
  label: string
  readable: ReadonlySet<string>
}

const useStore = create<{ preview: Preview | undefined }>(() => ({ preview: undefined }))

/** Begins, changes or ends the preview. */
export function setPreview(preview: Preview | undefined): void {
  useStore.setState({ preview })
}

/** The present preview, undefined when there is none. */
export function usePreview(): Preview | undefined {
  return useStore((state) => state.preview)
}
