// Owns the question before a change that destroys data: every step of the plan, the values it cannot keep, and what is
// kept of them.
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { t } from '../../lib/strings.ts'
import type { ObjectItem } from './object-item.ts'
import { PlanFailures, PlanSteps } from './plan-list.tsx'
import type { FieldLabels } from './plan-words.ts'
import classes from './plan.module.css'
import type { PendingPlan } from './save-object.ts'

/** The dialog; confirming passes on the hash of exactly this plan. */
export function PlanDialog(props: {
  /** The object as it is stored. */
  object: ObjectItem
  plan: PendingPlan | undefined
  labels: FieldLabels
  busy: boolean
  onCancel: () => void
  onConfirm: (hash: string) => void
}) {
  const { plan } = props
  const [last, setLast] = useState(plan)
  if (plan && plan !== last) setLast(plan)
  const destroys = last?.steps.some((step) => step.destructive) === true
  return (
    <Dialog
      opened={plan !== undefined}
      onClose={props.onCancel}
      title={t(destroys ? 'plan.title' : 'plan.safe.title')}
      size="lg"
    >
      <p className={classes.lead}>{t('plan.lead')}</p>
      {plan && (
        <>
          <PlanSteps steps={plan.steps} labels={props.labels} label={t('plan.list')} />
          <PlanFailures object={props.object} steps={plan.steps} labels={props.labels} />
        </>
      )}
      {destroys && <p className={classes.note}>{t('plan.backup')}</p>}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={props.onCancel} data-autofocus>
          {t('app.cancel')}
        </Button>
        <Button
          {...(destroys ? { color: 'red' } : {})}
          loading={props.busy}
          onClick={() => plan && props.onConfirm(plan.hash)}
        >
          {t(destroys ? 'plan.confirm' : 'plan.safe.confirm')}
        </Button>
      </Group>
    </Dialog>
  )
}
