// Owns the question before a change that destroys data: every step of the plan and what it costs.
import { Button, Group, Text } from '@mantine/core'
import { Dialog } from '../../components/dialog.tsx'
import { t, tn } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import classes from './objects.module.css'
import type { PendingPlan, PlanStep } from './save-object.ts'

const stepKeys: Readonly<Record<string, StringKey>> = {
  delete_field: 'plan.step.delete_field',
  remove_field: 'plan.step.delete_field',
  add_field: 'plan.step.add_field',
  retype_field: 'plan.step.retype_field',
}

function stepText(step: PlanStep): string {
  const key = stepKeys[step.change] ?? 'plan.step.other'
  return t(key, { field: step.field ?? '', change: step.change.replaceAll('_', ' ') })
}

/** The dialog; confirming passes on the hash of exactly this plan. */
export function PlanDialog(props: {
  plan: PendingPlan | undefined
  busy: boolean
  onCancel: () => void
  onConfirm: (hash: string) => void
}) {
  const { plan } = props
  return (
    <Dialog opened={plan !== undefined} onClose={props.onCancel} title={t('plan.title')} size="lg">
      <Text size="sm">{t('plan.lead')}</Text>
      <table className={classes.table} aria-label={t('plan.list')}>
        <thead>
          <tr>
            <th scope="col">{t('plan.change')}</th>
            <th scope="col">{t('plan.records')}</th>
          </tr>
        </thead>
        <tbody>
          {plan?.steps.map((step, index) => (
            <tr key={index}>
              <td>
                {stepText(step)}
                {step.lossy > 0 && <> ({t('plan.lossy', { count: step.lossy })})</>}
              </td>
              <td>{step.records > 0 ? tn('plan.records.count', step.records) : t('plan.none')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={props.onCancel} data-autofocus>
          {t('app.cancel')}
        </Button>
        <Button color="red" loading={props.busy} onClick={() => plan && props.onConfirm(plan.hash)}>
          {t('plan.confirm')}
        </Button>
      </Group>
    </Dialog>
  )
}
