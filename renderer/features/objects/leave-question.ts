// Owns the words of the question before unsaved changes of a definition are left.
import type { LeaveQuestion } from '../../lib/leave-guard.ts'
import { t, tn } from '../../lib/strings.ts'

/** What is asked; undefined when nothing would be lost. Without a number it is about what is being typed. */
export function leaveQuestion(object: string, changes: number | 'typed'): LeaveQuestion | undefined {
  if (changes === 0) return undefined
  return {
    title: t('object.leave.title'),
    body: changes === 'typed' ? t('object.leave.typed', { object }) : tn('object.leave.body', changes, { object }),
    confirmLabel: t('object.leave.confirm'),
    cancelLabel: t('object.leave.stay'),
  }
}
