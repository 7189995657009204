// Owns the words of a check: how many rows can be imported, and what importing them will then do. Pure.
import { t, tn } from '../../lib/strings.ts'
import type { ImportJob } from './job-queries.ts'

/** What a check has shown. */
export interface CheckWords {
  /** How many rows can be imported and how many have problems. */
  summary: string
  /** What the button does: rows with problems are left out, the others are written (D-68). */
  action: string
  /** Why there is nothing to do; undefined when there is. */
  blocked: string | undefined
}

/** The words for a job that only checked. */
export function checkWords(job: Pick<ImportJob, 'total' | 'created' | 'updated' | 'skipped' | 'failed'>): CheckWords {
  const { total, failed, skipped } = job
  const good = job.created + job.updated
  const left = total - good
  const can = tn('import.check.can', total, { good })
  return {
    summary: failed === 0 ? `${can}.` : `${can}, ${tn('import.check.problems', failed)}.`,
    action:
      good === 0
        ? t('import.check.none')
        : left === 0
          ? tn('import.map.run', good)
          : `${tn('import.map.run', good)}, ${t('import.check.leave', { count: left })}`,
    blocked: good > 0 ? undefined : blockedText(failed, skipped),
  }
}

function blockedText(failed: number, skipped: number): string {
  if (failed > 0 && skipped > 0) return t('import.check.mixed', { failed, skipped })
  return t(failed > 0 ? 'import.check.blocked' : 'import.check.noneMatch')
}
