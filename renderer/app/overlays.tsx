// Owns what lies over every screen: palette, shortcuts, steps, questions and files. A chunk of its own, fetched once the
// page is drawn, since nobody wants any of it before.
import { Suspense, useRef } from 'react'
import { useFilePreview } from '../lib/file-preview.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { CommandPalette } from './command-palette.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { ShortcutSheet } from './shortcut-sheet.tsx'
import { UndoList } from './undo-list.tsx'

const FilePreview = lazyPart(async () => ({ default: (await import('../features/files/index.ts')).FilePreview }))

/** All of it; each shows itself when it is wanted. */
export function Overlays() {
  return (
    <>
      <CommandPalette />
      <ShortcutSheet />
      <UndoList />
      <ConfirmDialog />
      <LookedAtFile />
    </>
  )
}

/** Files are looked at over every screen; what that takes is loaded with the first. */
function LookedAtFile() {
  const isWanted = useRef(false)
  const isOpen = useFilePreview() !== undefined
  isWanted.current ||= isOpen
  return isWanted.current ? (
    <Suspense fallback={null}>
      <FilePreview />
    </Suspense>
  ) : null
}
