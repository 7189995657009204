// Owns undoing and redoing with a message about what happened. Knows no step.
import { hasCode } from './api-error.ts'
import { t, tn } from './strings.ts'
import { showProblem, showToast } from './toast.ts'
import { UnknownStepError, redoLast, undoLast, undoStep } from './undo.ts'
import type { UndoneStep } from './undo.ts'

function tellFailure(error: unknown): void {
  if (error instanceof UnknownStepError) showToast({ message: t('undo.unknown'), tone: 'bad' })
  else if (hasCode(error, 'CONCURRENT_UPDATE')) showToast({ message: t('undo.conflict'), tone: 'bad' })
  else showProblem(error)
}

function tellDone(done: UndoneStep | undefined, message: (label: string) => string, nothing: string): void {
  if (!done) showToast({ message: nothing })
  else if (done.left !== undefined) showToast({ message: done.left, tone: 'bad', stays: true })
  else showToast({ message: message(done.step.label) })
}

/** Takes a step back, the last one when none is named, and says so, or why not; `message` replaces the usual words. */
export async function undoAndTell(id?: string, message?: string): Promise<void> {
  try {
    const done = await (id === undefined ? undoLast() : undoStep(id))
    tellDone(done, (label) => message ?? t('undo.done', { label }), t('undo.nothing'))
  } catch (error) {
    tellFailure(error)
  }
}

/** Does the step that was undone last again and says so, or why not. */
export async function redoAndTell(): Promise<void> {
  try {
    tellDone(await redoLast(), (label) => t('undo.redone', { label }), t('undo.nothingRedo'))
  } catch (error) {
    tellFailure(error)
  }
}

/** Takes a number of steps back, or does as many again, one after the other; stops at the first that fails or leaves something. */
export async function jumpAndTell(direction: 'undo' | 'redo', count: number): Promise<void> {
  let done = 0
  try {
    for (; done < count; done++) {
      const step = await (direction === 'undo' ? undoLast() : redoLast())
      if (!step) break
      if (step.left === undefined) continue
      showToast({ message: step.left, tone: 'bad', stays: true })
      done++
      break
    }
  } catch (error) {
    tellFailure(error)
  }
  if (done > 0) showToast({ message: tn(direction === 'undo' ? 'undoList.steps' : 'undoList.redone', done) })
}
