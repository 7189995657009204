// Owns building the filter of a view: conditions in groups of which all or any must hold. What is complete is in force at
// once; the rest is kept while the panel is open. Knows no address, no request.
import { Button, CloseButton, Group, NativeSelect, SegmentedControl } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useCallback, useEffect, useId, useRef, useState } from 'react'
import { useKeptFocus } from '../../components/use-kept-focus.ts'
import { fieldLabel, fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { t, tn } from '../../lib/strings.ts'
import { addNode, changeNode, countConditions, draftOf, filterOf, isDraftGroup, mayNest } from './filter-draft.ts'
import type { DraftCondition, DraftGroup, DraftNode } from './filter-draft.ts'
import classes from './filter-panel.module.css'
import { OperandEditor } from './operand-editor.tsx'
import { buildFilter, isWritten, operatorWord } from './record-query.ts'
import type { FilterGroup, RecordFilter } from './record-query.ts'

/** Conditions one filter has at most; the host allows more. @source D-79 */
const maxConditions = 20
/** Rest after the last key before what was typed is in force, in milliseconds. */
const restMs = 250

/** What the panel shows and changes. */
export interface FilterPanelProps {
  fields: readonly FieldDefinition[]
  context: FieldContext
  filter: FilterGroup | undefined
  /** A field the panel was opened for: it begins with a condition on it. */
  startField: string | undefined
  /** Number of records that are found; undefined while it is not known. */
  found: number | undefined
  onFilter: (filter: FilterGroup | undefined) => void
}

/** The panel; what it was opened with is kept as its draft until it is closed. */
export function FilterPanel({ fields, context, filter, startField, found, onFilter }: FilterPanelProps) {
  const keys = useRef(0)
  const nextKey = useCallback((): number => (keys.current += 1), [])
  const blank = useCallback(
    (field = fields[0]?.name ?? ''): DraftCondition => ({ field, operator: '', texts: [], key: nextKey() }),
    [fields, nextKey],
  )
  const [root, setRoot] = useState<DraftGroup>(() => {
    const draft = draftOf(filter, nextKey)
    const isNew = draft.conditions.length === 0 || startField !== undefined
    return isNew ? addNode(draft, draft.key, blank(startField)) : draft
  })
  const complete = useCallback(
    (draft: DraftCondition): RecordFilter | undefined => {
      const known = chosen(draft, fields)
      if (!known) return undefined
      const { field, operator } = known
      const texts = operator.operand === 'none' ? [] : draft.texts
      const built = buildFilter(field, operator, texts, context, t('filter.needValue'))
      return built.ok ? { field: field.name, operator: operatorWord(operator), texts } : undefined
    },
    [fields, context],
  )

  const send = useRef<() => void>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const change = (next: DraftGroup): void => {
    setRoot(next)
    const text = JSON.stringify(filterOf(next, complete) ?? null)
    send.current = () => {
      send.current = undefined
      onFilter((JSON.parse(text) as FilterGroup | null) ?? undefined)
    }
    clearTimeout(timer.current)
    timer.current = setTimeout(() => send.current?.(), restMs)
  }
  // What was typed last counts also when the panel is closed at once.
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      send.current?.()
    },
    [],
  )

  const kept = useKeptFocus<HTMLDivElement>(root)
  const total = countConditions(root)
  const numbers = numbered(root)
  return (
    <div {...kept} className={classes.panel}>
      <GroupRows
        group={root}
        depth={1}
        numbers={numbers}
        fields={fields}
        context={context}
        full={total >= maxConditions}
        isComplete={(draft) => complete(draft) !== undefined}
        onChange={(key, next) => change(changeNode(root, key, next))}
        onAdd={(group, isGroup) =>
          change(addNode(root, group, isGroup ? { key: nextKey(), any: true, conditions: [blank()] } : blank()))
        }
      />
      <Group justify="space-between" gap="xs">
        <Button
          size="xs"
          variant="subtle"
          disabled={total === 0}
          onClick={() => change({ ...root, any: false, conditions: [] })}
        >
          {t('filter.clear')}
        </Button>
        <span role="status" className={classes.found}>
          {found !== undefined && tn('word.recordCount', found)}
        </span>
      </Group>
    </div>
  )
}

interface RowsProps {
  depth: number
  numbers: ReadonlyMap<number, number>
  fields: readonly FieldDefinition[]
  context: FieldContext
  /** Whether there are as many conditions as there can be. */
  full: boolean
  isComplete: (draft: DraftCondition) => boolean
  onChange: (key: number, change: (node: DraftNode) => DraftNode | null) => void
  onAdd: (group: number, isGroup: boolean) => void
}

function GroupRows(props: RowsProps & { group: DraftGroup }) {
  const { group, depth, numbers, ...shared } = props
  const { onChange, onAdd, full } = shared
  return (
    <>
      {group.conditions.length === 0 && <p className={classes.note}>{t('filter.empty')}</p>}
      {group.conditions.length > 1 && (
        <SegmentedControl
          size="xs"
          w="fit-content"
          aria-label={t('filter.match')}
          value={group.any ? 'any' : 'all'}
          data={[
            { value: 'all', label: t('filter.all') },
            { value: 'any', label: t('filter.any') },
          ]}
          onChange={(word) => onChange(group.key, (node) => ({ ...node, any: word === 'any' }))}
        />
      )}
      {group.conditions.map((node) => {
        const n = numbers.get(node.key) ?? 0
        const onRemove = (): void => onChange(node.key, () => null)
        if (isWritten(node)) {
          return <WrittenRow key={node.key} n={n} written={node.written} onRemove={onRemove} />
        }
        return isDraftGroup(node) ? (
          <fieldset key={node.key} className={classes.group} aria-label={t('filter.group', { n })}>
            <CloseButton
              className={classes.groupRemove}
              size="sm"
              aria-label={t('filter.removeGroup', { n })}
              onClick={onRemove}
            />
            <GroupRows {...shared} group={node} depth={depth + 1} numbers={numbers} />
          </fieldset>
        ) : (
          <ConditionRow
            key={node.key}
            n={n}
            draft={node}
            fields={shared.fields}
            context={shared.context}
            isComplete={shared.isComplete(node)}
            onChange={(part) => onChange(node.key, (found) => ({ ...found, ...part }))}
            onRemove={onRemove}
          />
        )
      })}
      <Group gap={4}>
        <AddButton label={t('filter.add')} disabled={full} onClick={() => onAdd(group.key, false)} />
        {mayNest(depth) && (
          <AddButton label={t('filter.addGroup')} disabled={full} onClick={() => onAdd(group.key, true)} />
        )}
      </Group>
    </>
  )
}

function AddButton(props: { label: string; disabled: boolean; onClick: () => void }) {
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<IconPlus size={14} aria-hidden />}
      disabled={props.disabled}
      onClick={props.onClick}
    >
      {props.label}
    </Button>
  )
}

/** Numbers people tell conditions and groups apart by, each kind counted through the whole tree. */
function numbered(root: DraftGroup): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>()
  const counts = { groups: 0, conditions: 0 }
  const walk = (nodes: readonly DraftNode[]): void => {
    for (const node of nodes) {
      numbers.set(node.key, isDraftGroup(node) ? (counts.groups += 1) : (counts.conditions += 1))
      if (isDraftGroup(node)) walk(node.conditions)
    }
  }
  walk(root.conditions)
  return numbers
}

/** Field and operator of a draft; the first operator where none was chosen yet. */
function chosen(draft: RecordFilter, fields: readonly FieldDefinition[]) {
  const field = fields.find(({ name }) => name === draft.field) ?? fields[0]
  if (!field) return undefined
  const operators = fieldTypeOf(field).operators(field)
  const operator = operators.find((candidate) => operatorWord(candidate) === draft.operator) ?? operators[0]
  return operator ? { field, operator, operators } : undefined
}

/** A part that has no words here: said as it is, and only to be taken out. */
function WrittenRow(props: { n: number; written: Readonly<Record<string, unknown>>; onRemove: () => void }) {
  const { n } = props
  return (
    <fieldset className={classes.condition} aria-label={t('filter.condition', { n })}>
      <div className={classes.written}>
        <p className={classes.note}>{t('filter.written.help')}</p>
        <code>{JSON.stringify(props.written)}</code>
      </div>
      <CloseButton
        className={classes.remove}
        size="sm"
        data-autofocus={n === 1 ? true : undefined}
        aria-label={t('filter.remove', { n })}
        onClick={props.onRemove}
      />
    </fieldset>
  )
}

function ConditionRow(props: {
  n: number
  draft: DraftCondition
  fields: readonly FieldDefinition[]
  context: FieldContext
  isComplete: boolean
  onChange: (part: Partial<RecordFilter>) => void
  onRemove: () => void
}) {
  const { n, draft, fields, context } = props
  const noteId = useId()
  const known = chosen(draft, fields)
  if (!known) return null
  const { field, operator, operators } = known
  return (
    <fieldset className={classes.condition} aria-label={t('filter.condition', { n })}>
      <NativeSelect
        size="xs"
        aria-label={t('word.field')}
        value={field.name}
        data-autofocus={n === 1 ? true : undefined}
        data={fields.map((candidate) => ({ value: candidate.name, label: fieldLabel(candidate) }))}
        onChange={(event) => props.onChange({ field: event.currentTarget.value, operator: '', texts: [] })}
      />
      <NativeSelect
        size="xs"
        aria-label={t('word.condition')}
        value={operatorWord(operator)}
        data={operators.map((candidate) => ({
          value: operatorWord(candidate),
          label: context.translate(candidate.label),
        }))}
        onChange={(event) => {
          const next = operators.find((candidate) => operatorWord(candidate) === event.currentTarget.value)
          const keeps = next?.operand === operator.operand
          props.onChange({ operator: event.currentTarget.value, ...(keeps ? {} : { texts: [] }) })
        }}
      />
      <div className={classes.operand}>
        <OperandEditor
          key={`${field.name} ${operator.operand}`}
          field={field}
          operator={operator}
          context={context}
          texts={draft.texts}
          describedBy={noteId}
          onTexts={(texts) => props.onChange({ texts })}
        />
      </div>
      <CloseButton
        className={classes.remove}
        size="sm"
        aria-label={t('filter.remove', { n })}
        onClick={props.onRemove}
      />
      <p id={noteId} className={classes.note}>
        {!props.isComplete && t('filter.unfinished')}
      </p>
    </fieldset>
  )
}
