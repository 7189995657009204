// Owns how a step and the frame of a body look on the canvas. Both are buttons: the canvas is walked like any page.
import { Handle, Position } from '@xyflow/react'
import type { NodeProps } from '@xyflow/react'
import { t, tn } from '../../lib/strings.ts'
import parts from '../../components/parts.module.css'
import { placeKey } from './flow-bodies.ts'
import type { CanvasFrame, CanvasStep, FlowCanvasProps } from './flow-canvas.tsx'
import { nodeLabel } from './flow-draft.ts'
import classes from './flow-canvas.module.css'

const isChosen = ({ chosen }: FlowCanvasProps, key: string): boolean => chosen !== undefined && placeKey(chosen) === key

/** A step. */
export function StepNode({ data: { box, props } }: NodeProps<CanvasStep>) {
  const { node, path, key } = box
  const step = { path, id: node.id }
  const label = nodeLabel(node)
  const kind = props.actions.find(({ type }) => type === node.type)?.name ?? node.type
  const wrong = props.problemsOf?.(step) ?? 0
  const mark = props.marks?.get(node.id)
  const isOff = props.marks !== undefined && mark === undefined
  return (
    <>
      {node.type !== 'start' && (
        <Handle type="target" position={Position.Top} isConnectable={props.onConnect !== undefined} />
      )}
      <div
        className={classes.step}
        data-chosen={isChosen(props, key) || undefined}
        data-tone={mark?.tone}
        data-off={isOff || undefined}
      >
        <button
          type="button"
          className={`${classes.stepButton} nodrag nopan`}
          aria-current={isChosen(props, key) ? 'step' : undefined}
          onClick={() => props.onChoose(step)}
        >
          <span className={classes.stepName}>{label}</span>
          <span className={classes.stepKind}>
            {mark?.text ?? (kind === label ? '' : kind)}
            {wrong > 0 && <span className={parts.problem}>{tn('design.wrong', wrong)}</span>}
          </span>
        </button>
      </div>
      {node.type !== 'end' && (
        <Handle type="source" position={Position.Bottom} isConnectable={props.onConnect !== undefined} />
      )}
    </>
  )
}

/** What is inside of a step; an empty one is chosen to add its first step. */
export function FrameNode({ data: { box, props } }: NodeProps<CanvasFrame>) {
  const { label, isEmpty, path, key } = box
  return (
    <div className={classes.frame} data-chosen={isChosen(props, key) || undefined}>
      <span className={classes.frameName}>{label}</span>
      {isEmpty && (
        <button
          type="button"
          className={`${classes.frameButton} nodrag nopan`}
          aria-label={t('canvas.emptyOf', { body: label })}
          onClick={() => props.onChoose({ path, id: '' })}
        >
          {t('design.body.empty')}
        </button>
      )}
    </div>
  )
}
