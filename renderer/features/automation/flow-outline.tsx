// Owns the outline of a flow: its steps in the order of their ways, complete by keyboard. Alt with the arrows moves a step,
// Delete removes it; buttons do the same.
import { ActionIcon, Button, NativeSelect } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import parts from '../../components/parts.module.css'
import { t, tn } from '../../lib/strings.ts'
import type { Action } from './automation-queries.ts'
import { addNode, canMove, moveNode, nodeLabel, outlineOf, removeNode } from './flow-draft.ts'
import type { DraftNode, FlowDraft } from './flow-draft.ts'
import { problemsOfNode } from './flow-problems.ts'
import type { FlowProblem } from './flow-problems.ts'
import classes from './automation.module.css'

/** What the parts of the editor share. */
export interface DesignPart {
  draft: FlowDraft
  problems: readonly FlowProblem[]
  actions: readonly Action[]
  onChange: (draft: FlowDraft) => void
}

type OutlineProps = DesignPart & { chosen: string | undefined; onChoose: (id: string | undefined) => void }

/** Whether a step may be taken away. */
export const isRemovable = ({ type }: Pick<DraftNode, 'type'>): boolean => type !== 'start'

/** The outline. */
export function FlowOutline(props: OutlineProps) {
  const { draft, chosen, onChoose, onChange } = props
  const rows = outlineOf(draft)
  const list = useRef<HTMLOListElement>(null)
  const shown = useRef(draft)
  // A step that changes its place in the page, or leaves it, loses the focus: the chosen one takes it.
  useEffect(() => {
    if (shown.current === draft) return
    shown.current = draft
    if (document.activeElement !== document.body) return
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])]
    const target = buttons.find((button) => button.hasAttribute('aria-current')) ?? buttons[0]
    target?.focus()
  }, [draft])
  const onKeyDown = (event: KeyboardEvent, node: DraftNode): void => {
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined
    if (by !== undefined) {
      event.preventDefault()
      onChoose(node.id)
      onChange(moveNode(draft, node.id, by))
    } else if (event.key === 'Delete' && isRemovable(node)) {
      event.preventDefault()
      onChange(removeNode(draft, node.id))
      onChoose(rows[rows.indexOf(node) - 1]?.id)
    }
  }
  return (
    <section aria-labelledby="outline">
      <h2 id="outline" className={classes.heading}>
        {t('design.outline')}
      </h2>
      <ol ref={list} className={classes.outline}>
        {rows.map((node) => (
          <li key={node.id}>
            <Row {...props} node={node} onKeyDown={(event) => onKeyDown(event, node)} />
          </li>
        ))}
      </ol>
      <AddStep {...props} after={draft.nodes.find(({ id, type }) => id === chosen && type !== 'end')} />
      <p className={parts.quiet}>{t('design.keys')}</p>
    </section>
  )
}

function Row(props: OutlineProps & { node: DraftNode; onKeyDown: (event: KeyboardEvent) => void }) {
  const { draft, node, chosen, onChange } = props
  const leaving = draft.edges.filter(({ source }) => source === node.id)
  const label = nodeLabel(node)
  const kind = props.actions.find(({ type }) => type === node.type)?.name ?? node.type
  const wrong = problemsOfNode(
    props.problems,
    node.id,
    leaving.map(({ id }) => id),
  )
  const nameOf = (id: string): string => nodeLabel(draft.nodes.find((each) => each.id === id) ?? { id })
  const ways = leaving.filter(({ type, label: said }) => leaving.length > 1 || type === 'fault' || said !== undefined)
  const isChosen = chosen === node.id
  return (
    <div className={classes.row}>
      <button
        type="button"
        className={classes.node}
        aria-current={isChosen ? 'step' : undefined}
        onClick={() => props.onChoose(node.id)}
        onKeyDown={props.onKeyDown}
      >
        <span className={classes.stepName}>{label}</span>
        <span className={parts.under}>
          {kind !== label && kind}
          {ways.map((edge) => (
            <span key={edge.id} className={classes.way}>
              {edge.type === 'fault'
                ? t('design.way.fault', { target: nameOf(edge.target) })
                : edge.condition !== undefined || edge.label !== undefined
                  ? t('design.way.if', { condition: edge.label ?? String(edge.condition), target: nameOf(edge.target) })
                  : t('design.way.else', { target: nameOf(edge.target) })}
            </span>
          ))}
        </span>
        {wrong.length > 0 && <span className={parts.problem}>{tn('design.wrong', wrong.length)}</span>}
      </button>
      {isChosen &&
        ([-1, 1] as const).map((by) => (
          <ActionIcon
            key={by}
            variant="subtle"
            size={28}
            aria-label={t(by === -1 ? 'design.up' : 'design.down', { step: label })}
            disabled={!canMove(draft, node.id, by)}
            onClick={() => onChange(moveNode(draft, node.id, by))}
          >
            {by === -1 ? <IconArrowUp size={16} aria-hidden /> : <IconArrowDown size={16} aria-hidden />}
          </ActionIcon>
        ))}
    </div>
  )
}

function AddStep(props: OutlineProps & { after: DraftNode | undefined }) {
  const { actions, draft, after } = props
  const [type, setType] = useState('')
  const categories = [...new Set(actions.map(({ category }) => category))]
  const add = (): void => {
    const action = actions.find((each) => each.type === type)
    if (!action || !after) return
    const [next, id] = addNode(draft, type, action.name, after.id)
    props.onChange(next)
    props.onChoose(id)
  }
  return (
    <div className={classes.add}>
      <NativeSelect
        label={t('design.add.type')}
        description={actions.find((each) => each.type === type)?.description}
        value={type}
        data={[
          { value: '', label: t('pairs.choose') },
          ...categories.map((category) => ({
            group: t(`design.category.${category}`),
            items: actions
              .filter((each) => each.category === category && each.type !== 'start' && !each.deprecated)
              .map((each) => ({ value: each.type, label: each.name })),
          })),
        ]}
        onChange={(event) => setType(event.currentTarget.value)}
      />
      <Button
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden />}
        disabled={type === '' || after === undefined}
        onClick={add}
      >
        {after ? t('design.add.after', { step: nodeLabel(after) }) : t('design.add')}
      </Button>
    </div>
  )
}
