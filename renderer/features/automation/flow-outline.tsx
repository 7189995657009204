// Owns the outline of a flow: its steps in the order of their ways, with those inside of a step below it, complete by
// keyboard. Alt with the arrows moves a step, Delete removes it; buttons do the same.
import { ActionIcon } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconCornerDownRight } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import parts from '../../components/parts.module.css'
import { t, tn } from '../../lib/strings.ts'
import { AddStep } from './add-step.tsx'
import type { Action } from './automation-queries.ts'
import { bodiesOf, changeGraph, graphAt, placeKey } from './flow-bodies.ts'
import type { GraphPath, StepPlace } from './flow-bodies.ts'
import { canMove, moveNode, nodeLabel, outlineOf, removeNode } from './flow-draft.ts'
import type { DraftEdge, DraftGraph, DraftNode, FlowDraft } from './flow-draft.ts'
import { bodyLabel, wayText } from './flow-words.ts'
import { problemsOfStep } from './flow-problems.ts'
import type { FlowProblem } from './flow-problems.ts'
import classes from './automation.module.css'

/** What the parts of the editor share. */
export interface DesignPart {
  draft: FlowDraft
  problems: readonly FlowProblem[]
  actions: readonly Action[]
  onChange: (draft: FlowDraft) => void
}

/** A part in which a step is chosen. */
export type ChoosingPart = DesignPart & {
  chosen: StepPlace | undefined
  onChoose: (step: StepPlace | undefined) => void
}

/** Whether a step may be taken away. */
export const isRemovable = ({ type }: Pick<DraftNode, 'type'>): boolean => type !== 'start'

/** The outline. */
export function FlowOutline(props: ChoosingPart) {
  const { draft } = props
  const list = useRef<HTMLElement>(null)
  const shown = useRef(draft)
  // A step that changes its place in the page, or leaves it, loses the focus: the chosen one takes it.
  useEffect(() => {
    if (shown.current === draft) return
    shown.current = draft
    if (document.activeElement !== document.body) return
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('ol button') ?? [])]
    const target = buttons.find((button) => button.hasAttribute('aria-current')) ?? buttons[0]
    target?.focus()
  }, [draft])
  return (
    <section ref={list} aria-labelledby="outline">
      <h2 id="outline" className={classes.heading}>
        {t('design.outline')}
      </h2>
      <Rows {...props} graph={draft} path={[]} />
      <AddStep {...props} />
      <p className={parts.quiet}>{t('design.keys')}</p>
    </section>
  )
}

type GraphProps = ChoosingPart & { graph: DraftGraph; path: GraphPath }

function Rows(props: GraphProps) {
  const { graph, path } = props
  const rows = outlineOf(graph)
  return (
    <ol className={classes.outline}>
      {rows.map((node, at) => (
        <li key={node.id} data-plain={node.type === 'start' || node.type === 'end' || undefined}>
          <Row {...props} node={node} before={rows[at - 1]} />
          {bodiesOf(node, props.actions).map(({ place, name }) => {
            const inner = [...path, { node: node.id, place }]
            const body = graphAt(graph, [{ node: node.id, place }])
            return (
              body && (
                <div key={place} className={classes.body}>
                  <BodyHead {...props} path={inner} label={bodyLabel(place, name)} isEmpty={body.nodes.length === 0} />
                  <Rows {...props} graph={body} path={inner} />
                </div>
              )
            )
          })}
        </li>
      ))}
    </ol>
  )
}

/** The name of a body; chosen, the next step is the first one in it. */
function BodyHead(props: ChoosingPart & { path: GraphPath; label: string; isEmpty: boolean }) {
  const { path, label, isEmpty } = props
  if (!isEmpty) return <p className={classes.bodyName}>{label}</p>
  const isChosen = isSame(props.chosen, { path, id: '' })
  return (
    <button
      type="button"
      className={classes.node}
      data-empty
      aria-current={isChosen ? 'step' : undefined}
      onClick={() => props.onChoose({ path, id: '' })}
    >
      <span className={classes.stepName}>{label}</span>
      <span className={parts.under}>{t('design.body.empty')}</span>
    </button>
  )
}

const isSame = (one: StepPlace | undefined, other: StepPlace): boolean =>
  one !== undefined && placeKey(one) === placeKey(other)

function Row(props: GraphProps & { node: DraftNode; before: DraftNode | undefined }) {
  const { draft, graph, path, node, onChange, onChoose } = props
  const step: StepPlace = { path, id: node.id }
  const leaving = graph.edges.filter(({ source }) => source === node.id)
  const label = nodeLabel(node)
  const kind = props.actions.find(({ type }) => type === node.type)?.name ?? node.type
  const wrong = problemsOfStep(
    props.problems,
    draft,
    step,
    leaving.map(({ id }) => id),
  )
  const isChosen = isSame(props.chosen, step)
  const move = (by: -1 | 1): void => onChange(changeGraph(draft, path, (at) => moveNode(at, node.id, by)))
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined
    if (by !== undefined) {
      event.preventDefault()
      onChoose(step)
      move(by)
    } else if (event.key === 'Delete' && isRemovable(node)) {
      event.preventDefault()
      onChange(changeGraph(draft, path, (at) => removeNode(at, node.id)))
      onChoose({ path, id: props.before?.id ?? '' })
    }
  }
  return (
    <div className={classes.row}>
      <button
        type="button"
        className={classes.node}
        aria-current={isChosen ? 'step' : undefined}
        onClick={() => onChoose(step)}
        onKeyDown={onKeyDown}
      >
        <span className={classes.stepName}>{label}</span>
        {kind !== label && <span className={parts.under}> {kind}</span>}
        {leaving
          .filter((edge) => leaving.length > 1 || isSaid(edge))
          .map((edge) => (
            <span key={edge.id} className={classes.way} data-fault={edge.type === 'fault' || undefined}>
              <IconCornerDownRight size={12} aria-hidden />
              {wayText(edge, nodeLabel(graph.nodes.find(({ id }) => id === edge.target) ?? { id: edge.target }))}
            </span>
          ))}
        {wrong.length > 0 && (
          <span className={`${classes.way} ${parts.problem}`}>{tn('design.wrong', wrong.length)}</span>
        )}
      </button>
      {isChosen &&
        places.some((by) => canMove(graph, node.id, by)) &&
        places.map((by) => (
          <ActionIcon
            key={by}
            variant="subtle"
            size={28}
            aria-label={t(by === -1 ? 'design.up' : 'design.down', { step: label })}
            disabled={!canMove(graph, node.id, by)}
            onClick={() => move(by)}
          >
            {by === -1 ? <IconArrowUp size={16} aria-hidden /> : <IconArrowDown size={16} aria-hidden />}
          </ActionIcon>
        ))}
    </div>
  )
}

/** Where a step can be moved to. */
const places = [-1, 1] as const

const isSaid = ({ type, label }: DraftEdge): boolean => type === 'fault' || label !== undefined
