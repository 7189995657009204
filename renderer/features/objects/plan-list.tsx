// Owns showing a plan: its steps in words and the values that would not arrive whole.
import { useQuery } from '@tanstack/react-query'
import parts from '../../components/parts.module.css'
import { recordPath } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import { failingSteps, failureText, fieldName, stepText } from './plan-words.ts'
import type { FieldLabels } from './plan-words.ts'
import type { ObjectItem } from './object-item.ts'
import { recordNamesQuery } from './object-queries.ts'
import classes from './plan.module.css'
import type { PlanStep } from './save-object.ts'

/** Most values named on screen; the API answers at most a hundred. */
const shownFailures = 8

/** The steps, those that lose values marked. */
export function PlanSteps(props: { steps: readonly PlanStep[]; labels: FieldLabels; label: string }) {
  return (
    <ul className={classes.steps} aria-label={props.label}>
      {props.steps.map((step, index) => (
        <li key={index} data-lossy={step.lossy > 0 || step.destructive || undefined}>
          {stepText(step, props.labels)}
        </li>
      ))}
    </ul>
  )
}

/** A table per conversion with the first values that cannot be kept; nothing when all arrive. */
export function PlanFailures(props: { object: ObjectItem; steps: readonly PlanStep[]; labels: FieldLabels }) {
  const { object } = props
  const ids = failingSteps(props.steps).flatMap(({ failures = [] }) =>
    failures.slice(0, shownFailures).map(({ id }) => id),
  )
  const { data: names } = useQuery(recordNamesQuery(object, [...new Set(ids)].toSorted()))
  return failingSteps(props.steps).map((step) => {
    const failures = step.failures ?? []
    const rest = Math.max(step.lossy, failures.length) - Math.min(failures.length, shownFailures)
    const caption = t('plan.failures', { field: fieldName(step, props.labels) })
    return (
      <div key={step.field} className={classes.failures} role="region" aria-label={caption} tabIndex={0}>
        <table aria-label={caption}>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{t('word.value')}</th>
              <th scope="col">{t('word.record')}</th>
            </tr>
          </thead>
          <tbody>
            {failures.slice(0, shownFailures).map(({ id, value }) => (
              <tr key={id}>
                <td>{failureText(value)}</td>
                <td>
                  <a className={parts.link} href={`#${recordPath(object.name, id)}`}>
                    {names?.get(id) ?? <code>{id}</code>}
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {rest > 0 && <p className={classes.more}>{t('plan.failures.more', { count: rest })}</p>}
      </div>
    )
  })
}
