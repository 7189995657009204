// Owns which machine of the workspace runs the schedules: it is shown, another one is named, and this one takes over where
// the other cannot be reached. Absent while sync is off.
import { Button, NativeSelect } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { useMay } from '../../lib/own-rights.ts'
import { t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { automationKey, runnerQuery } from './automation-queries.ts'
import type { Runner } from './automation-queries.ts'
import classes from './automation.module.css'

/** The choice, and what is still to happen. */
export function ScheduleRunner() {
  const client = useQueryClient()
  const mayManage = useMay('manage_settings') === true
  const { data: runner } = useQuery(runnerQuery)
  if (!runner || runner.machines.length < 2) return null
  const { holder, wanted, machines } = runner
  const name = async (deviceId: string, takeOver = false): Promise<void> => {
    try {
      await call('setSyncRunner', { body: { deviceId, takeOver } })
    } catch (failure) {
      showProblem(failure)
    }
    await client.invalidateQueries({ queryKey: automationKey })
  }
  return (
    <div className={classes.runner}>
      <NativeSelect
        label={t('schedules.runner')}
        description={t('schedules.runner.help')}
        value={wanted?.id ?? ''}
        disabled={!mayManage}
        data={machines.map(({ id, name: label, isThis, mayHold }) => ({
          value: id,
          label: isThis ? t('schedules.thisMachine', { machine: label }) : label,
          disabled: !mayHold,
        }))}
        onChange={(event) => void name(event.currentTarget.value)}
      />
      {holder && wanted && holder.id !== wanted.id && (
        <Handover holder={holder} wanted={wanted} mayManage={mayManage} onTake={() => void name(wanted.id, true)} />
      )}
    </div>
  )
}

type Machine = NonNullable<Runner['holder']>

function Handover(props: { holder: Machine; wanted: Machine; mayManage: boolean; onTake: () => void }) {
  const { holder, wanted, mayManage } = props
  const names = { holder: holder.name, wanted: wanted.name }
  const take = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('schedules.take.title'),
      body: t('schedules.take.body', names),
      confirmLabel: t('schedules.take.submit'),
    })
    if (yes) props.onTake()
  }
  return (
    <Notice
      tone="info"
      title={t('schedules.handover', names)}
      live
      actions={
        mayManage &&
        wanted.isThis &&
        !holder.isConnected && (
          <Button variant="default" size="compact-sm" onClick={() => void take()}>
            {t('schedules.take')}
          </Button>
        )
      }
    >
      {t(holder.isConnected ? 'schedules.handover.soon' : 'schedules.handover.away', names)}
    </Notice>
  )
}
