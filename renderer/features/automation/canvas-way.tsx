// Owns how a way looks on the canvas: its line, when it is taken, and the button that adds a step on it.
import { Menu } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { BaseEdge, EdgeLabelRenderer } from '@xyflow/react'
import type { EdgeProps } from '@xyflow/react'
import { t } from '../../lib/strings.ts'
import { addable } from './add-step.tsx'
import { graphAt } from './flow-bodies.ts'
import type { CanvasEdge, FlowCanvasProps } from './flow-canvas.tsx'
import { nodeLabel } from './flow-draft.ts'
import type { Point, WayLine } from './flow-layout.ts'
import { wayLabel } from './flow-words.ts'
import classes from './flow-canvas.module.css'

/** The way. */
export function CanvasWay({ id, data }: EdgeProps<CanvasEdge>) {
  if (!data) return null
  const { line, props } = data
  const { points, edge } = line
  const middle = labelPoint(points)
  const said = wayLabel(edge)
  return (
    <>
      <BaseEdge
        id={id}
        path={pathOf(points)}
        className={edge.type === 'fault' ? (classes.fault ?? '') : (classes.way ?? '')}
      />
      <EdgeLabelRenderer>
        <div
          className={`${classes.wayLabel} nodrag nopan`}
          style={{ transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)` }}
        >
          {said !== '' && <span className={classes.wayText}>{said}</span>}
          {props.onInsert && <Insert line={line} props={props} />}
        </div>
      </EdgeLabelRenderer>
    </>
  )
}

function Insert({ line, props }: { line: WayLine; props: FlowCanvasProps }) {
  const { path, edge } = line
  const graph = graphAt(props.graph, path)
  const nameOf = (id: string): string => nodeLabel(graph?.nodes.find((each) => each.id === id) ?? { id })
  return (
    <Menu position="right-start" width={240}>
      <Menu.Target>
        <button
          type="button"
          className={classes.insert}
          aria-label={t('canvas.insert', { from: nameOf(edge.source), to: nameOf(edge.target) })}
        >
          <IconPlus size={14} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu ?? ''}>
        {addable(props.actions).map(({ category, actions }) => (
          <div key={category} role="group" aria-label={t(`design.category.${category}`)}>
            <Menu.Label>{t(`design.category.${category}`)}</Menu.Label>
            {actions.map(({ type, name }) => (
              <Menu.Item key={type} onClick={() => props.onInsert?.(path, edge.id, type)}>
                {name}
              </Menu.Item>
            ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Down, across halfway between the rows, and down again. */
function pathOf(points: readonly Point[]): string {
  const [first, ...others] = points
  let before = first!
  const pieces = [`M ${before.x} ${before.y}`]
  for (const point of others) {
    const bend = (before.y + point.y) / 2
    pieces.push(before.x === point.x ? `V ${point.y}` : `V ${bend} H ${point.x} V ${point.y}`)
    before = point
  }
  return pieces.join(' ')
}

/** Where lines of one step have parted: before the end of the first piece. */
function labelPoint([start, next]: readonly Point[]): Point {
  return { x: next!.x, y: start!.y + (next!.y - start!.y) * 0.7 }
}
