// Owns undoing and redoing with a message about what happened. Knows no step.
import { hasCode } from '../lib/api-error.ts'
import { t } from '../lib/strings.ts'
import { showProblem, showToast } from '../lib/toast.ts'
import { redoLast, undoLast } from '../lib/undo.ts'

function tellFailure(error: unknown): void {
  if (hasCode(error, 'CONCURRENT_UPDATE')) showToast({ message: t('undo.conflict'), tone: 'bad' })
  else showProblem(error)
}

/** Takes the last step back and says so, or why not. */
export async function undoAndTell(): Promise<void> {
  try {
    const step = await undoLast()
    showToast({ message: step ? t('undo.done', { label: step.label }) : t('undo.nothing') })
  } catch (error) {
    tellFailure(error)
  }
}

/** Does the step that was undone last again and says so, or why not. */
export async function redoAndTell(): Promise<void> {
  try {
    const step = await redoLast()
    showToast({ message: step ? t('undo.redone', { label: step.label }) : t('undo.nothingRedo') })
  } catch (error) {
    tellFailure(error)
  }
}
