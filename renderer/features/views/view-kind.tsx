// Owns which kind of view is drawn; each is loaded when it is first shown.
import { lazy } from 'react'
import type { ViewKindProps } from '../records/index.ts'

const kinds = {
  kanban: lazy(async () => ({ default: (await import('./kanban-view.tsx')).KanbanView })),
  calendar: lazy(async () => ({ default: (await import('./calendar-view.tsx')).CalendarView })),
  gallery: lazy(async () => ({ default: (await import('./gallery-view.tsx')).GalleryView })),
  form: lazy(async () => ({ default: (await import('./form-view.tsx')).FormView })),
  chart: lazy(async () => ({ default: (await import('./chart-view.tsx')).ChartView })),
}

/** The view of an object's records that is no grid. */
export function ViewKind(props: ViewKindProps) {
  const { type, current } = props.views
  if (type === 'grid') return null
  const Kind = kinds[type]
  return <Kind key={current?.id} {...props} />
}
