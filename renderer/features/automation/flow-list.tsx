// Owns the list of flows: how each stands, its switch, when it ran last.
import { Button, Switch } from '@mantine/core'
import { IconPlus, IconRoute } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { formatMoment, formatNumber } from '../../lib/format.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { flowPath } from './automation-places.ts'
import { automationKey, flowsQuery } from './automation-queries.ts'
import type { FlowSummary } from './automation-queries.ts'
import { NewFlowDialog } from './new-flow-dialog.tsx'
import { flowTone } from './run-words.ts'

/** The list; only those who design flows switch them. */
export function FlowList(props: { mayDesign: boolean }) {
  const client = useQueryClient()
  const { data: flows, error, refetch } = useQuery(flowsQuery)
  const [making, setMaking] = useState(false)
  if (error && !flows) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!flows) {
    return <Loading />
  }
  const make = props.mayDesign && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t('flows.new')}
    </Button>
  )
  return (
    <>
      {flows.length === 0 ? (
        <EmptyState title={t('flows.none')} icon={<IconRoute size={32} stroke={1.5} aria-hidden />} actions={make} />
      ) : (
        <>
          <div className={parts.actions}>{make}</div>
          <FlowTable flows={flows} mayDesign={props.mayDesign} />
        </>
      )}
      <NewFlowDialog
        opened={making}
        onClose={() => setMaking(false)}
        onMade={(name) => {
          setMaking(false)
          navigate(flowPath(name, 'design'))
          void client.invalidateQueries({ queryKey: flowsQuery.queryKey })
        }}
      />
    </>
  )
}

function FlowTable(props: { flows: readonly FlowSummary[]; mayDesign: boolean }) {
  const columns = [
    { label: t('word.flow') },
    { label: t('flows.type'), wide: true },
    { label: t('word.state') },
    { label: t('word.version'), number: true, wide: true },
    { label: t('flows.lastRun') },
    { label: t('flows.on') },
  ]
  return (
    <ListTable label={t('flows.list')} columns={columns}>
      {props.flows.map((flow) => (
        <FlowRow key={flow.name} flow={flow} mayDesign={props.mayDesign} />
      ))}
    </ListTable>
  )
}

function FlowRow(props: { flow: FlowSummary; mayDesign: boolean }) {
  const { name, label, type, status, version, lastRunAt } = props.flow
  return (
    <tr>
      <th scope="row">
        <a href={`#${flowPath(name)}`} className={parts.link}>
          {label}
        </a>
        <span className={parts.under}>{name}</span>
      </th>
      <td data-wide>{t(`flows.type.${type}`)}</td>
      <td>
        <span className={parts.badge} data-tone={flowTone(status)}>
          {t(`flows.status.${status}`)}
        </span>
      </td>
      <td data-number data-wide>
        {formatNumber(version)}
      </td>
      <td data-time>{lastRunAt === undefined ? t('flows.never') : formatMoment(lastRunAt)}</td>
      <td>
        <FlowSwitch flow={props.flow} label={t('flows.onOf', { flow: label })} disabled={!props.mayDesign} />
      </td>
    </tr>
  )
}

/** The operator's switch of a flow. */
export function FlowSwitch(props: {
  flow: Pick<FlowSummary, 'name' | 'enabled'>
  label: string
  /** Whether the label is read on screen, too. */
  shown?: boolean
  disabled: boolean
}) {
  const client = useQueryClient()
  const { name, enabled } = props.flow
  const toggle = async (next: boolean): Promise<void> => {
    try {
      await call('toggleFlow', { params: { name }, body: { enabled: next } })
    } catch (error) {
      showProblem(error)
    }
    await client.invalidateQueries({ queryKey: automationKey })
  }
  return (
    <Switch
      {...(props.shown ? { label: props.label } : { 'aria-label': props.label })}
      checked={enabled}
      disabled={props.disabled}
      onChange={(event) => void toggle(event.currentTarget.checked)}
    />
  )
}
