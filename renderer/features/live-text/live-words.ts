// Owns saying why the host does not store a text.
import type { LiveTextProblem } from '#shared/live-text.ts'
import { t } from '../../lib/strings.ts'

/** One sentence for a problem of the host. */
export function reasonOf({ message, fieldErrors }: LiveTextProblem): string {
  const texts = (fieldErrors ?? []).map((one) => one.message)
  return texts.length > 0 ? texts.join(' ') : message === '' ? t('live.refused.unknown') : message
}
