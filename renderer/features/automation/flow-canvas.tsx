// Owns the drawing of a flow: steps as buttons, ways with a place to add a step on, bodies in frames; and of a run, how each
// step went. The outline does the same without a pointer. Loaded when it is first shown.
import { Background, BackgroundVariant, Controls, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react'
import type { Connection, Edge, Node } from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { useEffect, useMemo, useRef } from 'react'
import { t } from '../../lib/strings.ts'
import type { Action } from './automation-queries.ts'
import { FrameNode, StepNode } from './canvas-nodes.tsx'
import { CanvasWay } from './canvas-way.tsx'
import { placeKey } from './flow-bodies.ts'
import type { GraphPath, StepPlace } from './flow-bodies.ts'
import type { DraftGraph } from './flow-draft.ts'
import { drawFlow } from './flow-layout.ts'
import type { FlowDrawing, FrameBox, StepBox, WayLine } from './flow-layout.ts'
import classes from './flow-canvas.module.css'

/** How a step of a run went. */
export interface StepMark {
  readonly tone: 'good' | 'bad' | 'warn' | 'quiet'
  readonly text: string
}

/** What the canvas shows, and what may be done on it. */
export interface FlowCanvasProps {
  label: string
  graph: DraftGraph
  actions: readonly Action[]
  chosen?: StepPlace | undefined
  onChoose: (step: StepPlace) => void
  /** Number of things that are wrong with a step. */
  problemsOf?: (step: StepPlace) => number
  /** How steps of a run went, by their ids; steps without one were not reached. */
  marks?: ReadonlyMap<string, StepMark>
  /** Adds a step on a way. */
  onInsert?: (path: GraphPath, edgeId: string, type: string) => void
  /** Adds a way between two steps of one graph. */
  onConnect?: (path: GraphPath, source: string, target: string) => void
}

/** What the parts of the drawing get. */
export type CanvasStep = Node<{ box: StepBox; props: FlowCanvasProps }, 'step'>
/** A frame of the drawing. */
export type CanvasFrame = Node<{ box: FrameBox; props: FlowCanvasProps }, 'frame'>
/** A line of the drawing. */
export type CanvasEdge = Edge<{ line: WayLine; props: FlowCanvasProps }, 'way'>

const nodeTypes = { step: StepNode, frame: FrameNode }
const edgeTypes = { way: CanvasWay }
const fit = { padding: 0.1, maxZoom: 1 }

/** The canvas. */
export function FlowCanvas(props: FlowCanvasProps) {
  return (
    <ReactFlowProvider>
      <Drawing {...props} />
    </ReactFlowProvider>
  )
}

function Drawing(props: FlowCanvasProps) {
  const { graph, actions } = props
  const drawing = useMemo(() => drawFlow(graph, actions), [graph, actions])
  const nodes = nodesOf(drawing, props)
  const edges = drawing.ways.map((line) => edgeOf(line, props))
  const { fitView } = useReactFlow()
  const steps = drawing.steps.length
  const shown = useRef(steps)
  // A step more or less changes the size of the drawing; a changed label does not move what people look at.
  useEffect(() => {
    if (shown.current === steps) return
    shown.current = steps
    void fitView(fit)
  }, [steps, fitView])
  const stepAt = (key: string | null): StepBox | undefined => drawing.steps.find((box) => box.key === key)
  const connect = ({ source, target }: Connection): void => {
    const [from, to] = [stepAt(source), stepAt(target)]
    if (!from || !to || from === to || placeKey({ ...from, id: '' }) !== placeKey({ ...to, id: '' })) return
    props.onConnect?.(from.path, from.node.id, to.node.id)
  }
  return (
    <div className={classes.canvas} role="group" aria-label={props.label}>
      <ReactFlow<CanvasStep | CanvasFrame, CanvasEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        fitView
        fitViewOptions={fit}
        minZoom={0.2}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        nodesConnectable={props.onConnect !== undefined}
        disableKeyboardA11y
        deleteKeyCode={null}
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={{
          'controls.ariaLabel': t('canvas.controls'),
          'controls.zoomIn.ariaLabel': t('canvas.zoomIn'),
          'controls.zoomOut.ariaLabel': t('canvas.zoomOut'),
          'controls.fitView.ariaLabel': t('canvas.fit'),
        }}
        onConnect={connect}
      >
        <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
        <Controls showInteractive={false} fitViewOptions={fit} />
      </ReactFlow>
    </div>
  )
}

/** Frames lie on the step they are in, and under what is in them. */
function nodesOf({ steps, frames }: FlowDrawing, props: FlowCanvasProps): (CanvasStep | CanvasFrame)[] {
  const place = ({ key, x, y, width, height, path }: StepBox | FrameBox) => ({
    id: key,
    position: { x, y },
    width,
    height,
    zIndex: path.length * 2,
  })
  return [
    ...steps.map((box): CanvasStep => ({ ...place(box), type: 'step', data: { box, props } })),
    ...frames.map((box): CanvasFrame => ({
      ...place(box),
      zIndex: box.path.length * 2 - 1,
      type: 'frame',
      data: { box, props },
    })),
  ]
}

function edgeOf(line: WayLine, props: FlowCanvasProps): CanvasEdge {
  const { key, path, edge } = line
  return {
    id: key,
    source: placeKey({ path, id: edge.source }),
    target: placeKey({ path, id: edge.target }),
    type: 'way',
    zIndex: path.length * 2,
    data: { line, props },
  }
}
