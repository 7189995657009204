// Owns running a change of an organization: what was done is said, what failed too, and everything is asked for anew.
import { useQueryClient } from '@tanstack/react-query'
import { hasCode } from '../../lib/api-error.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'

/** Makes the runner; it resolves to whether the change was made. */
export function useChanges(): (change: () => Promise<unknown>, done: string) => Promise<boolean> {
  const client = useQueryClient()
  return async (change, done) => {
    try {
      await change()
      showToast({ message: done, tone: 'good' })
      return true
    } catch (error) {
      if (isLastOwner(error)) showToast({ message: t('members.lastOwner'), tone: 'bad' })
      else showProblem(error)
      return false
    } finally {
      await client.invalidateQueries({ queryKey: ['organizations'] })
    }
  }
}

function isLastOwner(error: unknown): boolean {
  return (
    hasCode(error, 'conflict', 'validation_error', 'permission_denied') && /OWNER/.test(String(error.details['reason']))
  )
}
