// Owns which kind of view is drawn; each is loaded when it is first shown.
import { Suspense, lazy } from 'react'
import { addStrings } from '../../lib/strings.ts'
import { viewKindStrings } from '../../lib/strings/views.ts'
import type { ViewKindProps } from '../records/index.ts'

addStrings(viewKindStrings)

const KanbanView = lazy(async () => ({ default: (await import('./kanban-view.tsx')).KanbanView }))

/** The view of an object's records that is no grid. */
export function ViewKind(props: ViewKindProps) {
  const { type, current } = props.views
  return <Suspense fallback={null}>{type === 'kanban' && <KanbanView key={current?.id} {...props} />}</Suspense>
}
