// Owns editing a flow: a draft in memory, its drawing or its outline beside the chosen step, saving and making it active.
import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { useDraftBase } from '../../lib/use-draft-base.ts'
import { actionsQuery, automationKey, flowItemQuery } from './automation-queries.ts'
import type { Action, FlowItem } from './automation-queries.ts'
import { graphAt, placeKey } from './flow-bodies.ts'
import type { StepPlace } from './flow-bodies.ts'
import { definitionOf, flowDraftOf } from './flow-draft.ts'
import type { FlowDraft } from './flow-draft.ts'
import { FlowMore } from './flow-more.tsx'
import { FlowOutline } from './flow-outline.tsx'
import type { ChoosingPart } from './flow-outline.tsx'
import { flowProblemsOf, generalProblems, refusedProblems } from './flow-problems.ts'
import type { FlowProblem } from './flow-problems.ts'
import { FlowSettings } from './flow-settings.tsx'
import { StepInspector } from './step-inspector.tsx'
import classes from './automation.module.css'

const DesignCanvas = lazyPart(async () => ({ default: (await import('./design-canvas.tsx')).DesignCanvas }))

/** The editor of a flow. */
export function FlowDesign(props: { name: string; problems: readonly FlowProblem[] }) {
  const { data: latest, error, refetch } = useQuery(flowItemQuery(props.name))
  const { data: actions, error: noActions } = useQuery(actionsQuery)
  const [chosen, setChosen] = useState<StepPlace>()
  // Kept here: after a save the editor begins anew.
  const isWide = useMediaQuery('(min-width: 900px)', true, { getInitialValueInEffect: false })
  const [wanted, setDrawn] = useState<boolean>()
  const { base: flow, key, onChanged, onSaved } = useDraftBase(latest)
  const failure = error ?? noActions
  if (failure && !(flow && actions)) return <LoadFailure error={failure} onRetry={() => void refetch()} />
  if (!flow || !actions) return null
  return (
    <Editor
      key={key}
      {...props}
      flow={flow}
      actions={actions}
      chosen={chosen}
      onChoose={setChosen}
      isDrawn={wanted ?? isWide}
      onDraw={setDrawn}
      onChanged={onChanged}
      onSaved={onSaved}
      onReload={() => {
        onChanged(false)
        void refetch()
      }}
    />
  )
}

interface EditorProps {
  name: string
  flow: FlowItem
  actions: readonly Action[]
  /** The chosen step; the first one while none is. */
  chosen: StepPlace | undefined
  onChoose: (step: StepPlace | undefined) => void
  /** Whether the canvas is shown; else the outline. */
  isDrawn: boolean
  onDraw: (drawn: boolean) => void
  /** What keeps the stored flow from running. */
  problems: readonly FlowProblem[]
  /** Told whether there are changes. */
  onChanged: (isChanged: boolean) => void
  /** Told what was saved where the draft has gone on meanwhile. */
  onSaved: (saved: FlowItem) => void
  /** Gives the draft up for what is stored. */
  onReload: () => void
}

function Editor(props: EditorProps) {
  const { name, flow, actions, onChoose, isDrawn, onChanged } = props
  const client = useQueryClient()
  const [first] = useState(() => flowDraftOf(flow.item))
  const [draft, setDraft] = useState(first)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  const isChanged = draft !== first
  const current = useRef(draft)
  current.current = draft
  useEffect(() => onChanged(isChanged), [onChanged, isChanged])
  const status = flow.item['status'] === 'active' ? 'active' : 'draft'
  useLeaveGuard(
    isChanged
      ? {
          title: t('design.leave.title'),
          body: t('design.leave.body'),
          confirmLabel: t('word.leave'),
          cancelLabel: t('word.stay'),
        }
      : undefined,
  )
  const save = async (next: 'draft' | 'active'): Promise<void> => {
    setBusy(true)
    setRefusal(undefined)
    try {
      const body = { ...definitionOf(draft, flow.item), status: next }
      const { version } = await call('updateFlow', {
        params: { name },
        body,
        headers: flow.etag === undefined ? {} : { 'If-Match': flow.etag },
      })
      showToast({ message: t(next === 'active' ? 'design.saved.active' : 'design.saved'), tone: 'good' })
      // What was typed meanwhile is not saved yet.
      const goesOn = current.current !== draft
      if (goesOn) props.onSaved({ item: { ...flow.item, ...body }, etag: `"${version}"` })
      await client.invalidateQueries({ queryKey: automationKey })
      if (!goesOn) props.onReload()
    } catch (error) {
      setRefusal(error)
    } finally {
      setBusy(false)
    }
  }
  const refused = refusedProblems(refusal)
  const problems = refusal === undefined ? props.problems : refused
  const chosen = stepIn(draft, props.chosen) ?? stepIn(draft, { path: [], id: draft.nodes[0]?.id ?? '' })
  const part: ChoosingPart = { draft, problems, actions, onChange: setDraft, chosen, onChoose }
  return (
    <>
      <div className={parts.bar}>
        <FlowSettings draft={draft} onChange={setDraft} />
        <div className={classes.tools}>
          <Button variant="default" onClick={() => props.onDraw(!isDrawn)}>
            {t(isDrawn ? 'design.show.outline' : 'design.show.canvas')}
          </Button>
          <Button variant="default" loading={busy} disabled={!isChanged} onClick={() => void save(status)}>
            {t('app.save')}
          </Button>
          <Button variant="default" loading={busy} onClick={() => void save(status === 'active' ? 'draft' : 'active')}>
            {t(status === 'active' ? 'design.toDraft' : 'design.activate')}
          </Button>
        </div>
      </div>
      <Refusal refusal={refusal} problems={problems} onReload={props.onReload} />
      <FlowMore {...part} />
      <div className={classes.design} data-drawn={isDrawn || undefined}>
        {isDrawn ? (
          <Suspense fallback={<Loading />}>
            <DesignCanvas {...part} />
          </Suspense>
        ) : (
          <FlowOutline {...part} />
        )}
        {chosen?.node ? (
          <StepInspector
            key={placeKey(chosen)}
            {...part}
            step={chosen}
            node={chosen.node}
            graph={chosen.graph}
            onRemoved={() => onChoose(undefined)}
          />
        ) : (
          <p className={parts.quiet}>{t('design.choose')}</p>
        )}
      </div>
    </>
  )
}

/** A step, or a graph, that is there; undefined for one that is not, or not any more. */
function stepIn(draft: FlowDraft, step: StepPlace | undefined) {
  const graph = step && graphAt(draft, step.path)
  const node = graph?.nodes.find(({ id }) => id === step?.id)
  return step && graph && (node || step.id === '') ? { ...step, graph, node } : undefined
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
