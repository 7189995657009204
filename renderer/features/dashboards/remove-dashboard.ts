// Owns deleting a dashboard with the way back.
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { undoAndTell } from '../../lib/undo-told.ts'
import type { Dashboard } from './dashboard-item.ts'
import { deleteDashboard } from './dashboard-steps.ts'

/** Deletes it and says so; a failure is said, too, and nothing is gone then. */
export async function removeAndTell(
  { name, label }: Pick<Dashboard, 'name' | 'label'>,
  onGone?: () => void,
): Promise<void> {
  try {
    const { step, isGone } = await deleteDashboard(t('undo.dashboard.delete', { label }), name)
    if (isGone) onGone?.()
    showToast({
      message: t(isGone ? 'dashboards.deleted' : 'dashboards.reset', { label }),
      action: { label: t('app.undo'), run: () => void undoAndTell(step.id) },
    })
  } catch (error) {
    showProblem(error)
  }
}
