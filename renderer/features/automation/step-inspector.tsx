// Owns the chosen step: its label, what it does, and the ways that leave it.
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import parts from '../../components/parts.module.css'
import { useRef } from 'react'
import { problemAt } from '../../lib/field-problems.ts'
import { t } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import { fieldList, useObjects } from '../objects/index.ts'
import { ConfigForm } from './config-form.tsx'
import { addEdge, changeEdge, changeNode, edgeTypes, nodeLabel, removeEdge, removeNode } from './flow-draft.ts'
import type { DraftEdge, DraftNode, FlowDraft } from './flow-draft.ts'
import { isRemovable } from './flow-outline.tsx'
import type { DesignPart } from './flow-outline.tsx'
import { configProblems } from './flow-problems.ts'
import classes from './automation.module.css'

type InspectorProps = DesignPart & { node: DraftNode; onRemoved: () => void }

/** What expressions of a flow may name: the fields of the record it starts with. */
function useNames(draft: FlowDraft): { name: string; label: string }[] {
  const { data: objects = [] } = useObjects()
  const start = draft.nodes.find(({ type }) => type === 'start')
  const object = objects.find(({ name }) => name === textOf(start?.config ?? {}, 'object'))
  return object ? fieldList(object).map(({ name, label }) => ({ name, label: label ?? name })) : []
}

/** The inspector. */
export function StepInspector(props: InspectorProps) {
  const { draft, node, actions, problems, onChange } = props
  const action = actions.find(({ type }) => type === node.type)
  const names = useNames(draft)
  const own = configProblems(problems, node.id)
  const elsewhere = problems.filter(({ nodeId, path }) => nodeId === node.id && !/^nodes\.\d+\.config\./.test(path))
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
              onChange(removeNode(draft, node.id))
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
          onChange={(event) => onChange(changeNode(draft, node.id, { label: event.currentTarget.value }))}
        />
        {action && (
          <ConfigForm
            schema={action.configSchema}
            config={node.config ?? {}}
            names={names}
            problemOf={(field) => problemAt(own, field)}
            onChange={(config) => onChange(changeNode(draft, node.id, { config }))}
          />
        )}
        {node.type !== 'end' && <Ways {...props} names={names} />}
      </div>
    </section>
  )
}

function Ways(props: InspectorProps & { names: readonly { name: string; label: string }[] }) {
  const { draft, node, onChange } = props
  const leaving = draft.edges.filter(({ source }) => source === node.id)
  const targets = draft.nodes
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
          onRemoved={() => add.current?.focus()}
        />
      ))}
      {first && (
        <Button
          ref={add}
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange(addEdge(draft, node.id, first.value))}
        >
          {t('design.ways.add')}
        </Button>
      )}
    </fieldset>
  )
}

/** Types whose outcome is a label of the way that is taken. */
const labelled: ReadonlySet<string> = new Set(['decision', 'approval'])

interface WayProps extends DesignPart {
  edge: DraftEdge
  number: number
  targets: { value: string; label: string }[]
  isLabelled: boolean
  onRemoved: () => void
}

function Way(props: WayProps) {
  const { draft, edge, number, onChange } = props
  const set = (change: Readonly<Record<string, unknown>>): void => onChange(changeEdge(draft, edge.id, change))
  const type = edge.type ?? 'default'
  const problem = props.problems.find(({ edgeId }) => edgeId === edge.id)?.message
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
          onChange(removeEdge(draft, edge.id))
          props.onRemoved()
        }}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
      {type !== 'default' && (
        <TextInput
          className={classes.condition}
          label={t('design.way.condition', { number })}
          value={typeof edge.condition === 'string' ? edge.condition : ''}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => set({ condition: event.currentTarget.value || undefined })}
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
