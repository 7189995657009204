// Owns the steps of a run: what each node was given, what it gave back, why it failed, how long it took.
import { Button } from '@mantine/core'
import { CodeText, readable } from '../../components/code-text.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import type { RunStep } from './automation-queries.ts'
import { stepAnchor } from './run-drawing.tsx'
import { durationText, stepTone } from './run-words.ts'
import classes from './automation.module.css'

/** The steps in the order they were taken; `onRetry` begins again at a node. */
export function RunSteps(props: { steps: readonly RunStep[]; onRetry: ((nodeId: string) => void) | undefined }) {
  const { steps } = props
  return (
    <section className={classes.part} aria-labelledby="run-steps">
      <h3 id="run-steps">{t('runs.steps')}</h3>
      {steps.length === 0 && <p className={parts.quiet}>{t('runs.steps.none')}</p>}
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li
            key={step.id}
            {...(steps.findLast(({ nodeId }) => nodeId === step.nodeId) === step
              ? { id: stepAnchor(step.nodeId) }
              : {})}
          >
            <Step step={step} onRetry={props.onRetry} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function Step({ step, onRetry }: { step: RunStep; onRetry: ((nodeId: string) => void) | undefined }) {
  const took = durationText(step.durationMs)
  const hasContent = step.input != null || step.output != null
  const head = (
    <>
      <span className={classes.stepName}>{step.nodeLabel || step.nodeId}</span>
      <span className={parts.quiet}>{step.nodeType}</span>
      {step.iteration !== undefined && <span>{t('runs.iteration', { number: step.iteration + 1 })}</span>}
      {step.retryAttempt > 0 && <span>{t('runs.stepRetry', { number: step.retryAttempt })}</span>}
      <span className={parts.badge} data-tone={stepTone(step.status)}>
        {t(`runs.step.${step.status}`)}
      </span>
      {took !== '' && <span className={classes.took}>{took}</span>}
    </>
  )
  return (
    <div className={classes.step}>
      {hasContent ? (
        <details>
          <summary className={classes.stepHead}>{head}</summary>
          <div className={parts.stack}>
            {step.input != null && (
              <CodeText label={t('runs.input', { step: step.nodeLabel })} text={readable(step.input)} />
            )}
            {step.output != null && (
              <CodeText label={t('runs.outputOf', { step: step.nodeLabel })} text={readable(step.output)} />
            )}
          </div>
        </details>
      ) : (
        <div className={classes.stepHead}>{head}</div>
      )}
      {step.error && (
        <p className={parts.problem}>{t('runs.error.text', { code: step.error.code, message: step.error.message })}</p>
      )}
      {onRetry && step.status !== 'skipped' && (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={t('runs.retryFromOf', { step: step.nodeLabel })}
          onClick={() => onRetry(step.nodeId)}
        >
          {t('runs.retryFrom')}
        </Button>
      )}
    </div>
  )
}
