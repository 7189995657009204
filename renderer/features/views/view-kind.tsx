// Owns which kind of view is drawn; each is loaded when it is first shown.
import { lazyPart } from '../../lib/lazy-part.ts'
import type { ViewKindProps } from '../records/index.ts'

const kinds = {
  kanban: lazyPart(async () => ({ default: (await import('./kanban-view.tsx')).KanbanView })),
  calendar: lazyPart(async () => ({ default: (await import('./calendar-view.tsx')).CalendarView })),
  gallery: lazyPart(async () => ({ default: (await import('./gallery-view.tsx')).GalleryView })),
  form: lazyPart(async () => ({ default: (await import('./form-view.tsx')).FormView })),
  chart: lazyPart(async () => ({ default: (await import('./chart-view.tsx')).ChartView })),
}

/** The view of an object's records that is no grid. */
export function ViewKind(props: ViewKindProps) {
  const { type, current } = props.views
  if (type === 'grid') return null
  const Kind = kinds[type]
  return <Kind key={current?.id} {...props} />
}
