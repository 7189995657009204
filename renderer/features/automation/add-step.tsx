// Owns adding a step: what it is to be, after the chosen one or as the first of a body.
import { Button, NativeSelect } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { t } from '../../lib/strings.ts'
import type { Action } from './automation-queries.ts'
import { changeGraph, graphAt, newNode } from './flow-bodies.ts'
import { addNode, nodeLabel } from './flow-draft.ts'
import type { DraftGraph } from './flow-draft.ts'
import type { ChoosingPart } from './flow-outline.tsx'
import classes from './automation.module.css'

/** What may be added, by category; a body may also end a flow early. */
export function addable(actions: readonly Action[]): { category: Action['category']; actions: Action[] }[] {
  return [...new Set(actions.map(({ category }) => category))].map((category) => ({
    category,
    actions: actions.filter((each) => each.category === category && each.type !== 'start' && !each.deprecated),
  }))
}

/** The choice and the button. */
export function AddStep(props: ChoosingPart) {
  const { actions, draft, chosen } = props
  const [type, setType] = useState('')
  const graph = chosen && graphAt(draft, chosen.path)
  const after = graph?.nodes.find(({ id, type: kind }) => id === chosen?.id && kind !== 'end')
  const isFirst = graph?.nodes.length === 0
  const add = (): void => {
    const action = actions.find((each) => each.type === type)
    if (!action || !chosen || !(after || isFirst)) return
    let id = ''
    const change = (at: DraftGraph): DraftGraph => {
      const [next, added] = addNode(at, newNode(action, draft, actions), after?.id)
      id = added
      return next
    }
    props.onChange(changeGraph(draft, chosen.path, change))
    props.onChoose({ path: chosen.path, id })
  }
  return (
    <div className={classes.add}>
      <NativeSelect
        label={t('design.add.type')}
        description={actions.find((each) => each.type === type)?.description}
        value={type}
        data={[
          { value: '', label: t('pairs.choose') },
          ...addable(actions).map(({ category, actions: own }) => ({
            group: t(`design.category.${category}`),
            items: own.map((each) => ({ value: each.type, label: each.name })),
          })),
        ]}
        onChange={(event) => setType(event.currentTarget.value)}
      />
      <Button
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden />}
        disabled={type === '' || !(after || isFirst)}
        onClick={add}
      >
        {after ? t('design.add.after', { step: nodeLabel(after) }) : t(isFirst ? 'design.add.first' : 'design.add')}
      </Button>
    </div>
  )
}
