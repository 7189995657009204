// Owns showing what came back from a request that was tried.
import { CodeText } from '../../components/code-text.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import type { Attempt } from './use-attempt.ts'

/** The answer; nothing before the first attempt. */
export function AttemptResult(props: { attempt: Attempt | undefined }) {
  const { attempt } = props
  return (
    <div aria-live="polite">
      {attempt && (
        <div className={parts.section}>
          <p className={attempt.isRefused ? parts.problem : parts.quiet}>
            {t(attempt.isRefused ? 'api.refused' : 'api.answered', { ms: attempt.ms })}
          </p>
          <CodeText label={t('word.answer')} text={attempt.text} />
        </div>
      )}
    </div>
  )
}
