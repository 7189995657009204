// Owns the page of one flow: how it stands, its switch, starting it, and its parts.
import { Button } from '@mantine/core'
import { IconArrowLeft, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { navigate } from '../../lib/hash-location.ts'
import { useMay } from '../../lib/own-rights.ts'
import { t } from '../../lib/strings.ts'
import { automationPath, flowPath, runPath } from './automation-places.ts'
import { flowQuery, flowsQuery } from './automation-queries.ts'
import { FlowDesign, storedProblems } from './flow-design.tsx'
import { FlowSwitch } from './flow-list.tsx'
import { RunsPart } from './runs-part.tsx'
import { flowTone, isStartedByAll } from './run-words.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { StartDialog } from './start-dialog.tsx'
import classes from './automation.module.css'

const flowParts = ['runs', 'design'] as const

/** The page; `id` is the chosen run. */
export function FlowScreen(props: { name: string; part: string | undefined; id: string | undefined }) {
  const { name } = props
  const { data: flow, error, refetch } = useQuery(flowQuery(name))
  const mayDesign = useMay('manage_flows') === true
  const mayStart = useMay('run_flows') === true
  const [starting, setStarting] = useState(false)
  const part = flowParts.find((each) => each === props.part) ?? 'runs'
  if (!flow) {
    return (
      <Page title={t('word.automations')}>{error && <LoadFailure error={error} onRetry={() => void refetch()} />}</Page>
    )
  }
  return (
    <Page
      title={flow.label}
      width="full"
      actions={
        <>
          <Button
            component="a"
            href={`#${automationPath}`}
            variant="subtle"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
          >
            {t('flows.back')}
          </Button>
          {mayDesign && <DeleteButton name={name} label={flow.label} />}
          {mayStart && (mayDesign || isStartedByAll(flow)) && (
            <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => setStarting(true)}>
              {t('flows.start')}
            </Button>
          )}
        </>
      }
    >
      <div className={classes.facts}>
        <span className={parts.badge} data-tone={flowTone(flow.status)}>
          {t(`flows.status.${flow.status}`)}
        </span>
        <span>{t(`flows.type.${flow.type}`)}</span>
        <span>{t('word.versionOf', { version: flow.version })}</span>
        <FlowSwitch flow={flow} label={t('flows.on')} shown disabled={!mayDesign} />
      </div>
      {flow.description !== undefined && <p className={parts.lead}>{flow.description}</p>}
      {mayDesign ? (
        <TabbedParts
          label={t('flows.parts')}
          tabs={flowParts.map((key) => ({ key, label: t(`flows.part.${key}`) }))}
          chosen={part}
          onChoose={(key) => navigate(flowPath(name, key), { replace: true })}
        >
          {part === 'runs' ? (
            <RunsPart name={name} runId={props.id} />
          ) : (
            <FlowDesign name={name} problems={storedProblems(flow)} />
          )}
        </TabbedParts>
      ) : (
        <RunsPart name={name} runId={props.id} />
      )}
      <StartDialog
        flow={starting ? flow : undefined}
        onClose={() => setStarting(false)}
        onStarted={(runId) => {
          setStarting(false)
          navigate(runPath(name, runId))
        }}
      />
    </Page>
  )
}

function DeleteButton(props: { name: string; label: string }) {
  const { name, label } = props
  const client = useQueryClient()
  const remove = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('flows.delete.title', { flow: label }),
      body: t('flows.delete.body'),
      confirmLabel: t('flows.delete.submit'),
    })
    if (!yes) return
    try {
      await call('deleteFlow', { params: { name } })
      showToast({ message: t('flows.deleted', { flow: label }) })
      navigate(automationPath, { unasked: true })
      await client.invalidateQueries({ queryKey: flowsQuery.queryKey })
    } catch (error) {
      showProblem(error)
    }
  }
  return (
    <Button variant="subtle" onClick={() => void remove()}>
      {t('word.deleteDots')}
    </Button>
  )
}
