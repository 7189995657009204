// Owns the chosen step: its label, what it does, what happens when it fails, and the ways that leave it.
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useRef } from 'react'
import type { ExpressionName } from '../../components/complete-expression.ts'
import { ExpressionField } from '../../components/expression-field.tsx'
import parts from '../../components/parts.module.css'
import { problemAt } from '../../lib/field-problems.ts'
import { t } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import { fieldList, useObjects } from '../objects/index.ts'
import { ConfigForm } from './config-form.tsx'
import { expressionNames } from './expression-names.ts'
import { changeGraph } from './flow-bodies.ts'
import type { StepPlace } from './flow-bodies.ts'
import { addEdge, changeEdge, changeNode, edgeTypes, nodeLabel, removeEdge, removeNode } from './flow-draft.ts'
import type { DraftEdge, DraftGraph, DraftNode, FlowDraft } from './flow-draft.ts'
import { isRemovable } from './flow-outline.tsx'
import type { DesignPart } from './flow-outline.tsx'
import { configProblems, problemsOfStep } from './flow-problems.ts'
import { conditionOf } from './flow-words.ts'
import { StepFailure } from './step-failure.tsx'
import classes from './automation.module.css'

type InspectorProps = DesignPart & {
  step: StepPlace
  node: DraftNode
  /** The graph the step is in. */
  graph: DraftGraph
  onRemoved: () => void
}

/** The fields of the record the flow starts with. */
function useFields(draft: FlowDraft): { name: string; label: string }[] {
  const { data: objects = [] } = useObjects()
  const start = draft.nodes.find(({ type }) => type === 'start')
  const object = objects.find(({ name }) => name === textOf(start?.config ?? {}, 'object'))
  return object ? fieldList(object).map(({ name, label }) => ({ name, label: label ?? name })) : []
}

/** The inspector. */
export function StepInspector(props: InspectorProps) {
  const { draft, node, step, actions, problems } = props
  const action = actions.find(({ type }) => type === node.type)
  const fields = useFields(draft)
  const names = expressionNames(draft, step, actions, fields)
  const own = configProblems(problems, draft, step)
  const about = problemsOfStep(problems, draft, step, [])
  const elsewhere = about.filter(({ path }) => !/\.config\.(?!.*nodes\.\d+)/.test(path))
  const change = (act: (graph: DraftGraph) => DraftGraph): void => props.onChange(changeGraph(draft, step.path, act))
  const set = (members: Readonly<Record<string, unknown>>): void =>
    change((graph) => changeNode(graph, node.id, members))
  return (
    <section aria-labelledby="step">
      <div className={parts.head}>
        <h2 id="step" className={classes.heading}>
          {nodeLabel(node)}
        </h2>
        {isRemovable(node) && (
          <Button
            variant="subtle"
            onClick={() => {
              change((graph) => removeNode(graph, node.id))
              props.onRemoved()
            }}
          >
            {t('design.remove')}
          </Button>
        )}
      </div>
      <p className={parts.quiet}>{action ? action.description : t('design.unknown', { type: node.type })}</p>
      {elsewhere.map(({ path, message }) => (
        <p key={`${path} ${message}`} className={parts.problem} role="alert">
          {message}
        </p>
      ))}
      <div className={classes.inspector}>
        <TextInput
          label={t('design.label')}
          value={node.label ?? ''}
          autoComplete="off"
          onChange={(event) => set({ label: event.currentTarget.value })}
        />
        {action && (
          <ConfigForm
            schema={action.configSchema}
            config={node.config ?? {}}
            fields={fields}
            names={names}
            problemOf={(field) => problemAt(own, field)}
            onChange={(config) => set({ config })}
          />
        )}
        {node.type !== 'end' && <Ways {...props} names={names} change={change} />}
        {node.type !== 'start' && node.type !== 'end' && <StepFailure node={node} graph={props.graph} onSet={set} />}
      </div>
    </section>
  )
}

type WaysProps = InspectorProps & {
  names: readonly ExpressionName[]
  change: (act: (graph: DraftGraph) => DraftGraph) => void
}

function Ways(props: WaysProps) {
  const { graph, node, change } = props
  const leaving = graph.edges.filter(({ source }) => source === node.id)
  const targets = graph.nodes
    .filter(({ id, type }) => id !== node.id && type !== 'start')
    .map((each) => ({ value: each.id, label: nodeLabel(each) }))
  const [first] = targets
  const add = useRef<HTMLButtonElement>(null)
  return (
    <fieldset className={parts.options}>
      <legend>{t('design.ways')}</legend>
      {leaving.map((edge, at) => (
        <Way
          key={edge.id}
          {...props}
          edge={edge}
          number={at + 1}
          targets={targets}
          isLabelled={labelled.has(node.type)}
          onGone={() => add.current?.focus()}
        />
      ))}
      {first && (
        <Button
          ref={add}
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change((at) => addEdge(at, node.id, first.value))}
        >
          {t('design.ways.add')}
        </Button>
      )}
    </fieldset>
  )
}

/** Types whose outcome is a label of the way that is taken. */
const labelled: ReadonlySet<string> = new Set(['decision', 'approval'])

interface WayProps extends WaysProps {
  edge: DraftEdge
  number: number
  targets: { value: string; label: string }[]
  isLabelled: boolean
  onGone: () => void
}

function Way(props: WayProps) {
  const { edge, number, change } = props
  const set = (members: Readonly<Record<string, unknown>>): void => change((at) => changeEdge(at, edge.id, members))
  const type = edge.type ?? 'default'
  const about = problemsOfStep(props.problems, props.draft, props.step, [edge.id])
  const problem = about.find(({ edgeId }) => edgeId === edge.id)?.message
  return (
    <div className={classes.edge}>
      <NativeSelect
        label={t('design.way.target', { number })}
        value={edge.target}
        error={problem}
        data={props.targets}
        onChange={(event) => set({ target: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('design.way.type', { number })}
        value={type}
        data={edgeTypes.map((value) => ({ value, label: t(`design.way.type.${value}`) }))}
        onChange={(event) => {
          const next = edgeTypes.find((each) => each === event.currentTarget.value) ?? 'default'
          set({ type: next, ...(next === 'default' ? { condition: undefined } : {}) })
        }}
      />
      <ActionIcon
        variant="subtle"
        size={32}
        aria-label={t('design.way.remove', { number })}
        onClick={() => {
          change((at) => removeEdge(at, edge.id))
          props.onGone()
        }}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
      {type !== 'default' && (
        <ExpressionField
          className={classes.condition}
          label={t('design.way.condition', { number })}
          value={conditionOf(edge)}
          names={props.names}
          onChange={(text) => set({ condition: text || undefined })}
        />
      )}
      {type === 'default' && (props.isLabelled || edge.label !== undefined) && (
        <TextInput
          className={classes.condition}
          label={t('design.way.label', { number })}
          description={t('design.way.label.help')}
          value={edge.label ?? ''}
          autoComplete="off"
          onChange={(event) => set({ label: event.currentTarget.value || undefined })}
        />
      )}
    </div>
  )
}
