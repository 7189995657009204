// Owns editing a flow: a draft in memory, its outline and the chosen step, saving and making it active.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { actionsQuery, automationKey, flowItemQuery } from './automation-queries.ts'
import type { Action, FlowItem } from './automation-queries.ts'
import { flowDraftOf } from './flow-draft.ts'
import type { FlowDraft } from './flow-draft.ts'
import { FlowOutline } from './flow-outline.tsx'
import { flowProblemsOf, generalProblems, refusedProblems } from './flow-problems.ts'
import type { FlowProblem } from './flow-problems.ts'
import { FlowSettings } from './flow-settings.tsx'
import { StepInspector } from './step-inspector.tsx'
import classes from './automation.module.css'

/** The editor of a flow. */
export function FlowDesign(props: { name: string; problems: readonly FlowProblem[] }) {
  const { data: flow, error, refetch } = useQuery(flowItemQuery(props.name))
  const { data: actions, error: noActions } = useQuery(actionsQuery)
  const [chosen, setChosen] = useState<string>()
  const failure = error ?? noActions
  if (failure && !(flow && actions)) return <LoadFailure error={failure} onRetry={() => void refetch()} />
  if (!flow || !actions) return null
  return (
    <Editor
      key={flow.etag ?? ''}
      {...props}
      flow={flow}
      actions={actions}
      chosen={chosen}
      onChoose={setChosen}
      onReload={() => void refetch()}
    />
  )
}

interface EditorProps {
  name: string
  flow: FlowItem
  actions: readonly Action[]
  /** Id of the chosen step; the first one while none is. */
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
  /** What keeps the stored flow from running. */
  problems: readonly FlowProblem[]
  onReload: () => void
}

function Editor(props: EditorProps) {
  const { name, flow, actions, onChoose } = props
  const client = useQueryClient()
  const [first] = useState(() => flowDraftOf(flow.item))
  const [draft, setDraft] = useState(first)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  const isChanged = draft !== first
  const status = flow.item['status'] === 'active' ? 'active' : 'draft'
  useLeaveGuard(
    isChanged
      ? {
          title: t('design.leave.title'),
          body: t('design.leave.body'),
          confirmLabel: t('design.leave.confirm'),
          cancelLabel: t('design.leave.stay'),
        }
      : undefined,
  )
  const save = async (next: 'draft' | 'active'): Promise<void> => {
    setBusy(true)
    setRefusal(undefined)
    try {
      await call('updateFlow', {
        params: { name },
        body: { ...bodyOf(draft), status: next },
        headers: flow.etag === undefined ? {} : { 'If-Match': flow.etag },
      })
      showToast({ message: t(next === 'active' ? 'design.saved.active' : 'design.saved'), tone: 'good' })
      await client.invalidateQueries({ queryKey: automationKey })
      props.onReload()
    } catch (error) {
      setRefusal(error)
    } finally {
      setBusy(false)
    }
  }
  const refused = refusedProblems(refusal)
  const problems = refusal === undefined ? props.problems : refused
  const node = draft.nodes.find(({ id }) => id === props.chosen) ?? draft.nodes[0]
  const part = { draft, problems, actions, onChange: setDraft }
  return (
    <>
      <div className={parts.bar}>
        <FlowSettings draft={draft} onChange={setDraft} />
        <div className={classes.tools}>
          <Button variant="default" loading={busy} disabled={!isChanged} onClick={() => void save(status)}>
            {t('app.save')}
          </Button>
          <Button variant="default" loading={busy} onClick={() => void save(status === 'active' ? 'draft' : 'active')}>
            {t(status === 'active' ? 'design.toDraft' : 'design.activate')}
          </Button>
        </div>
      </div>
      <Refusal refusal={refusal} problems={problems} onReload={props.onReload} />
      <div className={classes.design}>
        <FlowOutline {...part} chosen={node?.id} onChoose={onChoose} />
        {node ? (
          <StepInspector key={node.id} {...part} node={node} onRemoved={() => onChoose(undefined)} />
        ) : (
          <p className={parts.quiet}>{t('design.choose')}</p>
        )}
      </div>
    </>
  )
}

/** What is sent of a draft. */
function bodyOf({ description, ...draft }: FlowDraft): Record<string, unknown> {
  return { ...draft, ...(description === '' ? {} : { description }) }
}

function Refusal(props: { refusal: unknown; problems: readonly FlowProblem[]; onReload: () => void }) {
  const { refusal, problems } = props
  if (refusal === undefined && problems.length === 0) return null
  const isFlaw = problems.length > 0
  const general = generalProblems(problems)
  const isStale = hasCode(refusal, 'CONCURRENT_UPDATE')
  return (
    <div className={classes.notice}>
      <Notice
        tone="bad"
        title={isFlaw ? tn('design.problems', problems.length) : t('design.refused')}
        live
        actions={
          isStale && (
            <Button variant="default" size="compact-sm" onClick={props.onReload}>
              {t('design.reload')}
            </Button>
          )
        }
      >
        {isFlaw ? (
          <>
            {t(refusal === undefined ? 'design.problems.stored' : 'design.problems.text')}
            {general.length > 0 && (
              <ul>
                {general.map(({ path, message }) => (
                  <li key={`${path} ${message}`}>{message}</li>
                ))}
              </ul>
            )}
          </>
        ) : isStale ? (
          t('design.stale')
        ) : (
          problemText(refusal)
        )}
      </Notice>
    </div>
  )
}

/** What keeps a stored flow from running, as the host lists it. */
export function storedProblems(flow: object): FlowProblem[] {
  return flowProblemsOf(flow, 'errors')
}
