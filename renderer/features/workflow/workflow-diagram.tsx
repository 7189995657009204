// Owns the picture of a workflow, the same as a table for those who do not see it, and both of all workflows of an object.
import { useId, useMemo } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { layOut, nodeHeight } from './diagram-layout.ts'
import type { Workflow } from './workflow-queries.ts'
import { shownState } from './workflow-words.ts'
import classes from './workflow.module.css'

/** The picture; `current` is the state that is marked. */
export function WorkflowDiagram(props: { workflow: Workflow; current?: string | null }) {
  const { workflow, current } = props
  const arrow = useId()
  const { width, height, nodes, edges } = useMemo(() => layOut(workflow), [workflow])
  const isFinal = (name: string): boolean => workflow.states.find((state) => state.name === name)?.final === true
  return (
    <div
      className={classes.picture}
      tabIndex={0}
      role="region"
      aria-label={t('diagram.of', { workflow: workflow.label })}
    >
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden focusable="false">
        <defs>
          <marker id={arrow} viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M 0 0 L 8 4 L 0 8 z" className={classes.arrow} />
          </marker>
        </defs>
        {edges.map(({ from, to, path }) => (
          <path key={`${from} ${to}`} d={path} className={classes.edge} markerEnd={`url(#${arrow})`} />
        ))}
        {nodes.map(({ name, label, x, y, width: wide }) => (
          <g key={name} className={`field-chip ${shownState(workflow, name).className} ${classes.node}`}>
            <rect
              x={x}
              y={y}
              width={wide}
              height={nodeHeight}
              rx={6}
              data-current={name === current || undefined}
              data-final={isFinal(name) || undefined}
            />
            <text x={x + wide / 2} y={y + nodeHeight / 2}>
              {label}
            </text>
          </g>
        ))}
        {edges.map(({ from, to, label, labelX, labelY }) => (
          <text key={`${from} ${to}`} x={labelX} y={labelY} className={classes.edgeLabel}>
            {label}
          </text>
        ))}
      </svg>
    </div>
  )
}

/** The transitions as a table. */
export function TransitionTable(props: { workflow: Workflow; current?: string | null }) {
  const { workflow, current } = props
  const name = (state: string): string => {
    const { label } = shownState(workflow, state)
    return state === current ? t('diagram.current', { state: label }) : label
  }
  const columns = [
    { label: t('word.step') },
    { label: t('word.from') },
    { label: t('diagram.to') },
    { label: t('diagram.asks'), wide: true },
  ]
  return (
    <ListTable label={t('diagram.table', { workflow: workflow.label })} columns={columns}>
      {workflow.transitions.map(({ name: key, label, from, to, requiresApproval, requiresComment }) => (
        <tr key={key}>
          <th scope="row">{label}</th>
          <td>{from.map(name).join(', ')}</td>
          <td>{name(to)}</td>
          <td data-wide>
            {[requiresApproval && t('diagram.approval'), requiresComment && t('diagram.comment')]
              .filter((word) => word !== false)
              .join(', ')}
          </td>
        </tr>
      ))}
    </ListTable>
  )
}

/** The workflows of an object as its settings show them, as they are saved. */
export function WorkflowPart(props: { workflows: readonly Workflow[] }) {
  return (
    <>
      <p className={parts.lead}>{t('diagram.lead')}</p>
      {props.workflows.map((workflow) => (
        <section key={workflow.name} className={parts.section} aria-label={workflow.label}>
          <h2>{workflow.label}</h2>
          <WorkflowDiagram workflow={workflow} />
          <TransitionTable workflow={workflow} />
        </section>
      ))}
    </>
  )
}
