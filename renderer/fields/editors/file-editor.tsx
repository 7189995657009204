// Owns editing a field of files. What is chosen and sent is loaded when the first editor opens.
import { Suspense } from 'react'
import { lazyPart } from '../../lib/lazy-part.ts'
import type { FieldEditorProps } from '../field-type.ts'

const FileChooser = lazyPart(async () => ({ default: (await import('./file-chooser.tsx')).FileChooser }))

/** The editor. */
export function FileEditor(props: FieldEditorProps) {
  return (
    <Suspense fallback={null}>
      <FileChooser {...props} />
    </Suspense>
  )
}
