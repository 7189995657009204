// Owns loading the mark of a field when there is a first conflict to mark.
import { Suspense } from 'react'
import type { ComponentProps } from 'react'
import { lazyPart } from '../../lib/lazy-part.ts'
import type { ConflictMark as Mark } from './field-mark.tsx'

const Loaded = lazyPart(async () => ({ default: (await import('./field-mark.tsx')).ConflictMark }))

/** The mark of a field, or of the record as a whole; nothing without conflicts. */
export function ConflictMark(props: ComponentProps<typeof Mark>) {
  if (props.conflicts.length === 0) return null
  return (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  )
}
