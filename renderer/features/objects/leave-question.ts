// Owns the words of the question before what is being typed for a definition is left.
import type { LeaveQuestion } from '../../lib/leave-guard.ts'
import { t } from '../../lib/strings.ts'

/** What is asked before typed text is lost. */
export function leaveQuestion(object: string): LeaveQuestion {
  return {
    title: t('object.leave.title'),
    body: t('object.leave.typed', { object }),
    confirmLabel: t('object.leave.confirm'),
    cancelLabel: t('word.stay'),
  }
}
