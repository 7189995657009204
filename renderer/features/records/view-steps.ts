// Owns the steps of the undo list that keep, change and delete stored views.
import { call } from '../../lib/api-client.ts'
import { refreshAnswers } from '../../lib/query-client.ts'
import { stableText } from '../../lib/stable-text.ts'
import { tn } from '../../lib/strings.ts'
import { defineUndo } from '../../lib/undo.ts'
import type { UndoResult } from '../../lib/undo.ts'

/** What a view is made from and changed by. */
export interface ViewBody {
  viewKind: string
  label: string
  scope: string
  isDefault: boolean
  config: Readonly<Record<string, unknown>>
}

/** A view before and after; null where there was none. */
export interface ViewStep {
  viewId: string
  object: string
  before: ViewBody | null
  after: ViewBody | null
}

/** Adds a step of a view that was kept, changed or deleted. */
export const rememberView = defineUndo<ViewStep>('views.view', {
  undo: async (step) => bring(step, step.before, step.after),
  redo: async (step) => bring(step, step.after, step.before),
})

/** What of a view is kept and put back. */
export function bodyOf({ viewKind, label, scope, isDefault, config }: ViewBody): ViewBody {
  return { viewKind, label, scope, isDefault, config }
}

async function bring(
  { viewId, object }: ViewStep,
  to: ViewBody | null,
  from: ViewBody | null,
): Promise<UndoResult<ViewStep> | void> {
  if (from !== null) {
    const { views } = await call('listViews', { query: { object } })
    const now = views.find(({ id }) => id === viewId)
    // Somebody else changed it since: that is not taken back with it.
    if (now && stableText(bodyOf(now)) !== stableText(from)) return { left: tn('undo.left', 1, { label: now.label }) }
  }
  if (to === null) await call('deleteView', { params: { viewId } })
  else if (from === null) {
    await call('createView', { params: {}, body: { ...to, object, key: viewId.slice(object.length + 1) } })
  } else {
    // A change says null for what it takes away.
    const gone = Object.fromEntries(Object.keys(from.config).map((key) => [key, null]))
    await call('updateView', { params: { viewId }, body: { ...to, config: { ...gone, ...to.config } } })
  }
  await refreshAnswers(['views', object])
}
